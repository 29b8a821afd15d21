#pragma once
/// Passive scalars: quantities phi that the flow carries and that do not act on it, d(rho phi)/dt + div(rho u phi) = 0.
#include <functional>
#include <string>

#include "weft/base/error.hpp"
#include "weft/base/vec3.hpp"
#include "weft/flow/physics/boundary.hpp"

namespace weft::flow {

/// A solver takes no more.
inline constexpr int kMostScalars = 8;

struct Scalar {
  std::string name;
  std::function<double(Vec3)> initial{};  ///< at the start; null: 0
};

/// The value of a scalar in the gas that comes in through a boundary zone.
struct ScalarInflow {
  std::function<double(Vec3, double)> value{};  ///< at a face's centroid and a time; null: 0
  bool depends_on_time = false;                         ///< whether it changes with time: else it is asked once
  Where where{};                                ///< for errors
};

/// Whether the gas that comes in through such a zone is not that which went out.
[[nodiscard]] constexpr bool brings_scalars(BoundaryKind kind) {
  return kind == BoundaryKind::far_field || kind == BoundaryKind::supersonic_inflow ||
         kind == BoundaryKind::total_pressure_inflow;
}

}  // namespace weft::flow
