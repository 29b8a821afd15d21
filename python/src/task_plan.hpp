#pragma once
// Compiled task graphs.
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "weft/task/plan.hpp"

#include "array.hpp"
#include "bindings.hpp"
#include "task_bodies.hpp"

namespace weft::python {

/// A compiled graph. Its arrays can be neither closed nor resized while it exists.
class PyTaskPlan {
 public:
  PyTaskPlan(task::Plan plan, std::vector<Attachment> arrays, std::shared_ptr<Bodies> bodies);
  PyTaskPlan(const PyTaskPlan&) = delete;
  PyTaskPlan& operator=(const PyTaskPlan&) = delete;
  ~PyTaskPlan();

  void close();
  void run(int iterations, const nb::list& functions, task::Trace* trace, nb::handle stream) {
    with_bodies(functions, stream, [&] { plan_.run(iterations, trace); });
  }
  /// Returns the iterations, and whether the condition holds. @param condition  the last of `functions`.
  [[nodiscard]] nb::tuple repeat_until(int number, int most, const nb::list& functions, task::Trace* trace, nb::handle stream);
  /// Returns the exception of a body of this rank in the last run, or None.
  [[nodiscard]] nb::object take_cause();
  [[nodiscard]] const task::Plan& plan() const { return plan_; }

 private:
  /// @param functions  the bodies, by task.
  /// @param stream  the work of the device follows that in this stream, see wait_for_theirs().
  /// @param run  executes the plan.
  void with_bodies(const nb::list& functions, nb::handle stream, const std::function<void()>& run);
  class Busy;
  void wait_for_arrays(nb::handle theirs) const;

  task::Plan plan_;
  bool maps_arrays_;  ///< other processes map memory of the arrays
  std::vector<Attachment> arrays_;
  std::shared_ptr<Bodies> bodies_;
  std::optional<nb::python_error> cause_;  ///< exception of a body in the last run
  bool closed_ = false;
};

}  // namespace weft::python
