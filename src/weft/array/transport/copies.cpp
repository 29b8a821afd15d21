#include "weft/array/transport/copies.hpp"

#include <cstring>
#include <limits>

#include "weft/base/error.hpp"

namespace weft::detail {
namespace {

/// Returns the size of the largest words that divide all given numbers, from their lowest set bit.
std::size_t word_bytes_of(std::span<const ItemCopy> copies) {
  std::size_t bits = 16;
  for (const ItemCopy& copy : copies) {
    if (copy.count == 0 || copy.item_bytes == 0) continue;
    bits |= copy.item_bytes | reinterpret_cast<std::uintptr_t>(copy.from) | reinterpret_cast<std::uintptr_t>(copy.to);
    if (copy.count > 1) bits |= copy.from_stride | copy.to_stride;
  }
  const std::size_t lowest = bits & (~bits + 1);
  return lowest >= 4 ? lowest : 1;
}

template <class Word>
void copy_on_host(const CopyPart& part) {
  for (std::uint32_t word = 0; word < part.words; ++word) {
    const CopiedWord<Word> copied(part, word);
    *copied.to = *copied.from;
  }
}

}  // namespace

CopyList::CopyList(Backend backend, std::span<const ItemCopy> copies) : backend_(backend) {
  table_.word_bytes = static_cast<int>(word_bytes_of(copies));
  const std::size_t word = table_.word_bytes;
  std::vector<std::int32_t> items;
  std::vector<std::size_t> first_items;
  for (const ItemCopy& copy : copies) {
    if (copy.count == 0 || copy.item_bytes == 0) continue;
    const std::size_t words = copy.count * (copy.item_bytes / word);
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    if (words > kMost - kChunkWords || copy.from_stride > kMost || copy.to_stride > kMost) {
      throw LimitError("a message of an exchange has more than 2^32 words", "distribute the arrays over more ranks");
    }
    CopyPart part{.from = copy.from,
                  .to = copy.to,
                  .from_items = nullptr,
                  .to_items = nullptr,
                  .from_stride = static_cast<std::uint32_t>(copy.from_stride),
                  .to_stride = static_cast<std::uint32_t>(copy.to_stride),
                  .item_words = static_cast<std::uint32_t>(copy.item_bytes / word),
                  .words = static_cast<std::uint32_t>(words),
                  .first_chunk = table_.chunks,
                  .group = copy.group,
                  .dense = copy.to_items.empty() && copy.to_stride == copy.item_bytes};
    table_.chunks += (part.words + kChunkWords - 1) / kChunkWords;
    first_items.push_back(items.size());
    items.insert(items.end(), copy.from_items.begin(), copy.from_items.end());
    first_items.push_back(items.size());
    items.insert(items.end(), copy.to_items.begin(), copy.to_items.end());
    first_items.push_back(items.size());
    on_host_.push_back(part);
  }
  table_.count = static_cast<std::int32_t>(on_host_.size());
  if (on_host_.empty()) return;
  items_ = DeviceVector<std::int32_t>(backend, items);
  const std::int32_t* const device_items = items_.data();
  for (std::size_t i = 0; i < on_host_.size(); ++i) {
    if (first_items[3 * i] != first_items[3 * i + 1]) on_host_[i].from_items = device_items + first_items[3 * i];
    if (first_items[3 * i + 1] != first_items[3 * i + 2]) on_host_[i].to_items = device_items + first_items[3 * i + 1];
  }
  parts_ = DeviceVector<CopyPart>(backend, on_host_);
  table_.parts = parts_.data();
}

void CopyList::run(Stream& stream) const {
  if (empty()) return;
  if (backend_ != Backend::mirror) return launch_copies(stream, table_);
  for (const CopyPart& part : on_host_) {
    switch (table_.word_bytes) {
      case 16:
        copy_on_host<Word16>(part);
        break;
      case 8:
        copy_on_host<std::uint64_t>(part);
        break;
      case 4:
        copy_on_host<std::uint32_t>(part);
        break;
      default:
        copy_on_host<std::uint8_t>(part);
    }
  }
}

std::vector<std::uint32_t> CopyList::chunks_of_groups(std::size_t groups) const {
  std::vector<std::uint32_t> chunks(groups, 0);
  for (const CopyPart& part : on_host_) {
    if (part.group >= 0) chunks[part.group] += (part.words + kChunkWords - 1) / kChunkWords;
  }
  return chunks;
}

}  // namespace weft::detail
