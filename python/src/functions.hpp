#pragma once
// Functions of Python that give states and sources of a case.
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/flow/app/case.hpp"
#include "weft/flow/physics/field_function.hpp"

#include "bindings.hpp"

namespace weft::python {

/// The functions of one simulation. The solver calls them on the thread that computes a step, with or without the GIL. An
/// exception of theirs is stored and ends the step on every rank; agree() raises it.
class Functions {
 public:
  /// @param initial, source  functions of (x, t) and (x, t, state) that return arrays (n, 5), or None. Those with a true
  /// attribute
  ///   on_device take arrays on a GPU, and two arguments more: the arrays of the results, and the address of the solver's stream.
  /// @param boundary  {zone: (function of (x, t), whether it depends on t)}.
  Functions(nb::object initial, nb::dict boundary, nb::object source);
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;

  /// Sets the functions of a case, which must not outlive this object. Called with or without the GIL.
  /// @throws InputError: a function of arrays on a GPU, and a flow that is computed on the host. On every rank.
  void apply(flow::Case& flow_case);
  [[nodiscard]] bool any() const { return !initial_.is_none() || !source_.is_none() || !boundary_.empty(); }
  /// Returns whether a function has raised an exception on any rank since agree(). @collective
  [[nodiscard]] bool failed(const Communicator& comm) const { return any() && comm.any(error_.has_value()); }
  /// Raises the exception of a function on its rank, and an InputError with its text on the others; returns if there is none.
  /// @collective
  void agree(const Communicator& comm);
  /// Calls `work`. An error of it, which all ranks have, is replaced by the exception of the function that is its cause.
  /// @collective
  template <class Work>
  void guard(const Communicator& comm, Work&& work) {
    try {
      std::forward<Work>(work)();
    } catch (const Error&) {
      agree(comm);
      throw;
    }
  }
  int traverse(visitproc visit, void* arg) const;  ///< called by a type's tp_traverse
  void forget();                                   ///< drops the functions and their exception, of a simulation that is collected

 private:
  using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  /// Returns the rows of a result; none where the function raises an exception.
  [[nodiscard]] std::optional<Rows> call(const nb::object& function, std::span<const Vec3> points, double time,
                                         const nb::object& state);
  [[nodiscard]] nb::object array_of_points(std::span<const Vec3> points);
  /// Returns the state that a function of Python gives.
  [[nodiscard]] flow::FieldFunction<flow::Primitive> state_of(const nb::object& function);
  /// Evaluates a function of Python for points of the host. Returns false where it fails.
  [[nodiscard]] bool evaluate(const nb::object& function, std::span<const Vec3> points, double time,
                              std::span<flow::Primitive> results);
  /// Evaluates a function of arrays on a GPU for points of the host.
  [[nodiscard]] bool evaluate_there(const nb::object& function, std::span<const Vec3> points, double time,
                                    std::span<flow::Primitive> results);
  /// Copies the rows of a result. Returns false, and stores the error, where a value is not finite or a state not positive.
  template <class Row>
  [[nodiscard]] bool copy_rows(const nb::object& function, std::span<const Vec3> points, double time, const Rows& rows,
                               std::span<Row> results);
  /// Returns the states as an array (n, 5).
  [[nodiscard]] nb::object array_of_states(std::span<const flow::Primitive> states);
  /// Calls a function of arrays on a GPU.
  void call_there(const nb::object& function, const flow::DeviceArguments& arguments);
  [[nodiscard]] flow::SourceTerm::Function source_function();
  void store(nb::python_error& error);

  nb::object initial_, source_;
  std::map<std::string, std::pair<nb::object, bool>> boundary_;
  std::map<std::pair<const Vec3*, std::size_t>, nb::object> points_;  ///< arrays that were passed, by their memory
  nb::object states_;                                                 ///< array that was passed to the source
  std::vector<double> scalars_;  ///< scalars of the last state, points x scalars; empty where the function does not give any
  std::optional<nb::python_error> error_;
  std::string text_;       ///< message of error_
  bool reported_ = false;  ///< the solver knows error_
};

}  // namespace weft::python
