#pragma once
/// Step 1: one thread per point, which reads seven entries.
///
/// Each entry is read from memory about once, as the L2 cache holds the planes in between. A warp reads 9 or 10 sectors of 32
/// bytes in each of five rows (its own, which serves the three reads along x, and those at y - 1, y + 1, z - 1 and z + 1) and
/// writes 9: 55 bytes per point between the L2 cache and the multiprocessors instead of 16.
///
/// Predicted: 55 bytes at 5.5 TB/s against 16 bytes at the rate of a copy, 38%.
/// Measured: 85.2% of copy on an H100, 65.6% on an H200. Probably the L1 cache holds the rows at y - 1 and y + 1 of a block,
/// too, which the count leaves out.
#include "weft/kernels/primitives/stencil.hpp"

#include "../ladder.cuh"

namespace ladder {

using Weights = weft::kernels::StencilWeights<double>;
using weft::kernels::Box;
/// Applies the weights to `in` at the points of the box; both arrays have one layer of ghost points.
using StencilStep = Step<const Weights&, const Box&, const double*, double*>;

struct NaiveStencil {
  Weights weights;
  Box box;
  const double* in;
  double* out;
  WEFT_HD void operator()(std::int32_t n) const {
    const std::int64_t at = box.at(n % box.nx, n / box.nx % box.ny, n / box.nx / box.ny);
    const double* const p = in + at;
    out[at] = weights(*p, p[-1], p[1], p[-box.row], p[box.row], p[-box.plane()], p[box.plane()]);
  }
};

constexpr StencilStep kNaiveStencil{
    "1 one thread per point", 0.38,
    [](weft::Stream& stream, const Weights& weights, const Box& box, const double* in, double* out) {
      weft::parallel_for(weft::space::cuda{}, stream, box.nx * box.ny * box.nz, NaiveStencil{weights, box, in, out});
    }};

}  // namespace ladder
