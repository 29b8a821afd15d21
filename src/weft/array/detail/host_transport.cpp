#include "weft/array/detail/host_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/array/detail/message_link.hpp"
#include "weft/array/detail/shared_link.hpp"
#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::detail {
namespace {

/// Periodic images of this rank's own rows: what was packed is unpacked.
class OwnLink final : public Link {
 public:
  OwnLink(std::shared_ptr<const LinkFields> fields, const RowSet& from, const RowSet& to)
      : moved_(std::move(fields)), from_(from), to_(to), message_(moved_->bytes(from)) {}

  void send(bool /*may_put*/) override {
    std::byte* at = message_.data();
    for (const Field& field : moved_->fields) at = gather_rows(field, from_, at);
    put_ = false;
  }
  [[nodiscard]] bool receive() override {
    wait_received();
    return true;
  }
  void wait_received() override {
    if (std::exchange(put_, true)) return;
    const std::byte* at = message_.data();
    for (const Field& field : moved_->fields) at = moved_->put(field, to_, at);
  }
  [[nodiscard]] bool sent() override { return true; }
  void wait_sent() override {}

 private:
  std::shared_ptr<const LinkFields> moved_;
  RowSet from_, to_;
  std::vector<std::byte> message_;
  bool put_ = true;
};

struct Rows {
  Rank rank;
  RowSet from, to;
};

/// Links through shared memory with those of `others` that have any with this rank, by rank; null for the rest. @collective
std::vector<std::unique_ptr<Link>> shared_links(const Communicator& comm, const std::shared_ptr<const LinkFields>& fields,
                                                const std::vector<Rows>& others) {
  SharedLink::Shore shore(fields, comm);
  for (const Rows& other : others) shore.add(other.from, other.to);
  const std::vector<SharedLink::Offer> offers = shore.offers();
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::vector<SharedLink::Offer>> said(ranks);
  for (std::size_t i = 0; i < others.size(); ++i) said[others[i].rank.index()].push_back(offers[i]);
  const std::vector<std::vector<SharedLink::Offer>> heard = comm.all_to_all(said);
  std::vector<std::vector<char>> reached(ranks);
  for (std::size_t i = 0; i < others.size(); ++i) {
    const std::size_t rank = others[i].rank.index();
    reached[rank].push_back(shore.map(i, heard[rank].at(0)) ? 1 : 0);
  }
  const std::vector<std::vector<char>> reached_there = comm.all_to_all(reached);
  shore.close();
  std::vector<std::unique_ptr<Link>> links(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    const std::size_t rank = others[i].rank.index();
    if (reached[rank].at(0) != 0 && reached_there[rank].at(0) != 0) links[i] = shore.link(i);
  }
  return links;
}

}  // namespace

HostTransport::HostTransport(const GhostPlan& plan, std::vector<Field> fields, Direction direction, Reduce op, Transport wanted)
    : tag_(plan.comm()), pulls_(direction == Direction::pull) {
  const Communicator& comm = plan.comm();
  const auto moved = std::make_shared<const LinkFields>(LinkFields{.fields = std::move(fields), .op = op, .pulls = pulls_});
  std::vector<Rows> all, others;
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    all.push_back({.rank = n.rank,
                   .from = pulls_ ? RowSet(n.send_rows) : RowSet(n.ghosts),
                   .to = pulls_ ? RowSet(n.ghosts) : RowSet(n.send_rows)});
    if (n.rank != comm.rank()) others.push_back(all.back());
  }
  std::vector<std::unique_ptr<Link>> shared(others.size());
  if (wanted != Transport::host) shared = shared_links(comm, moved, others);
  agreed(comm, [&] {
    for (std::size_t i = 0; wanted == Transport::shared && i < others.size(); ++i) {
      if (shared[i] == nullptr) {
        throw InputError(
            fmt::format("messages cannot travel by \"shared\": ranks {} and {} share no memory, being on different "
                        "machines or in different containers",
                        std::min(comm.rank(), others[i].rank).value(), std::max(comm.rank(), others[i].rank).value()),
            "use \"automatic\", which takes MPI between them");
      }
    }
  });
  auto next = shared.begin();
  for (const Rows& rows : all) {
    ranks_.push_back(rows.rank);
    const bool own = rows.rank == comm.rank();
    shared_.push_back(!own && *next != nullptr);
    if (own) {
      links_.push_back(std::make_unique<OwnLink>(moved, rows.from, rows.to));
    } else if (std::unique_ptr<Link>& link = *next++; link != nullptr) {
      links_.push_back(std::move(link));
    } else {
      links_.push_back(std::make_unique<MessageLink>(moved, comm, rows.rank, tag_.value(), rows.from, rows.to));
    }
  }
}

void HostTransport::start(const After& after) {
  after.wait();
  for (const auto& link : links_) link->expect();
  for (const auto& link : links_) link->send(pulls_ || link == links_.front());
}

bool HostTransport::arrived() {
  bool all = true;
  for (const auto& link : links_) {
    if (!all && !pulls_) break;
    all = link->receive() && all;
  }
  for (const auto& link : links_) all = link->sent() && all;
  return all;
}

void HostTransport::finish(Stream& /*stream*/) {
  const auto for_each = [this](void (Link::*wait)()) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const Waiting waiting("ghost rows", ranks_[i].value());
      ((*links_[i]).*wait)();
    }
  };
  for_each(&Link::wait_received);
  for_each(&Link::wait_sent);
}

void HostTransport::abandon() noexcept {
  for (const auto& link : links_) link->abandon();
}

bool HostTransport::shares_memory_with(Rank rank) const {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i] == rank) return shared_[i];
  }
  return false;
}

}  // namespace weft::detail
