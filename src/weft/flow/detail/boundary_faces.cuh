#pragma once
/// What the condition of a boundary face makes of the state inside. Out of line: conditions take powers, which would cost every
/// thread of a kernel registers.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/flow/boundary.hpp"
#include "weft/flow/detail/convert.hpp"
#include "weft/flow/detail/kernels.hpp"
#include "weft/flow/detail/tile_launch.hpp"

namespace weft::flow::detail {

/// Per unit area, out of the domain.
template <class Flux>
WEFT_HD __noinline__ Conserved boundary_face_flux(const BoundaryArgs& b, const IdealGas& gas, const Flux& flux,
                                                  const Primitive& inside, std::int32_t face) {
  const ZoneArgs& zone = b.zones[b.zone[face]];
  const Vec3 n = b.normal[face];
  return zone.prescribed ? flux(gas, inside, b.prescribed[face], n) : boundary_flux(gas, zone.params, inside, n);
}

/// The state behind it becomes its row of values: as Residual::boundary_rows.
/// @param inside  values of its cell.  @param rows  of all boundary faces.
template <class Real>
WEFT_HD __noinline__ void fill_boundary_row(const BoundaryArgs& b, const IdealGas& gas, std::int32_t face, const Real* inside,
                                            Real* rows) {
  const ZoneArgs& zone = b.zones[b.zone[face]];
  const Primitive outside =
      zone.prescribed ? b.prescribed[face] : state_behind(gas, zone.params, as<double>(load(inside)), b.normal[face]);
  store(rows + static_cast<std::int64_t>(face) * kVars, as<Real>(outside));
}

/// The same for each face, where the kernel that computed the values did not do it.
template <class Real>
struct BoundaryRows {
  BoundaryArgs b;
  IdealGas gas;
  const Real* values;
  Real* rows;
  WEFT_HD void operator()(std::int32_t face) const {
    fill_boundary_row(b, gas, face, values + static_cast<std::int64_t>(b.left[face]) * kVars, rows);
  }
};

}  // namespace weft::flow::detail
