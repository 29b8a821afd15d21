#pragma once
/// Batched copies of rows in device memory: one kernel for any number of neighbours and arrays.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/macros.hpp"
#include "weft/device/device_vector.hpp"

namespace weft::detail {

/// `count` items of `item_bytes` each. Item i is read at `from + from_items[i] * from_stride` (or i * from_stride without a
/// list) and written at the corresponding position of `to`. Addresses are device addresses.
struct ItemCopy {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::vector<std::int32_t> from_items, to_items;
  std::size_t from_stride = 0, to_stride = 0, item_bytes = 0, count = 0;
  int group = -1;  ///< caller's number of the group; copies of one group are consecutive
};

/// An ItemCopy as passed to kernels. Words are the largest units, 1, 4, 8 or 16 bytes, that divide all addresses, strides and
/// sizes of a list.
struct CopyPart {
  const std::byte* from;
  std::byte* to;
  const std::int32_t *from_items, *to_items;  ///< null: 0, 1, 2, ...
  std::uint32_t from_stride, to_stride;       ///< bytes
  std::uint32_t item_words, words, first_chunk;
  std::int32_t group;
  bool dense;  ///< items are contiguous at the destination
};

/// Number of words that a thread block copies at a time.
inline constexpr std::uint32_t kChunkWords = 1024;

struct CopyTable {
  const CopyPart* parts;
  std::int32_t count;
  std::uint32_t chunks;
  int word_bytes;
};

template <class Word>
struct CopiedWord {
  const Word* from;
  Word* to;
  WEFT_HD CopiedWord(const CopyPart& p, std::uint32_t word) {
    const std::uint32_t item = word / p.item_words, at = word % p.item_words;
    const std::size_t from_item = p.from_items == nullptr ? item : p.from_items[item];
    const std::size_t to_item = p.to_items == nullptr ? item : p.to_items[item];
    from = reinterpret_cast<const Word*>(p.from + from_item * p.from_stride) + at;
    to = reinterpret_cast<Word*>(p.to + to_item * p.to_stride) + at;
  }
};
struct alignas(16) Word16 {
  std::uint64_t low, high;
};

/// Repeatable copies. Empty copies are omitted.
class CopyList {
 public:
  CopyList() = default;
  /// @param backend  mirror or cuda.  @throws LimitError for more than 2^32 words in one copy; DeviceError.
  CopyList(Backend backend, std::span<const ItemCopy> copies);

  /// Enqueues the copies in `stream`.
  void run(Stream& stream) const;
  [[nodiscard]] bool empty() const { return table_.count == 0; }
  [[nodiscard]] const CopyTable& table() const { return table_; }
  [[nodiscard]] std::span<const CopyPart> parts() const { return on_host_; }
  /// Returns the number of chunks of each group 0 ... groups - 1.
  [[nodiscard]] std::vector<std::uint32_t> chunks_of_groups(std::size_t groups) const;

 private:
  Backend backend_ = Backend::mirror;
  DeviceVector<CopyPart> parts_;
  DeviceVector<std::int32_t> items_;
  std::vector<CopyPart> on_host_;  ///< the lists' addresses are of the device
  CopyTable table_{};
};

/// Launches the kernel. @pre chunks > 0
void launch_copies(Stream& stream, const CopyTable& table);

}  // namespace weft::detail
