#pragma once
/// MPI messages from and to memory of the host.
#include <cstddef>
#include <vector>

#include "weft/array/detail/row_moves.hpp"
#include "weft/array/detail/tags.hpp"
#include "weft/array/detail/transport.hpp"
#include "weft/array/ghost_plan.hpp"
#include "weft/comm/requests.hpp"

namespace weft::detail {

/// A message is: field after field, row after row. It is sent from the array itself where it is one dense run of one field, else
/// from send_buffer_ (packed by start()). It is received into the array itself where it is one dense run of one field and is to
/// replace what is there (a pull), else into receive_buffer_ (unpacked by finish(), in rank order).
class HostTransport final : public TransportBody {
 public:
  /// @collective
  HostTransport(const GhostPlan& plan, std::vector<Field> fields, Direction direction, Reduce op);

  void start(const After& after) override;
  void finish(Stream& stream) override;
  [[nodiscard]] bool arrived() override;
  void abandon() noexcept override;

 private:
  /// The traffic with one rank. For this rank itself, nothing is sent: what was packed is unpacked.
  struct Peer {
    RowSet from, to;              // rows read here; rows written here
    std::byte* packed = nullptr;  // in send_buffer_; null where sent from the array itself, or nothing is sent
    std::byte* received =
        nullptr;              // in receive_buffer_ (this rank itself: = packed); null where received in place, or nothing is
    PersistentMessages send;  // started once packed
    bool self = false;
  };

  [[nodiscard]] bool in_place(const RowSet& rows) const;
  [[nodiscard]] std::size_t bytes(const RowSet& rows) const;
  void pack(const Peer& peer) const;
  void unpack(const Peer& peer) const;

  std::vector<Field> fields_;
  Reduce op_;
  Tag tag_;
  std::vector<std::byte> send_buffer_, receive_buffer_;
  std::vector<Peer> peers_;  // by rank
  PersistentMessages receives_;
};

}  // namespace weft::detail
