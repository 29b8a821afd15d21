#pragma once
/// Rows of arrays on a device as one message per neighbour.
#include <cstddef>
#include <memory>
#include <vector>

#include "weft/array/ghost_plan.hpp"
#include "weft/array/row_packing.hpp"
#include "weft/array/transport/combine.hpp"
#include "weft/array/transport/copies.hpp"
#include "weft/array/transport/transport.hpp"
#include "weft/device/buffers.hpp"

namespace weft::detail {

/// A field's part of a message begins at a multiple of this.
inline constexpr std::size_t kSectionAlignment = 16;
[[nodiscard]] std::size_t section_bytes(const Field& field, const RowSet& rows);
/// Of a message: field after field.
[[nodiscard]] std::size_t packed_bytes(const std::vector<Field>& fields, const RowSet& rows);

/// One side of copies of `rows` of `field`: sets address, stride, list, size and number of items.
void copies_from(const Field& field, const RowSet& rows, ItemCopy& copy);
void copies_to(const Field& field, const RowSet& rows, ItemCopy& copy);
/// The other side: items one after the other.
void copies_from(const std::byte* message, ItemCopy& copy);
void copies_to(std::byte* message, ItemCopy& copy);

/// A message that has arrived, and the rows that it is for.
struct PushedMessage {
  std::size_t offset;  ///< in the buffer of all messages
  RowSet rows;
};
/// Combines what all of them bring, in their order.
[[nodiscard]] CombineList make_combine_list(Backend backend, const std::vector<Field>& fields, Reduce op,
                                            const std::byte* messages, const std::vector<PushedMessage>& arrivals);

/// Messages in buffers of their own.
class PackedMessages {
 public:
  struct Message {
    Rank rank;
    std::byte* data;
    std::size_t bytes;
  };
  /// @param through_host  buffers are page-locked memory of the host; else they are on the device, and rows of a pull that are
  /// one dense run of one field are received in place, unless they are many and begin where that takes longer.
  PackedMessages(const GhostPlan& plan, Backend backend, const std::vector<Field>& fields, Direction direction, Reduce op,
                 bool through_host);

  [[nodiscard]] const std::vector<Message>& sends() const { return sends_; }
  [[nodiscard]] const std::vector<Message>& receives() const { return receives_; }
  /// Rows into messages; copies of this rank's own rows (periodic images) go straight to their place, or into their message.
  void pack(Stream& stream) const { pack_.run(stream); }
  /// Messages into rows.
  void unpack(Stream& stream) const {
    unpack_.run(stream);
    combine_.run(stream);
  }

 private:
  PinnedBuffer<std::byte> pinned_;
  std::unique_ptr<DeviceStorage> on_device_;
  std::vector<Message> sends_, receives_;
  CopyList pack_, unpack_;
  CombineList combine_;
};

}  // namespace weft::detail
