#pragma once
/// Terms of the array module: row sizes, memory layouts, and ids of rows.
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "weft/base/id.hpp"
#include "weft/base/macros.hpp"

namespace weft {

/// Row size chosen at run time, equal for all rows.
inline constexpr int Dynamic = -1;
/// Row size that differs between rows.
inline constexpr int NonUniform = -2;

struct GlobalRowTag;
struct LocalRowTag;
/// Number of a row over all ranks, rank 0's rows first; for set-up, files and messages to users.
using GlobalRow = Id<GlobalRowTag, std::int64_t>;
/// Number of a row within a rank.
using LocalRow = Id<LocalRowTag, std::int32_t>;

/// aos: the entries of a row are contiguous. soa: the k-th entries of all rows are contiguous.
enum class Layout { aos, soa };
struct Aos {
  static constexpr Layout kLayout = Layout::aos;
};
struct Soa {
  static constexpr Layout kLayout = Layout::soa;
};

/// The five ways to store rows, selected by the template arguments of Array.
enum class RowKind {
  static_fixed,  ///< Array<T, 5>: n x 5, width known at compile time
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

/// Value of RowAlign for rows without padding.
inline constexpr int kNoRowAlign = 0;

/// Returns the number of elements from the start of one AoS row to the next: `width`, rounded up so that every row starts at
/// a multiple of `RowAlign` bytes.
template <class T, int RowAlign>
[[nodiscard]] WEFT_HD constexpr std::size_t row_stride(int width) {
  constexpr std::size_t kAlign = RowAlign == kNoRowAlign ? 1 : RowAlign;
  constexpr std::size_t kStep = kAlign / std::gcd(sizeof(T), kAlign);  // constexpr: std::gcd in kernels differs
  return (static_cast<std::size_t>(width) + kStep - 1) / kStep * kStep;
}

}  // namespace weft
