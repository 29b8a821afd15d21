#pragma once
/// Reduction of received ghost rows into owned rows.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/array/reduce.hpp"
#include "weft/base/macros.hpp"
#include "weft/device/device_vector.hpp"

namespace weft::detail {

/// Reduction of all messages into one field of one array. Addresses are device addresses.
struct Combination {
  std::byte* to = nullptr;
  std::size_t to_stride = 0, item_bytes = 0;
  Reduce op = Reduce::insert;
  Element element = Element::other;  ///< Reduce::insert copies elements of any type
  /// Item `item` is combined with the data at `messages + offset`; the sources of one item are applied in the order of the
  /// list.
  struct Source {
    std::int32_t item;
    std::size_t offset;
  };
  std::vector<Source> sources;
};

/// A Combination as passed to kernels.
struct CombinePart {
  std::byte* to;
  const std::byte* messages;
  const std::int32_t* items;            ///< the items with sources
  const std::int32_t* first_source;     ///< first source of each item, and the end
  const std::uint64_t* source_offsets;  ///< bytes from `messages`
  std::uint64_t to_stride;
  std::uint32_t item_entries, entries;  ///< entries of one item; of all items
};

template <class T, class Op>
struct CombineEntries {
  CombinePart part;
  WEFT_HD void operator()(std::uint32_t i) const {
    const std::uint32_t which = i / part.item_entries, at = i % part.item_entries;
    T* const entry = reinterpret_cast<T*>(part.to + static_cast<std::uint64_t>(part.items[which]) * part.to_stride) + at;
    T value = *entry;
    for (std::int32_t s = part.first_source[which]; s < part.first_source[which + 1]; ++s) {
      value = Op{}(value, reinterpret_cast<const T*>(part.messages + part.source_offsets[s])[at]);
    }
    *entry = value;
  }
};

/// Calls f with the functor of the loop for this element type and operation.
template <class F>
void with_combination(const CombinePart& part, Element element, Reduce op, const F& f) {
  const auto of_type = [&]<class T>(T) {
    if (op == Reduce::insert) return f(CombineEntries<T, TakeLast<T>>{part});
    if (op == Reduce::add) return f(CombineEntries<T, AddInto<T>>{part});
    if (op == Reduce::min) return f(CombineEntries<T, TakeMin<T>>{part});
    return f(CombineEntries<T, TakeMax<T>>{part});
  };
  switch (element) {
    case Element::f32:
      return of_type(float{});
    case Element::f64:
      return of_type(double{});
    case Element::i32:
      return of_type(std::int32_t{});
    case Element::i64:
      return of_type(std::int64_t{});
    case Element::other:
      return f(CombineEntries<std::uint8_t, TakeLast<std::uint8_t>>{part});
  }
}

/// Repeatable combinations in a fixed order that does not depend on the order of arrival.
class CombineList {
 public:
  CombineList() = default;
  /// @param messages  device or pinned memory.  @pre op is insert if element is `other`.
  /// @throws LimitError for more than 2^32 entries; DeviceError.
  CombineList(Backend backend, const std::byte* messages, std::span<const Combination> combinations);
  /// Enqueues the combinations in `stream`.
  void run(Stream& stream) const;

 private:
  struct Part {
    CombinePart part;
    Element element;
    Reduce op;
    DeviceVector<std::int32_t> items, first_source;
    DeviceVector<std::uint64_t> source_offsets;
  };
  Backend backend_ = Backend::mirror;
  std::vector<Part> parts_;
};

/// Launches the kernel of one part.
void launch_combine(Stream& stream, const CombinePart& part, Element element, Reduce op);

}  // namespace weft::detail
