#include "weft/array/transport/host_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/array/transport/message_link.hpp"
#include "weft/array/transport/shared/shared_link.hpp"
#include "weft/array/transport/transport_setup.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::detail {
namespace {

/// Link for periodic images of this rank's own rows: unpacks the packed message.
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
    if (std::exchange(put_, true)) return true;
    const std::byte* at = message_.data();
    for (const Field& field : moved_->fields) at = moved_->put(field, to_, at);
    return true;
  }
  [[nodiscard]] bool sent() override { return true; }

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

/// Returns links through shared memory with those of `others` that can share memory with this rank, by rank; null for the
/// others. @collective
std::vector<std::unique_ptr<Link>> shared_links(const Communicator& comm, const std::shared_ptr<const LinkFields>& fields,
                                                const std::vector<Rows>& others) {
  SharedLink::Setup setup(fields);
  for (const Rows& other : others) setup.add(other.from, other.to);
  std::vector<Rank> ranks;
  std::vector<std::vector<SharedLink::Offer>> said;
  for (const SharedLink::Offer& offer : setup.offers()) said.push_back({offer});
  for (const Rows& other : others) ranks.push_back(other.rank);
  const std::vector<std::vector<SharedLink::Offer>> heard = comm.exchange(std::span<const Rank>(ranks), said);
  std::vector<std::vector<char>> reached;
  for (std::size_t i = 0; i < others.size(); ++i) reached.push_back({setup.map(i, heard[i].at(0)) ? '\1' : '\0'});
  const std::vector<std::vector<char>> reached_there = comm.exchange(std::span<const Rank>(ranks), reached);
  setup.close();
  std::vector<std::unique_ptr<Link>> links(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (reached[i].at(0) != 0 && reached_there[i].at(0) != 0) links[i] = setup.link(i);
  }
  return links;
}

}  // namespace

HostTransport::HostTransport(const GhostPlan& plan, std::vector<Field> fields, Direction direction, Reduce op, Transport wanted)
    : tag_(plan.comm()), links_(plan.comm(), direction != Direction::pull) {
  const Communicator& comm = plan.comm();
  const bool pulls = direction == Direction::pull;
  const auto moved = std::make_shared<const LinkFields>(LinkFields{.fields = std::move(fields), .op = op, .pulls = pulls});
  std::vector<Rows> all, others;
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    all.push_back({.rank = n.rank,
                   .from = pulls ? RowSet(n.send_rows) : RowSet(n.ghosts),
                   .to = pulls ? RowSet(n.ghosts) : RowSet(n.send_rows)});
    if (n.rank != comm.rank()) others.push_back(all.back());
  }
  std::vector<std::unique_ptr<Link>> shared(others.size());
  if (wanted != Transport::host) shared = shared_links(comm, moved, others);
  agreed(comm, [&] {
    for (std::size_t i = 0; wanted == Transport::shared && i < others.size(); ++i) {
      if (shared[i] == nullptr) {
        throw InputError(
            fmt::format("the transport \"{}\" cannot be used: ranks {} and {} share no memory because they are on different "
                        "machines or in different containers",
                        name_of(wanted), std::min(comm.rank(), others[i].rank).value(),
                        std::max(comm.rank(), others[i].rank).value()),
            fmt::format("use \"{}\", which uses MPI between them", name_of(Transport::automatic)));
      }
    }
  });
  auto next = shared.begin();
  for (const Rows& rows : all) {
    if (rows.rank == comm.rank()) {
      links_.add(rows.rank, std::make_unique<OwnLink>(moved, rows.from, rows.to));
    } else if (std::unique_ptr<Link>& link = *next++; link != nullptr) {
      shared_.push_back(rows.rank);
      links_.add(rows.rank, std::move(link));
    } else {
      links_.add(rows.rank, std::make_unique<MessageLink>(moved, comm, rows.rank, tag_.value(), rows.from, rows.to));
    }
  }
}

void HostTransport::start(const After& after) {
  after.wait();
  links_.start();
}

bool HostTransport::shares_memory_with(Rank rank) const { return std::binary_search(shared_.begin(), shared_.end(), rank); }

std::unique_ptr<TransportBody> make_host_transport(const TransportSetup& setup) {
  return std::make_unique<HostTransport>(setup.plan, setup.fields, setup.direction, setup.op, setup.transport);
}

}  // namespace weft::detail
