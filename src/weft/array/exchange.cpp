#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "weft/array/array_transformer.hpp"
#include "weft/array/detail/exchange_body.hpp"
#include "weft/array/detail/flights.hpp"
#include "weft/base/error.hpp"

namespace weft {

Exchange::Body::Body(GhostPlan plan, std::vector<PairRef> arrays, detail::Direction direction, Reduce op)
    : plan_(std::move(plan)),
      arrays_(std::move(arrays)),
      direction_(direction),
      op_(op),
      tag_(plan_.comm()),
      receives_(plan_.comm()) {
  for (const PairRef& array : arrays_) {
    for (const detail::Field& field : array.fields_) {
      if (op_ == Reduce::insert || field.reducers != nullptr) fields_.push_back(field);
    }
  }
  const Communicator& comm = plan_.comm();
  const auto neighbours = plan_.neighbours();
  const bool pulls = direction_ == detail::Direction::pull;
  std::vector<std::size_t> sends, receives;
  std::size_t packed = 0, unpacked = 0;
  for (const GhostPlan::Neighbour& n : neighbours) {
    Peer peer;
    peer.from = pulls ? detail::RowSet(n.send_rows) : detail::RowSet(n.ghosts);
    peer.to = pulls ? detail::RowSet(n.ghosts) : detail::RowSet(n.send_rows);
    peer.self = n.rank == comm.rank();
    sends.push_back(bytes(peer.from));
    receives.push_back(peer.self ? 0 : bytes(peer.to));
    if (peer.self || !in_place(peer.from)) packed += sends.back();
    if (!pulls || !in_place(peer.to)) unpacked += receives.back();
    peers_.push_back(std::move(peer));
  }
  sent_->buffer.resize(packed);
  receive_buffer_.resize(unpacked);

  std::byte* pack_at = sent_->buffer.data();
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

Exchange::Body::~Body() {
  if (!flying_) return;
  // Receives are cancelled; a neighbour may still take what we sent. So what it reads stays, and no later exchange uses our tag.
  static Sent* abandoned = nullptr;
  sent_->next = std::exchange(abandoned, sent_.get());
  (void)sent_.release();
  tag_.keep();
  for (const PairRef& array : arrays_) detail::abandon_flight(array.footprint_.data);
}

bool Exchange::Body::in_place(const detail::RowSet& rows) const {
  return fields_.size() == 1 && fields_.front().dense() && rows.is_run();
}

std::size_t Exchange::Body::bytes(const detail::RowSet& rows) const {
  std::size_t sum = 0;
  for (const detail::Field& field : fields_) sum += message_bytes(field, rows);
  return sum;
}

void Exchange::Body::start(const After& after) {
  if (flying_) throw ContractError("an exchange is started twice", "finish() or wait() for it first");
  for (const PairRef& array : arrays_) array.expect_unchanged();
  std::size_t begun = 0;
  try {
    for (; begun < arrays_.size(); ++begun) detail::begin_flight(arrays_[begun].footprint_.data);
    after.wait();
    for (PairRef& array : arrays_) {
      array.on_device_ = array.link_ && array.staging_.to_host(array.link_->array, after, reads(), writes());
    }
  } catch (...) {
    while (begun > 0) detail::end_flight(arrays_[--begun].footprint_.data);
    throw;
  }
  flying_ = true;
  receives_.start();
  for (Peer& peer : peers_) {
    if (peer.packed != nullptr) pack(peer);
    if (!peer.self) peer.send.start();
  }
}

bool Exchange::Body::arrived() {
  if (!flying_) throw ContractError("an exchange that was not started is asked whether it arrived", "start() it first");
  bool all = receives_.test();
  for (Peer& peer : peers_) all = peer.send.test() && all;
  return all;
}

void Exchange::Body::complete() {
  if (!flying_) throw ContractError("an exchange that was not started is finished", "start() it first");
  receives_.wait();
  for (Peer& peer : peers_) {
    if (peer.received != nullptr) unpack(peer);
  }
  for (Peer& peer : peers_) peer.send.wait();
  for (const PairRef& array : arrays_) {
    if (array.link_ && array.link_->array != nullptr) array.staging_.written(array.link_->array, writes(), array.on_device_);
  }
  end_flights();
}

IdRange<LocalRow> Exchange::Body::reads() const {
  const bool pulls = direction_ == detail::Direction::pull;
  return {LocalRow(0), LocalRow(pulls ? plan_.owned_rows() : plan_.rows())};
}

IdRange<LocalRow> Exchange::Body::writes() const {
  const bool pulls = direction_ == detail::Direction::pull;
  return {LocalRow(pulls ? plan_.owned_rows() : 0), LocalRow(pulls ? plan_.rows() : plan_.owned_rows())};
}

void Exchange::Body::end_flights() noexcept {
  flying_ = false;
  for (const PairRef& array : arrays_) detail::end_flight(array.footprint_.data);
}

void Exchange::Body::pack(const Peer& peer) const {
  std::byte* message = peer.packed;
  for (const detail::Field& field : fields_) message = gather_rows(field, peer.from, message);
}

void Exchange::Body::unpack(const Peer& peer) const {
  const std::byte* message = peer.received;
  for (const detail::Field& field : fields_) {
    message = op_ == Reduce::insert ? scatter_rows(field, peer.to, message) : field.reducers->get(op_)(field, peer.to, message);
  }
}

Exchange::Exchange(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;
Exchange::~Exchange() = default;

Exchange::Body& Exchange::body() {
  if (body_ == nullptr) throw ContractError("a moved-from exchange is used");
  return *body_;
}

void Exchange::start(const After& after) { body().start(after); }

void Exchange::finish(Stream& stream) {
  body().complete();
  stream.wait_for(after(host_stream()));
}

void Exchange::wait() { body().complete(); }

void Exchange::run() {
  start(after(host_stream()));
  wait();
}

bool Exchange::in_flight() const { return body_ != nullptr && body_->flying(); }
bool Exchange::arrived() { return body().arrived(); }

}  // namespace weft
