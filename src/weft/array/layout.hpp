#pragma once
/// Words of the array room: how long rows are, how they lie in memory, and the ids that count them.
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "weft/base/id.hpp"
#include "weft/base/macros.hpp"

namespace weft {

/// Row length chosen at run time, equal for all rows.
inline constexpr int Dynamic = -1;
/// Row length of its own for every row.
inline constexpr int NonUniform = -2;

struct GlobalRowTag;
struct LocalRowTag;
/// Running number of a row over all ranks: rank 0's rows first. Used while building, in files and in messages to people.
using GlobalRow = Id<GlobalRowTag, std::int64_t>;
/// Row number on this rank.
using LocalRow = Id<LocalRowTag, std::int32_t>;

/// aos: a row's entries lie side by side. soa: entry k of all rows lie side by side.
enum class Layout { aos, soa };
struct Aos {
  static constexpr Layout kLayout = Layout::aos;
};
struct Soa {
  static constexpr Layout kLayout = Layout::soa;
};

/// The five ways to store rows; Array's template arguments choose one.
enum class RowKind {
  static_fixed,  ///< Array<T, 5>: n x 5, width known to the compiler
  fixed,         ///< Array<T, Dynamic>: n x m, width chosen at run time
  static_max,    ///< Array<T, NonUniform, 8>: up to 8 entries per row, padded to 8
  max,           ///< Array<T, NonUniform, Dynamic>: padded to a width chosen at run time
  csr            ///< Array<T, NonUniform>: offsets + entries, no padding
};

template <int RowSize, int RowMax>
[[nodiscard]] consteval RowKind row_kind() {
  static_assert(RowSize >= 1 || RowSize == Dynamic || RowSize == NonUniform, "a row size is positive, Dynamic or NonUniform");
  static_assert(RowSize == NonUniform || RowMax == RowSize, "a maximum makes sense for NonUniform rows only");
  static_assert(RowMax >= 1 || RowMax == Dynamic || RowMax == NonUniform, "a row maximum is positive, Dynamic or NonUniform");
  if constexpr (RowSize >= 1) return RowKind::static_fixed;
  if constexpr (RowSize == Dynamic) return RowKind::fixed;
  if constexpr (RowMax >= 1) return RowKind::static_max;
  if constexpr (RowMax == Dynamic) return RowKind::max;
  return RowKind::csr;
}

/// Rows are not padded.
inline constexpr int kNoRowAlign = 0;

/// Elements from the start of one AoS row to the next: `width`, rounded up so that every row starts at a multiple of `RowAlign`
/// bytes.
template <class T, int RowAlign>
[[nodiscard]] WEFT_HD constexpr std::size_t row_stride(int width) {
  constexpr std::size_t kAlign = RowAlign == kNoRowAlign ? 1 : RowAlign;
  constexpr std::size_t kStep = kAlign / std::gcd(sizeof(T), kAlign);  // by the compiler: in kernels std::gcd has other results
  return (static_cast<std::size_t>(width) + kStep - 1) / kStep * kStep;
}

}  // namespace weft
