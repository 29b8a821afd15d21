#pragma once
/// The evaluation of a user's function on a GPU outside of a run.
#include <span>

#include "weft/base/vec3.hpp"
#include "weft/flow/physics/field_function.hpp"
#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

/// Evaluates a function without inputs on the current GPU for points of the host, and waits for the results.
/// @param results  5 numbers for each point.  @throws DeviceError, and the exceptions of the function.
/// @cost two copies between host and device.
void evaluate_on_gpu(const DeviceFunction& function, std::span<const Vec3> points, double time, std::span<Primitive> results);

}  // namespace weft::flow
