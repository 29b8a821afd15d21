#pragma once
/// Type-erased access of a scheduler to the two sides of an array: see PairRef.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "weft/array/pair_link.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/storage.hpp"

namespace weft::detail {

/// Functions of one type of array, on the array of a PairLink.
struct PairSides {
  void (*suspend)(void* array) = nullptr;  ///< where it throws, the tracking continues
  void (*resume)(void* array) = nullptr;
  void (*bring)(void* array, Side to, IdRange<LocalRow> rows, const After& after) = nullptr;
  void (*copy)(void* array, Side to, IdRange<LocalRow> rows, Stream& stream) = nullptr;
  void (*set_fresh)(void* array, IdRange<LocalRow> rows, bool on_host, bool on_device) = nullptr;
  /// Returns null if the elements have no neutral value.
  std::unique_ptr<DeviceStorage> (*neutral)(void* array, IdRange<LocalRow> rows, Reduce op) = nullptr;
  void (*fill)(void* array, IdRange<LocalRow> rows, DeviceStorage& with, Stream& stream) = nullptr;
};

template <class A>
struct SidesOf {
  static A& of(void* untyped) { return *static_cast<A*>(untyped); }
  static IdRange<LocalRow> all(const A& array) { return {LocalRow(0), LocalRow(array.rows())}; }

  static void suspend(void* untyped) {
    try {
      ArrayAccess::for_each_vector(of(untyped), [](auto& vector) { vector.suspend_tracking(); });
    } catch (...) {
      resume(untyped);
      throw;
    }
  }
  static void resume(void* untyped) {
    ArrayAccess::for_each_vector(of(untyped), [](auto& vector) { vector.resume_tracking(); });
  }
  static void bring(void* untyped, Side to, IdRange<LocalRow> rows, const After& after) {
    ArrayAccess::for_each_piece(of(untyped), rows, [&](auto& vector, std::size_t first, std::size_t count) {
      if (!vector.fresh(to, first, count)) vector.bring(to, after, first, count).wait();
    });
  }
  static void copy(void* untyped, Side to, IdRange<LocalRow> rows, Stream& stream) {
    ArrayAccess::for_each_piece(of(untyped), rows, [&](auto& vector, std::size_t first, std::size_t count) {
      (void)vector.copy_untracked(to, stream, first, count);
    });
  }
  static void set_fresh(void* untyped, IdRange<LocalRow> rows, bool on_host, bool on_device) {
    ArrayAccess::for_each_piece(of(untyped), rows, [&](auto& vector, std::size_t first, std::size_t count) {
      vector.set_fresh(first, count, on_host, on_device);
    });
  }
  static std::unique_ptr<DeviceStorage> neutral(void* untyped, IdRange<LocalRow> rows, Reduce op) {
    using T = typename A::value_type;
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      if (op == Reduce::insert) return nullptr;
      A& array = of(untyped);
      std::size_t most = 0;
      ArrayAccess::for_each_piece(array, rows, [&](auto& vector, std::size_t /*first*/, std::size_t count) {
        if (ArrayAccess::is_entries(array, vector)) most = std::max(most, count);
      });
      const auto values = std::make_unique<T[]>(most);
      std::fill_n(values.get(), most, neutral_value<T>(op));
      auto storage = DeviceStorage::make(array.backend(), most * sizeof(T));
      if (most > 0) storage->copy_from_host(0, std::as_bytes(std::span(values.get(), most)), After()).wait();
      return storage;
    } else {
      return nullptr;
    }
  }
  static void fill(void* untyped, IdRange<LocalRow> rows, DeviceStorage& with, Stream& stream) {
    A& array = of(untyped);
    ArrayAccess::for_each_piece(array, rows, [&](auto& vector, std::size_t first, std::size_t count) {
      if (!ArrayAccess::is_entries(array, vector) || count == 0) return;
      const auto to = vector.write(Side::device, first, count);
      copy_bytes(stream, to.data(), with.data(), to.size_bytes());
    });
  }
};

template <class A>
[[nodiscard]] constexpr PairSides sides_of() {
  using S = SidesOf<A>;
  return {&S::suspend, &S::resume, &S::bring, &S::copy, &S::set_fresh, &S::neutral, &S::fill};
}

}  // namespace weft::detail
