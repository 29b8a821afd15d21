#pragma once
/// One step of the colouring of rows, for row_colors.cpp and row_colors.cu.
#include <atomic>
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/base/mix.hpp"
#include "weft/kernels/linear/bsr_pattern.hpp"

namespace weft::kernels::detail {

/// Colours a row unless a neighbour with a higher priority has no colour yet. Other threads may colour rows at the same time: the
/// colour depends on neighbours with higher priority alone, which keep the colours that this row has seen.
struct ColorRow {
  BsrPatternView pattern;
  BsrTransposeView transpose;
  std::int32_t* colors;  ///< -1: none yet

  [[nodiscard]] WEFT_HD std::int32_t load(std::int32_t row) const {
#if defined(__CUDA_ARCH__)
    return *static_cast<const volatile std::int32_t*>(colors + row);
#else
    return std::atomic_ref(colors[row]).load(std::memory_order_relaxed);
#endif
  }
  WEFT_HD void store(std::int32_t row, std::int32_t color) const {
#if defined(__CUDA_ARCH__)
    *static_cast<volatile std::int32_t*>(colors + row) = color;
#else
    std::atomic_ref(colors[row]).store(color, std::memory_order_relaxed);
#endif
  }
  /// Returns false if `other` has to be coloured first, and otherwise adds its colour to those in use.
  [[nodiscard]] WEFT_HD bool look_at(std::int32_t row, std::int32_t other, std::int32_t window, std::uint64_t& used) const {
    if (other == row || other >= pattern.rows) return true;
    const std::int32_t color = load(other);
    if (color < 0) return mix_bits(static_cast<std::uint64_t>(other)) < mix_bits(static_cast<std::uint64_t>(row));
    if (color >= window && color < window + 64) used |= std::uint64_t{1} << (color - window);
    return true;
  }
  /// Returns true if the row has a colour afterwards.
  WEFT_HD bool operator()(std::int32_t row) const {
    if (load(row) >= 0) return true;
    for (std::int32_t window = 0;; window += 64) {
      std::uint64_t used = 0;
      for (std::int32_t k = 0; k < pattern.sizes[row]; ++k) {
        if (!look_at(row, pattern.column[pattern.slot(row, k)], window, used)) return false;
      }
      if (row < pattern.columns) {
        for (std::int64_t k = transpose.offsets[row]; k < transpose.offsets[row + 1]; ++k) {
          if (!look_at(row, transpose.row[k], window, used)) return false;
        }
      }
      for (std::int32_t bit = 0; bit < 64; ++bit) {
        if ((used >> bit & 1) == 0) {
          store(row, window + bit);
          return true;
        }
      }
    }
  }
};

}  // namespace weft::kernels::detail
