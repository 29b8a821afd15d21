#pragma once
/// Functions of place and time that are evaluated for many points at once.
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/base/vec3.hpp"
#include "weft/flow/physics/gas.hpp"

namespace weft {
class Stream;
}

namespace weft::flow {

/// The arguments of a DeviceFunction, in the memory of the current GPU.
struct DeviceArguments {
  Stream& stream;                ///< which computed the arguments, and which reads the results
  double time;                   ///< s
  std::size_t points;            ///< number of points
  const Vec3* x;                 ///< the points, m
  const Primitive* states;       ///< the states there; null for a function without inputs
  double* results;               ///< a Result for each point: 5 numbers, which are 0 at the call
  std::shared_ptr<void> memory;  ///< keeps the arrays
};

/// A function that enqueues its evaluation for many points on a GPU.
using DeviceFunction = std::function<void(const DeviceArguments&)>;

/// A function f(x, t, inputs...) that gives a Result at each point x, m, at the time t, s, from the Inputs there. It is made from
/// a function of one point, which is called for each of them, or from a function of all points, for instance of numpy arrays,
/// which is called once with as many inputs and results as points.
template <class Result, class... Inputs>
class FieldFunction {
 public:
  using OfPoints = std::function<void(std::span<const Vec3>, double, std::span<const Inputs>..., std::span<Result>)>;

  FieldFunction() = default;
  FieldFunction(OfPoints of_points) : of_points_(std::move(of_points)) {}
  template <class F>
    requires std::is_invocable_r_v<Result, F, Vec3, double, const Inputs&...>
  FieldFunction(F of_point)
      : of_points_([of_point = std::move(of_point)](std::span<const Vec3> points, double time, std::span<const Inputs>... inputs,
                                                    std::span<Result> results) {
          for (std::size_t i = 0; i < points.size(); ++i) results[i] = of_point(points[i], time, inputs[i]...);
        }) {}

  /// Creates a function that flows on a GPU evaluate there. @param of_points  evaluates the same function for points on the host.
  FieldFunction(OfPoints of_points, DeviceFunction on_device)
      : of_points_(std::move(of_points)), on_device_(std::move(on_device)) {}

  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(of_points_); }
  /// Returns the evaluation on a GPU; empty for a function of the host.
  [[nodiscard]] const DeviceFunction& on_device() const { return on_device_; }
  /// Evaluates all points.  @pre equal sizes, and not empty-constructed.  @throws the exceptions of the function.
  void operator()(std::span<const Vec3> points, double time, std::span<const Inputs>... inputs, std::span<Result> results) const {
    of_points_(points, time, inputs..., results);
  }
  /// Evaluates one point.
  [[nodiscard]] Result operator()(Vec3 point, double time, const Inputs&... input) const {
    Result result;
    of_points_(std::span(&point, 1), time, std::span(&input, 1)..., std::span(&result, 1));
    return result;
  }

 private:
  OfPoints of_points_;
  DeviceFunction on_device_;
};

}  // namespace weft::flow
