#pragma once
/// The gradient of the primitive variables in one cell.
#include <array>

#include "weft/base/vec3.hpp"
#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

/// Gradient of each primitive variable; of[k] is that of variable k, in its unit per metre. In 2-D the z components are 0.
struct CellGradient {
  std::array<Vec3, Primitive::kVars> of{};
};

}  // namespace weft::flow
