#pragma once
/// The loops of a step over faces, cells and ghost rows, besides the kernels over tiles: functors for parallel_for and reduce.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/flow/boundary.hpp"
#include "weft/flow/detail/kernels.hpp"
#include "weft/flow/detail/tile_launch.hpp"

namespace weft::flow::detail {

/// Takes over what the host has decided, and forgets the step before.
struct BeginStep {
  const StepSize* decided;  ///< page-locked memory of the host
  StepSize* size;
  StepStatus* status;
  WEFT_HD void operator()(int) const {
    *size = *decided;
    *status = {0x7ff0000000000000ULL, 0};  // infinity
  }
};

/// Values of the boundary rows: as Residual::boundary_rows.
struct BoundaryRows {
  BoundaryArgs b;
  double* values;
  IdealGas gas;
  std::int32_t cells;
  WEFT_HD void operator()(std::int32_t face) const {
    const ZoneArgs& zone = b.zones[b.zone[face]];
    const Primitive inside = load(values + static_cast<std::int64_t>(b.left[face]) * kVars);
    store(values + static_cast<std::int64_t>(cells + face) * kVars,
          zone.prescribed ? b.prescribed[face] : state_behind(gas, zone.params, inside, b.normal[face]));
  }
};

/// Values and the stable time step of the conserved state: as Solver::survey.
struct Survey {
  const double* conserved;
  double *values, *local_dt;
  const double* inverse_volume;
  const Vec3* projected_area;
  StepStatus* status;
  std::int32_t* bad;
  IdealGas gas;
  __device__ void operator()(std::int32_t c) const {
    Conserved u;
    for (int k = 0; k < kVars; ++k) u[k] = conserved[static_cast<std::int64_t>(c) * kVars + k];
    const Primitive w = gas.primitive(u);
    store(values + static_cast<std::int64_t>(c) * kVars, w);
    if (!gas.physical(w)) {
      status->bad = 1;
      bad[c] = 1;
      return;
    }
    const double own = stable_dt_of_cell(gas, w, projected_area[c], inverse_volume[c]);
    if (local_dt != nullptr) local_dt[c] = own;
    atomicMin(&status->stable_dt, static_cast<unsigned long long>(__double_as_longlong(own)));
  }
};

/// Sums over the tiles, one for each variable.
struct Sums {
  double sum[kVars];
};
struct SumOfTile {
  const double* partial;
  WEFT_HD Sums operator()(std::int32_t tile) const {
    Sums s;
    for (int k = 0; k < kVars; ++k) s.sum[k] = partial[static_cast<std::int64_t>(tile) * kVars + k];
    return s;
  }
};
struct Add {
  WEFT_HD Sums operator()(Sums a, const Sums& b) const {
    for (int k = 0; k < kVars; ++k) a.sum[k] += b.sum[k];
    return a;
  }
};

}  // namespace weft::flow::detail
