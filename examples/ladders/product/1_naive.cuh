#pragma once
/// Step 1: one thread per entry of the product; consecutive threads have consecutive rows.
///
/// For each product a warp reads 32 entries of a that are a row apart, hence 32 lines of the L1 cache, one per clock, and one
/// entry of b: 33 clocks for 64 operations, on each of 132 multiprocessors.
///
/// Predicted: 0.45 TFLOP/s, 0.9% of cuBLAS at 50 TFLOP/s.
/// Measured on an H100: 1.0% of cuBLAS.
#include <type_traits>

#include "../ladder.cuh"

namespace ladder {

/// The numbers of rows and columns of c = a b by rows: a is m x k, b is k x n, c is m x n.
struct ProductSize {
  std::int32_t m, n, k;
  /// Returns the numbers of entries.
  std::int64_t a() const { return std::int64_t{m} * k; }
  std::int64_t b() const { return std::int64_t{k} * n; }
  std::int64_t c() const { return std::int64_t{m} * n; }
};
using ProductStep = Step<const ProductSize&, const float*, const float*, float*>;
constexpr int kProductThreads = 256;

// Products are added by fmaf(), because the library's programs are compiled with -fmad=false, which halves the rate of a * b + c.

/// Computes c with 32 x 8 entries per block. kCoalesced: consecutive threads have consecutive columns instead of rows.
template <bool kCoalesced>
__global__ void __launch_bounds__(kProductThreads)
    entry_product_kernel(const ProductSize size, const float* a, const float* b, float* c, unsigned row_blocks) {
  constexpr int kFast = 32, kSlow = kProductThreads / kFast;
  const int fast = static_cast<int>(threadIdx.x) % kFast, slow = static_cast<int>(threadIdx.x) / kFast;
  const int row = static_cast<int>(blockIdx.x % row_blocks), column = static_cast<int>(blockIdx.x / row_blocks);
  const std::int64_t i = kCoalesced ? kSlow * row + slow : kFast * row + fast;
  const std::int64_t j = kCoalesced ? kFast * column + fast : kSlow * column + slow;
  weft::grid_dependency_sync();
  if (i >= size.m || j >= size.n) return;
  float sum = 0;
  for (std::int64_t l = 0; l < size.k; ++l) sum = fmaf(a[i * size.k + l], b[l * size.n + j], sum);
  c[i * size.n + j] = sum;
}

/// Launches a kernel with one block per tile of c, where consecutive blocks have tiles one below the other.
template <class T>
void launch_product(weft::Stream& stream, void (*kernel)(ProductSize, const T*, const T*, float*, unsigned),
                    std::int32_t tile_rows, std::int32_t tile_columns, const ProductSize& size, const T* a, const T* b,
                    float* c) {
  const std::int64_t row_tiles = (size.m + tile_rows - 1) / tile_rows, column_tiles = (size.n + tile_columns - 1) / tile_columns;
  weft::launch(stream, "product", {.blocks = row_tiles * column_tiles, .threads = kProductThreads}, kernel, size, a, b, c,
               static_cast<unsigned>(row_tiles));
}

constexpr ProductStep kNaiveProduct{"1 one thread per entry, threads along columns", 0.009,
                                    [](weft::Stream& stream, const ProductSize& size, const float* a, const float* b, float* c) {
                                      launch_product(stream, entry_product_kernel<false>, 32, 8, size, a, b, c);
                                    }};

}  // namespace ladder
