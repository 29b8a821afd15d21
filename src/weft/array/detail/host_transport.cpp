#include "weft/array/detail/host_transport.hpp"

#include <utility>

namespace weft::detail {

HostTransport::HostTransport(const GhostPlan& plan, std::vector<Field> fields, Direction direction, Reduce op)
    : fields_(std::move(fields)), op_(op), tag_(plan.comm()), receives_(plan.comm()) {
  const Communicator& comm = plan.comm();
  const auto neighbours = plan.neighbours();
  const bool pulls = direction == Direction::pull;
  std::vector<std::size_t> sends, receives;
  std::size_t packed = 0, unpacked = 0;
  for (const GhostPlan::Neighbour& n : neighbours) {
    Peer peer;
    peer.from = pulls ? RowSet(n.send_rows) : RowSet(n.ghosts);
    peer.to = pulls ? RowSet(n.ghosts) : RowSet(n.send_rows);
    peer.self = n.rank == comm.rank();
    sends.push_back(bytes(peer.from));
    receives.push_back(peer.self ? 0 : bytes(peer.to));
    if (peer.self || !in_place(peer.from)) packed += sends.back();
    if (!pulls || !in_place(peer.to)) unpacked += receives.back();
    peers_.push_back(std::move(peer));
  }
  send_buffer_.resize(packed);
  receive_buffer_.resize(unpacked);

  std::byte* pack_at = send_buffer_.data();
  std::byte* unpack_at = receive_buffer_.data();
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    Peer& peer = peers_[i];
    const Rank rank = neighbours[i].rank;
    if (peer.self) {
      peer.packed = peer.received = pack_at;
      pack_at += sends[i];
      continue;
    }
    peer.send = PersistentMessages(comm);
    if (sends[i] > 0) {
      const std::byte* from = nullptr;
      if (in_place(peer.from)) {
        from = fields_.front().row(peer.from.first);
      } else {
        from = peer.packed = pack_at;
        pack_at += sends[i];
      }
      peer.send.add_send(rank, tag_.value(), {from, sends[i]});
    }
    if (receives[i] > 0) {
      std::byte* to = nullptr;
      if (pulls && in_place(peer.to)) {
        to = fields_.front().row(peer.to.first);
      } else {
        to = peer.received = unpack_at;
        unpack_at += receives[i];
      }
      receives_.add_receive(rank, tag_.value(), {to, receives[i]});
    }
  }
}

bool HostTransport::in_place(const RowSet& rows) const { return fields_.size() == 1 && fields_.front().dense() && rows.is_run(); }

std::size_t HostTransport::bytes(const RowSet& rows) const {
  std::size_t sum = 0;
  for (const Field& field : fields_) sum += message_bytes(field, rows);
  return sum;
}

void HostTransport::start(const After& after) {
  after.wait();
  receives_.start();
  for (Peer& peer : peers_) {
    if (peer.packed != nullptr) pack(peer);
    if (!peer.self) peer.send.start();
  }
}

bool HostTransport::arrived() {
  bool all = receives_.test();
  for (Peer& peer : peers_) all = peer.send.test() && all;
  return all;
}

void HostTransport::finish(Stream& /*stream*/) {
  receives_.wait();
  for (Peer& peer : peers_) {
    if (peer.received != nullptr) unpack(peer);
  }
  for (Peer& peer : peers_) peer.send.wait();
}

void HostTransport::abandon() noexcept {
  receives_ = {};
  for (Peer& peer : peers_) peer.send = {};
}

void HostTransport::pack(const Peer& peer) const {
  std::byte* message = peer.packed;
  for (const Field& field : fields_) message = gather_rows(field, peer.from, message);
}

void HostTransport::unpack(const Peer& peer) const {
  const std::byte* message = peer.received;
  for (const Field& field : fields_) {
    message = op_ == Reduce::insert ? scatter_rows(field, peer.to, message) : field.reducers->get(op_)(field, peer.to, message);
  }
}

}  // namespace weft::detail
