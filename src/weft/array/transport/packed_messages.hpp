#pragma once
/// Packing of rows of device arrays into one message per neighbour.
#include <cstddef>
#include <memory>
#include <vector>

#include "weft/array/ghost_plan.hpp"
#include "weft/array/row_packing.hpp"
#include "weft/array/transport/combine.hpp"
#include "weft/array/transport/copies.hpp"
#include "weft/array/transport/transport.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/device_vector.hpp"

namespace weft::detail {

/// Alignment of each field within a message, in bytes.
inline constexpr std::size_t kSectionAlignment = 16;
[[nodiscard]] std::size_t section_bytes(const Field& field, const RowSet& rows);
/// Returns the size of a message, field after field.
[[nodiscard]] std::size_t packed_bytes(const std::vector<Field>& fields, const RowSet& rows);

/// Sets one side of a copy of `rows` of `field`: address, stride, list, size and number of items.
void copies_from(const Field& field, const RowSet& rows, ItemCopy& copy);
void copies_to(const Field& field, const RowSet& rows, ItemCopy& copy);
/// Sets the other side: contiguous items in a message.
void copies_from(const std::byte* message, ItemCopy& copy);
void copies_to(std::byte* message, ItemCopy& copy);

/// A received message and the rows to be combined with it.
struct PushedMessage {
  std::size_t offset;  ///< within the buffer of all messages
  RowSet rows;
};
/// Returns the combinations of all messages with their rows, in the order of the messages.
/// @throws LimitError for an entry of a CSR array beyond the range of a 32-bit number.
[[nodiscard]] CombineList make_combine_list(Backend backend, const std::vector<Field>& fields, Reduce op,
                                            const std::byte* messages, const std::vector<PushedMessage>& arrivals);

/// Messages in separate buffers.
class PackedMessages {
 public:
  struct Message {
    Rank rank;
    std::byte* data;
    std::size_t bytes;
  };
  /// @param through_host  true: buffers are pinned host memory. false: buffers are device memory, and contiguous rows of a
  /// single field of a pull are received in place, unless that takes longer because of size and alignment, or the rows are in
  /// managed or mapped memory, which libraries treat as memory of the host or migrate.
  PackedMessages(const GhostPlan& plan, Backend backend, const std::vector<Field>& fields, Direction direction, Reduce op,
                 bool through_host);

  [[nodiscard]] const std::vector<Message>& sends() const { return sends_; }
  [[nodiscard]] const std::vector<Message>& receives() const { return receives_; }
  /// Copies rows to messages; copies between this rank's own rows (periodic images) go directly to their destination or into
  /// their message.
  void pack(Stream& stream) const { pack_.run(stream); }
  /// Copies or combines messages into rows.
  void unpack(Stream& stream) const {
    unpack_.run(stream);
    combine_.run(stream);
  }

 private:
  PinnedBuffer<std::byte> pinned_;
  DeviceVector<std::byte> on_device_;
  std::vector<Message> sends_, receives_;
  CopyList pack_, unpack_;
  CombineList combine_;
};

}  // namespace weft::detail
