#pragma once
/// Reduce: combination of ghost rows with their owned row in a push.
#include <cstdint>

#include "weft/base/macros.hpp"

namespace weft {

/// insert: the owned entry is replaced by that of the ghost row (the last one in rank order). add, min, max: the owned entry
/// is combined with the entries of all ghost rows in rank order.
enum class Reduce { insert, add, min, max };

namespace detail {

/// Element types with reductions on devices.
enum class Element : std::uint8_t { other, f32, f64, i32, i64 };

template <class T>
struct AddInto {
  WEFT_HD T operator()(T a, T b) const { return static_cast<T>(a + b); }
};
template <class T>
struct TakeMin {
  WEFT_HD T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct TakeMax {
  WEFT_HD T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct TakeLast {
  WEFT_HD T operator()(T /*a*/, T b) const { return b; }
};

}  // namespace detail

}  // namespace weft
