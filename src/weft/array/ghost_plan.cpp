#include "weft/array/ghost_plan.hpp"

#include <algorithm>
#include <atomic>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/kernels/primitives/select.hpp"

namespace weft {

struct GhostPlan::Body {
  Communicator comm;
  RowOffsets offsets;
  std::int64_t serial = 0;
  std::vector<GhostRequest> ghosts;  // sorted
  std::vector<LocalRow> local_of;    // by request
  std::vector<LocalRow> send_rows;   // concatenated lists of all neighbours
  std::vector<Neighbour> neighbours;
  mutable std::atomic<int> exchanges{0};

  [[nodiscard]] bool needs_ghost(GhostRequest request) const { return request.image != 0 || !offsets.owns(request.row); }
  [[nodiscard]] LocalRow find(GhostRequest request) const {
    if (!needs_ghost(request)) return offsets.local(request.row);
    const auto at = std::lower_bound(ghosts.begin(), ghosts.end(), request);
    if (at == ghosts.end() || *at != request) return LocalRow::invalid();
    return LocalRow(offsets.local_rows() + (at - ghosts.begin()));
  }
};

namespace {
// Plans are created collectively, but not every rank takes part in each: the next number is agreed upon.
std::int64_t agreed_serial(const Communicator& comm) {
  static std::int64_t last = 0;
  return last = comm.max(last + 1);
}
}  // namespace

GhostPlan::GhostPlan() {
  static const auto nothing = std::make_shared<const Body>();
  body_ = nothing;
}

GhostPlan GhostPlan::build(const Communicator& comm, std::int32_t owned_rows, std::span<const GlobalRow> requests) {
  std::vector<GhostRequest> images;
  images.reserve(requests.size());
  for (const GlobalRow row : requests) images.push_back({row, 0});
  return build(comm, owned_rows, images);
}

GhostPlan GhostPlan::build(const Communicator& comm, std::int32_t owned_rows, std::span<const GhostRequest> requests) {
  auto body = std::make_shared<Body>();
  body->comm = comm;
  body->offsets = RowOffsets(comm, owned_rows);
  body->serial = agreed_serial(comm);
  std::vector<GhostRequest>& ghosts = body->ghosts;
  agreed(comm, [&] {
    for (const GhostRequest request : requests) {
      (void)body->offsets.find(request.row);
      if (body->needs_ghost(request)) ghosts.push_back(request);
    }
    // By global row is by (owner, owner's local row).
    kernels::sort_unique(ghosts);
    ghosts.shrink_to_fit();
    (void)checked_local(owned_rows + static_cast<std::int64_t>(ghosts.size()), "owned and ghost rows");
    body->local_of.reserve(requests.size());
    for (const GhostRequest request : requests) body->local_of.push_back(body->find(request));
  });

  std::vector<RankValues<LocalRow>> wanted;
  for (const GhostRequest ghost : ghosts) {
    const auto [owner, row] = body->offsets.find(ghost.row);
    if (wanted.empty() || wanted.back().rank != owner) wanted.push_back({owner, {}});
    wanted.back().values.push_back(row);
  }
  const std::vector<RankValues<LocalRow>> asked = comm.all_to_all(wanted);
  for (const auto& [rank, rows] : asked) body->send_rows.insert(body->send_rows.end(), rows.begin(), rows.end());
  std::size_t sent = 0;
  std::int32_t next_ghost = owned_rows;
  for (auto w = wanted.cbegin(), a = asked.cbegin(); w != wanted.end() || a != asked.end();) {
    const Rank rank = a == asked.end() || (w != wanted.end() && w->rank < a->rank) ? w->rank : a->rank;
    const auto receives = w != wanted.end() && w->rank == rank ? static_cast<std::int32_t>((w++)->values.size()) : 0;
    const std::size_t sends = a != asked.end() && a->rank == rank ? (a++)->values.size() : 0;
    body->neighbours.push_back({.rank = rank,
                                .ghosts = {LocalRow(next_ghost), LocalRow(next_ghost + receives)},
                                .send_rows = std::span(body->send_rows).subspan(sent, sends)});
    sent += sends;
    next_ghost += receives;
  }
  return GhostPlan(std::move(body));
}

std::int32_t GhostPlan::owned_rows() const { return body_->offsets.local_rows(); }
std::int32_t GhostPlan::ghost_rows() const { return static_cast<std::int32_t>(body_->ghosts.size()); }
const Communicator& GhostPlan::comm() const {
  if (!body_->comm.valid()) throw ContractError("an empty GhostPlan has no communicator", "GhostPlan::build makes one that has");
  return body_->comm;
}
const RowOffsets& GhostPlan::offsets() const { return body_->offsets; }
std::int64_t GhostPlan::serial() const { return body_->serial; }
int GhostPlan::number_exchange() const { return body_->exchanges.fetch_add(1); }
std::span<const GhostPlan::Neighbour> GhostPlan::neighbours() const { return body_->neighbours; }

LocalRow GhostPlan::local_of(std::size_t request) const {
  WEFT_EXPECTS(request < body_->local_of.size());
  return body_->local_of[request];
}

LocalRow GhostPlan::find(GlobalRow row, std::int32_t image) const {
  if (!body_->offsets.contains(row)) return LocalRow::invalid();
  return body_->find({row, image});
}

GhostRequest GhostPlan::ghost(LocalRow row) const {
  WEFT_EXPECTS(row.valid() && row.value() < rows());
  if (row.value() < owned_rows()) return {body_->offsets.global(row), 0};
  return body_->ghosts[row.index() - owned_rows()];
}

Rank GhostPlan::owner(LocalRow row) const { return body_->offsets.find(global(row)).first; }

}  // namespace weft
