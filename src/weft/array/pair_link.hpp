#pragma once
/// The connection between an exchange and the arrays attached to it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/array/row_packing.hpp"

namespace weft::detail {

/// Refers to the array of an ArrayPair, also after the pair has been moved; null after its destruction. Shared by the pair
/// and its exchanges; it identifies the pair, whatever side its memory is on. See pending_exchanges.hpp.
struct PairLink {
  void* array = nullptr;
  std::int64_t shape = 0;                    ///< incremented whenever the array is resized or replaced
  bool pending = false;                      ///< in an exchange in flight
  bool abandoned = false;                    ///< was in an exchange that was destroyed in flight
  bool exposed = false;                      ///< such an exchange may access the present memory of the array
  std::shared_ptr<void> retained = nullptr;  ///< memory of a destroyed pair, and replaced memory, that an exchange may access
  std::shared_ptr<PairLink> next_abandoned = nullptr;
};

/// Accesses the memory of an array without checks of freshness, and records which side an exchange has changed.
struct ArrayAccess {
  /// Returns true if the entries have memory on this side, or need none.
  template <class A>
  [[nodiscard]] static bool allocated(const A& array, Side side) {
    return array.entries_.allocated(side);
  }
  /// Returns true if a side of the entries is memory of others.
  template <class A>
  [[nodiscard]] static bool borrowed(const A& array) {
    return array.entries_.borrowed();
  }
  /// Returns the name of the array in error messages.
  template <class A>
  [[nodiscard]] static const std::string& name(const A& array) {
    return array.entries_.name();
  }
  /// Returns one side of the entries or row sizes of an array; creates a missing device side.
  template <class V>
  [[nodiscard]] static std::byte* bytes(V& vector, Side side) {
    return reinterpret_cast<std::byte*>(side == Side::device
                                            ? vector.write(side, 0, 0).data()
                                            : const_cast<typename V::value_type*>(std::as_const(vector).read(side, 0, 0).data()));
  }
  template <class A>
  [[nodiscard]] static std::byte* entries(A& array, Side side) {
    return bytes(array.entries_, side);
  }
  template <class A>
  [[nodiscard]] static std::byte* row_sizes(A& array, Side side) {
    return bytes(array.row_sizes_, side);
  }
  /// Returns true if other processes can map the device side as far as the array is concerned: it is not memory of others.
  template <class A>
  [[nodiscard]] static bool mappable(const A& array) {
    return !array.entries_.borrowed_device();
  }
  /// Returns the offsets of a CSR array on one side. @throws DeviceError if they are stale there.
  template <class A>
  [[nodiscard]] static const std::int64_t* offsets(const A& array, Side side) {
    return array.offsets_.read(side).data();
  }
  /// Checks the host side. @throws ContractError if it is memory of others whose registration has ended.
  template <class A>
  static void expect_available(const A& array) {
    array.entries_.expect_available();
  }
  /// Returns false for arrays of the host alone, and while a scheduler tracks which side is fresh.
  template <class A>
  [[nodiscard]] static bool is_tracked(const A& array) {
    return array.entries_.is_tracked();
  }
  /// Returns true if `vector` has the entries of the array, not the row sizes.
  template <class A, class V>
  [[nodiscard]] static bool is_entries(const A& array, const V& vector) {
    return static_cast<const void*>(&vector) == static_cast<const void*>(&array.entries_);
  }
  /// Calls f with the entries, and with the row sizes of padded rows.
  template <class A, class F>
  static void for_each_vector(A& array, const F& f) {
    f(array.entries_);
    if constexpr (A::kKind == RowKind::static_max || A::kKind == RowKind::max) f(array.row_sizes_);
  }
  /// Sets every entry of these rows on the host.
  template <class A>
  static void fill(A& array, IdRange<LocalRow> rows, const typename A::value_type& value) {
    for_each_piece(array, rows, [&](auto& vector, std::size_t first, std::size_t count) {
      if constexpr (std::is_same_v<decltype(vector), decltype((array.entries_))>) {
        if (&vector == &array.entries_) std::ranges::fill(vector.write(Side::host, first, count), value);  // not the row sizes
      }
    });
  }
  /// Calls f(vector, first, count) for each contiguous piece of memory of these rows.
  template <class A, class F>
  static void for_each_piece(A& array, IdRange<LocalRow> rows, const F& f) {
    if constexpr (A::kKind == RowKind::csr) {
      const auto offsets = std::as_const(array).offsets();
      const std::size_t first = offsets[rows.first().index()];
      f(array.entries_, first, static_cast<std::size_t>(offsets[rows.last().index()]) - first);
    } else {
      A::for_each_piece(array, rows, f);
    }
  }
};

/// Access of an exchange to the rows of an array. It works on one side; a side in use remains fresh. It is cheap if the array
/// has no device side.
struct Staging {
  /// Copies those of `reads` that are stale on `side` to it after `before` has completed, and waits for the copy. Returns
  /// true if the other side is in use as well: for the host side, if some of `reads` were fresh only on the device or all of
  /// `writes` are fresh there; for the device side, if all of `reads`, or of `writes` where nothing is read, are fresh on the
  /// host.
  bool (*bring)(void* array, Side side, const After& before, IdRange<LocalRow> reads, IdRange<LocalRow> writes) = nullptr;
  /// Records that these rows are written on `side` after `before` has completed. If `both`, copies them to the other side and
  /// waits.
  void (*written)(void* array, Side side, IdRange<LocalRow> rows, bool both, const After& before) = nullptr;
  /// Returns true if the entries have memory on this side, or need none.
  bool (*allocated)(const void* array, Side side) = nullptr;
  /// Sets the entries of these rows on the host to neutral_value(op). Returns false, without an effect, if the elements have
  /// none.
  bool (*neutralize)(void* array, IdRange<LocalRow> rows, Reduce op) = nullptr;
  /// Returns the fields on one side.
  std::vector<Field> (*fields)(void* array, Side side) = nullptr;
};

template <class A>
bool bring_to_side(void* untyped, Side side, const After& before, IdRange<LocalRow> reads, IdRange<LocalRow> writes) {
  A& array = *static_cast<A*>(untyped);
  ArrayAccess::expect_available(array);
  if (!ArrayAccess::is_tracked(array)) return false;
  bool host_fresh = true, device_fresh = true, copied = false;
  ArrayAccess::for_each_piece(array, writes, [&](auto& vector, std::size_t first, std::size_t count) {
    device_fresh = device_fresh && vector.fresh(Side::device, first, count);
  });
  ArrayAccess::for_each_piece(array, reads, [&](auto& vector, std::size_t first, std::size_t count) {
    host_fresh = host_fresh && vector.fresh(Side::host, first, count);
    if (vector.fresh(side, first, count)) return;
    (side == Side::host ? vector.to_host(before, first, count) : vector.to_device(before, first, count)).wait();
    copied = true;
  });
  if (side == Side::host) return device_fresh || copied;
  if (!reads.empty()) return host_fresh;
  ArrayAccess::for_each_piece(array, writes, [&](auto& vector, std::size_t first, std::size_t count) {
    host_fresh = host_fresh && vector.fresh(Side::host, first, count);
  });
  return host_fresh && !writes.empty();
}

template <class A>
void mark_written(void* untyped, Side side, IdRange<LocalRow> rows, bool both, const After& before) {
  A& array = *static_cast<A*>(untyped);
  if (!ArrayAccess::is_tracked(array)) return;
  ArrayAccess::for_each_piece(array, rows, [&](auto& vector, std::size_t first, std::size_t count) {
    (void)vector.write(side, first, count);
    if (both) (side == Side::host ? vector.to_device(before, first, count) : vector.to_host(before, first, count)).wait();
  });
}

/// Returns the exchanged parts of an array on one side. Offsets of CSR rows are those of the host on both sides.
template <class T, int RowSize, int RowMax, int RowAlign>
[[nodiscard]] std::vector<Field> fields(Array<T, RowSize, RowMax, RowAlign>& array, Side side = Side::host) {
  using A = Array<T, RowSize, RowMax, RowAlign>;
  std::byte* const base = ArrayAccess::entries(array, side);
  const Field field{.base = base, .allocation = base, .row_bytes = sizeof(T), .row_stride = sizeof(T), .reducers = &kReducers<T>};
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
      std::byte* const sizes = ArrayAccess::row_sizes(array, side);
      list.push_back({.base = sizes, .allocation = sizes, .row_bytes = sizeof(std::int32_t), .row_stride = sizeof(std::int32_t)});
    }
  }
  return list;
}

template <class A>
[[nodiscard]] std::vector<Field> fields_on(void* untyped, Side side) {
  return fields(*static_cast<A*>(untyped), side);
}

/// Returns the value that leaves every other unchanged: 0 for a sum, the largest for a minimum, the smallest for a maximum.
template <class T>
[[nodiscard]] constexpr T neutral_value(Reduce op) {
  using Limits = std::numeric_limits<T>;
  if (op == Reduce::min) return Limits::has_infinity ? Limits::infinity() : Limits::max();
  if (op == Reduce::max) return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  return T{};
}

template <class A>
bool neutralize(void* untyped, IdRange<LocalRow> rows, Reduce op) {
  using T = typename A::value_type;
  if constexpr (std::is_arithmetic_v<T>) {
    if (op != Reduce::insert) ArrayAccess::fill(*static_cast<A*>(untyped), rows, neutral_value<T>(op));
    return op != Reduce::insert;
  } else {
    return false;
  }
}

template <class A>
[[nodiscard]] bool is_allocated(const void* untyped, Side side) {
  return ArrayAccess::allocated(*static_cast<const A*>(untyped), side);
}

}  // namespace weft::detail
