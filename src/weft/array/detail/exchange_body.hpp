#pragma once
/// The inside of an Exchange: who gets which rows, through which memory, in what order.
#include <cstddef>
#include <memory>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/array/detail/row_moves.hpp"
#include "weft/array/detail/tags.hpp"
#include "weft/comm/requests.hpp"

namespace weft {

/// States: idle -> start() -> flying -> complete() -> idle. Everything is allocated by the constructor.
///
/// A message is: field after field, row after row. It is sent from the array itself where it is one dense run of one field, else
/// from sent_ (packed by start()). It is received into the array itself where it is one dense run of one field and is to
/// replace what is there (a pull), else into receive_buffer_ (unpacked by complete(), in rank order).
struct Exchange::Body {
  /// @collective
  Body(GhostPlan plan, std::vector<PairRef> arrays, detail::Direction direction, Reduce op);
  ~Body();
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  void start(const After& after);
  void complete();
  [[nodiscard]] bool arrived();
  [[nodiscard]] bool flying() const { return flying_; }

 private:
  /// The traffic with one rank. For this rank itself, nothing is sent: what was packed is unpacked.
  struct Peer {
    detail::RowSet from, to;      // rows read here; rows written here
    std::byte* packed = nullptr;  // in sent_->buffer; null where sent from the array itself, or nothing is sent
    std::byte* received =
        nullptr;              // in receive_buffer_ (this rank itself: = packed); null where received in place, or nothing is
    PersistentMessages send;  // started once packed
    bool self = false;
  };

  [[nodiscard]] bool in_place(const detail::RowSet& rows) const;
  [[nodiscard]] std::size_t bytes(const detail::RowSet& rows) const;
  [[nodiscard]] IdRange<LocalRow> reads() const;
  [[nodiscard]] IdRange<LocalRow> writes() const;
  void pack(const Peer& peer) const;
  void unpack(const Peer& peer) const;
  void end_flights() noexcept;

  GhostPlan plan_;
  std::vector<PairRef> arrays_;
  detail::Direction direction_;
  Reduce op_;
  detail::Tag tag_;
  std::vector<detail::Field> fields_;
  /// What MPI may read after an exchange was abandoned; made at once, because then there is no time for allocation.
  struct Sent {
    std::vector<std::byte> buffer;
    Sent* next = nullptr;
  };
  std::unique_ptr<Sent> sent_ = std::make_unique<Sent>();
  std::vector<std::byte> receive_buffer_;
  std::vector<Peer> peers_;  // by rank
  PersistentMessages receives_;
  bool flying_ = false;
};

}  // namespace weft
