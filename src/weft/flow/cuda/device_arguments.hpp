#pragma once
/// Arrays for functions of the user that are evaluated on a GPU.
#include <cstddef>
#include <memory>
#include <span>

#include "weft/device/device_vector.hpp"
#include "weft/flow/physics/field_function.hpp"

namespace weft::flow::detail {

/// The points, states and results of a DeviceFunction in the memory of the current GPU. They are apart from the memory of the
/// solver, because a function may keep its arguments: the last owner frees them.
struct DeviceTables {
  /// Copies the points and allocates the others. @param with_states  whether the function has inputs.
  /// @throws DeviceError where there is not enough memory.
  DeviceTables(std::span<const Vec3> points, bool with_states);
  /// Returns the bytes of the tables of this number of points.
  [[nodiscard]] static std::size_t bytes(std::size_t points, bool with_states);
  /// Sets the results to 0 and calls the function, in the order of the stream. Nothing without points.
  static void call(const std::shared_ptr<DeviceTables>& tables, const DeviceFunction& function, Stream& stream, double time);

  DeviceVector<Vec3> points;
  DeviceVector<Primitive> states;
  DeviceVector<double> results;  ///< points x 5
};

}  // namespace weft::flow::detail
