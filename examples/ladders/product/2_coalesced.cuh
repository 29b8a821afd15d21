#pragma once
/// Step 2: consecutive threads have consecutive columns. Nothing else changes.
///
/// A warp now reads one entry of a and 32 contiguous ones of b: 2 clocks of the L1 cache instead of 33 for the same 64
/// operations, which would be 16 times step 1. But the loop, like that of step 1, has 31 instructions for 4 products, which
/// limits it to 7.7 TFLOP/s, about as much as the L1 cache does. The factor is that of coalescing alone, since this file changes
/// nothing but the roles of the threads.
///
/// Predicted: 14 times step 1, 13% of cuBLAS.
/// Measured on an H100: 10.5% of cuBLAS.
#include "1_naive.cuh"

namespace ladder {

constexpr ProductStep kCoalescedProduct{
    "2 threads along rows: coalesced", 0.13,
    [](weft::Stream& stream, const ProductSize& size, const float* a, const float* b, float* c) {
      launch_product(stream, entry_product_kernel<true>, 8, 32, size, a, b, c);
    }};

}  // namespace ladder
