#pragma once
/// Passive scalars: quantities phi that the flow transports and that do not influence it, d(rho phi)/dt + div(rho u phi) = 0.
#include <functional>
#include <string>

#include "weft/base/error.hpp"
#include "weft/base/vec3.hpp"
#include "weft/flow/physics/boundary.hpp"

namespace weft::flow {

/// Largest number of scalars of a solver.
inline constexpr int kMostScalars = 8;

struct Scalar {
  std::string name;
  std::function<double(Vec3)> initial{};  ///< initial value; null: 0
};

/// The value of a scalar in the gas that enters through a boundary zone.
struct ScalarInflow {
  std::function<double(Vec3, double)> value{};  ///< value at the centroid of a face and at a time, s; null: 0
  bool depends_on_time = false;                 ///< `value` depends on time; otherwise it is called once
  Where where{};                                ///< its place in the case, for errors
};

/// Returns whether the gas that enters through such a zone has scalar values of its own instead of those of the gas that left.
[[nodiscard]] constexpr bool brings_scalars(BoundaryKind kind) { return row_of(kind).brings_scalars; }

}  // namespace weft::flow
