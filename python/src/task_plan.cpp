// weft.task.Plan.
#include "task_plan.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>

#include "weft/task/trace.hpp"

#include "arguments.hpp"

namespace weft::python {

PyTaskPlan::PyTaskPlan(task::Plan plan, std::vector<Attachment> arrays, std::shared_ptr<Bodies> bodies)
    : plan_(std::move(plan)),
      maps_arrays_(std::ranges::any_of(plan_.exchanges(), [](const Exchange& e) { return row_of(e.transport()).maps_arrays; })),
      arrays_(std::move(arrays)),
      bodies_(std::move(bodies)) {}

PyTaskPlan::~PyTaskPlan() {
  // Others may still map the memory of a GPU: without close() it is never freed.
  if (closed_ || !maps_arrays_) return;
  for (Attachment& array : arrays_) array.leak();
}

void PyTaskPlan::close() {
  if (closed_) return;
  {
    const Computing computing;
    plan_.close();
  }
  closed_ = true;
  arrays_.clear();
}

/// Marks arrays as in use by a run, while no other thread of Python can do so.
class PyTaskPlan::Busy {
 public:
  explicit Busy(const std::vector<Attachment>& arrays) : arrays_(arrays) {
    for (const Attachment& array : arrays_) array.array().expect_idle("run()");
    set(PyArray::Use::busy);
  }
  ~Busy() { set(PyArray::Use::idle); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  void set(PyArray::Use use) const {
    for (const Attachment& array : arrays_) array.set_use(use);
  }
  const std::vector<Attachment>& arrays_;
};

/// Waits for the work on arrays of a GPU before a run.
void PyTaskPlan::wait_for_arrays(nb::handle theirs) const {
  for (const Attachment& array : arrays_) {
    Stream& stream = array.array().stream();
    wait_for_theirs(stream, theirs);
    if (stream.is_host()) continue;
    const nb::gil_scoped_release released;
    stream.wait();
    return;
  }
}

void PyTaskPlan::with_bodies(const nb::list& functions, nb::handle stream, const std::function<void()>& run) {
  const Communicator& comm = plan_.comm();
  std::string problem;
  if (closed_) throw ContractError("use of a plan after close()", "compile the graph again");
  std::optional<Busy> busy;
  try {
    busy.emplace(arrays_);
    wait_for_arrays(stream);
  } catch (const Error& error) {
    problem = error.problem();
  } catch (const nb::python_error& error) {  // thrown by an attribute of `stream`
    problem = text_of(error);
  }
  cause_.reset();
  const Computing computing;
  agree_on(comm, problem, "run the plan when no exchange of its arrays is in flight");
  // The plans of a graph share its bodies, so that these are set by the thread that computes.
  bodies_->functions = functions;
  try {
    run();
  } catch (...) {
    if (bodies_->cause) cause_.emplace(std::move(*bodies_->cause));
    bodies_->cause.reset();
    throw;
  }
}

nb::tuple PyTaskPlan::repeat_until(int number, int most, const nb::list& functions, task::Trace* trace, nb::handle stream) {
  task::Plan::Repeated repeated{};
  const std::size_t last = nb::len(functions) - 1;
  with_bodies(functions, stream, [&] {
    repeated = plan_.repeat_until(
        task::DataId(number), [&](double value) { return bodies_->holds(last, value); }, most, trace);
  });
  return nb::make_tuple(repeated.iterations, repeated.fulfilled);
}

nb::object PyTaskPlan::take_cause() {
  if (!cause_) return nb::none();
  const nb::python_error error = std::move(*std::exchange(cause_, std::nullopt));
  return nb::borrow(error.value());
}

void bind_task_plan(nb::module_& module) {
  nb::class_<PyTaskPlan>(module, "TaskPlan", "A compiled graph; weft.task.Plan adds its functions.")
      .def("run", &PyTaskPlan::run, nb::arg("iterations"), nb::arg("functions"), nb::arg("trace").none(),
           nb::arg("stream").none(), "Executes iterations with these bodies. Collective.")
      .def("repeat_until", &PyTaskPlan::repeat_until, nb::arg("number"), nb::arg("most"), nb::arg("functions"),
           nb::arg("trace").none(), nb::arg("stream").none(),
           "Executes iterations until the last function is true of a number. Collective.")
      .def("close", &PyTaskPlan::close, "Ends the exchanges and gives up the arrays. Collective.")
      .def("take_cause", &PyTaskPlan::take_cause, "Returns the exception of a body of this rank in the last run, or None.")
      .def(
          "text", [](const PyTaskPlan& p) { return p.plan().text(); }, "Returns the nodes as text.")
      .def(
          "dot", [](const PyTaskPlan& p) { return p.plan().dot(); }, "Returns the nodes for Graphviz.")
      .def(
          "svg", [](const PyTaskPlan& p) { return p.plan().svg(); }, "Returns a picture of the nodes as SVG.")
      .def(
          "json", [](const PyTaskPlan& p) { return p.plan().json(); }, "Returns the nodes as JSON.");
}

}  // namespace weft::python
