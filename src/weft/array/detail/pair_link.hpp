#pragma once
/// What ties an exchange to the arrays attached to it.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/array/detail/row_moves.hpp"

namespace weft::detail {

/// The array of an ArrayPair, wherever the pair has moved; null once it is gone. Shared by the pair and the exchanges it is
/// attached to.
struct PairLink {
  void* array = nullptr;
  std::int64_t shape = 0;  ///< grows whenever the array is resized or replaced
};

/// Where an array's entries lie, and how many rows they are.
struct Footprint {
  const void* data = nullptr;
  std::int64_t rows = 0;
};

/// Reaches an array's memory without asking which side is fresh, and says which side an exchange has changed.
struct ArrayAccess {
  /// The host side's entries, stale or not; null where there are none.
  template <class A>
  [[nodiscard]] static auto* address(A& array) {
    using T = typename A::value_type;
    return const_cast<T*>(std::as_const(array.entries_).read(Side::host, 0, 0).data());
  }
  template <class A>
  [[nodiscard]] static const void* row_table(const A& array) {
    if constexpr (A::kKind == RowKind::csr) {
      return array.offsets_.read(Side::host, 0, 0).data();
    } else {
      return array.row_sizes_.read(Side::host, 0, 0).data();
    }
  }
  /// f(vector, first, count) for each piece of memory that holds these rows.
  template <class A, class F>
  static void for_each_piece(A& array, IdRange<LocalRow> rows, const F& f) {
    if constexpr (A::kKind == RowKind::csr) {
      const auto offsets = std::as_const(array).offsets();
      const auto first = static_cast<std::size_t>(offsets[rows.first().index()]);
      f(array.entries_, first, static_cast<std::size_t>(offsets[rows.last().index()]) - first);
    } else {
      array.for_each_piece(rows, f);
    }
  }
};

template <class A>
[[nodiscard]] Footprint footprint(const A& array) {
  return {.data = ArrayAccess::address(array), .rows = array.rows()};
}

/// How an exchange gets at the rows of an array that has a device side: messages are made on the host side, and a side that was
/// in use stays fresh. Both are cheap where the array has no device side.
struct Staging {
  /// Brings `reads` that are stale on the host side there. Returns whether the device side is in use: some of `reads` were fresh
  /// there only, or all of `writes` are fresh there.
  bool (*to_host)(void* array, const After& before, IdRange<LocalRow> reads, IdRange<LocalRow> writes) = nullptr;
  /// These rows were written on the host side. If `back`, copies them to the device side.
  void (*written)(void* array, IdRange<LocalRow> rows, bool back) = nullptr;
};

template <class A>
bool stage_to_host(void* untyped, const After& before, IdRange<LocalRow> reads, IdRange<LocalRow> writes) {
  A& array = *static_cast<A*>(untyped);
  if (array.backend() == Backend::host) return false;
  bool device_fresh = true, staged = false;
  ArrayAccess::for_each_piece(array, writes, [&](auto& vector, std::size_t first, std::size_t count) {
    device_fresh = device_fresh && vector.fresh(Side::device, first, count);
  });
  ArrayAccess::for_each_piece(array, reads, [&](auto& vector, std::size_t first, std::size_t count) {
    if (vector.fresh(Side::host, first, count)) return;
    vector.to_host(before, first, count).wait();
    staged = true;
  });
  return device_fresh || staged;
}

template <class A>
void mark_written(void* untyped, IdRange<LocalRow> rows, bool back) {
  A& array = *static_cast<A*>(untyped);
  if (array.backend() == Backend::host) return;
  ArrayAccess::for_each_piece(array, rows, [&](auto& vector, std::size_t first, std::size_t count) {
    (void)vector.write(Side::host, first, count);
    if (back) vector.to_device(After(), first, count).wait();
  });
}

/// The parts of an array that travel.
template <class T, int RowSize, int RowMax, int RowAlign>
[[nodiscard]] std::vector<Field> fields(Array<T, RowSize, RowMax, RowAlign>& array) {
  using A = Array<T, RowSize, RowMax, RowAlign>;
  auto* const base = reinterpret_cast<std::byte*>(ArrayAccess::address(array));
  const Field field{.base = base, .row_bytes = sizeof(T), .row_stride = sizeof(T), .reducers = &kReducers<T>};
  std::vector<Field> list;
  if constexpr (A::kKind == RowKind::csr) {
    list.push_back(field);
    list.back().row_stride = 0;
    list.back().offsets = std::as_const(array).offsets().data();
  } else {
    if (array.layout() == Layout::soa) {
      const std::size_t column = sizeof(T) * static_cast<std::size_t>(array.rows());
      for (int k = 0; k < array.width(); ++k) {
        list.push_back(field);
        list.back().base = base + static_cast<std::size_t>(k) * column;
      }
    } else {
      list.push_back(field);
      list.back().row_bytes = sizeof(T) * static_cast<std::size_t>(array.width());
      list.back().row_stride = sizeof(T) * array.stride();
    }
    if constexpr (A::kPadded) {
      auto* const sizes = static_cast<std::byte*>(const_cast<void*>(ArrayAccess::row_table(array)));
      list.push_back({.base = sizes, .row_bytes = sizeof(std::int32_t), .row_stride = sizeof(std::int32_t)});
    }
  }
  return list;
}

}  // namespace weft::detail
