// weft.task: graphs of tasks whose bodies are functions of Python. The functions and their arguments are kept by
// python/weft/task.py, so that Python's garbage collector sees them.
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/device/device.hpp"
#include "weft/task/graph.hpp"
#include "weft/task/recording.hpp"

#include "arguments.hpp"
#include "array.hpp"
#include "bindings.hpp"

namespace weft::python {
namespace {

inline constexpr Registry kParts{
    "part", std::array{Row{task::Part::all, "all", "all rows"}, Row{task::Part::owned, "owned", "rows of this rank"},
                       Row{task::Part::ghost, "ghosts", "copies of rows of other ranks"},
                       Row{task::Part::boundary, "boundary", "rows that no exchange changes"},
                       Row{task::Part::inner, "inner", "owned rows that need no ghost rows"},
                       Row{task::Part::border, "border", "the other owned rows"}}};
inline constexpr Registry kModes{
    "access", std::array{Row{task::Mode::read, "reads", ""}, Row{task::Mode::write, "writes", ""},
                         Row{task::Mode::read_write, "reads_writes", ""}, Row{task::Mode::reduce, "reduces", ""}}};

/// Returns "type: text" of an exception of Python; only the type if its text cannot be made.
std::string text_of(const nb::python_error& error) {
  auto type = nb::cast<std::string>(error.type().attr("__name__"));
  try {
    return fmt::format("{}: {}", type, nb::cast<std::string>(nb::str(error.value())));
  } catch (const std::exception&) {  // thrown by __str__ or the conversion to UTF-8
    return type;
  }
}

/// A number of a graph, on one or both sides.
class PyNumber {
 public:
  PyNumber(double value, const std::string& backend)
      : vector_(std::make_shared<HostDeviceVector<double>>(1, named(kBackends, backend), "number")) {
    set(value);
  }
  [[nodiscard]] double get() const {
    if (!vector_->fresh(Side::host)) vector_->to_host(After()).wait();
    return std::as_const(*vector_)[0];
  }
  void set(double value) { vector_->write(Side::host)[0] = value; }
  [[nodiscard]] HostDeviceVector<double>& vector() const { return *vector_; }
  /// Returns a view for a task, of shape (1,), which marks nothing.  @throws ContractError if there is no device side.
  [[nodiscard]] nb::object view_of_task(nb::handle self, Side side, bool writable) const {
    const Backend backend = vector_->backend();
    if (side == Side::device && backend == Backend::host) {
      throw ContractError("the number has no device side", "create it with backend=\"cuda\" or \"mirror\"");
    }
    Block block;
    vector_->suspend_tracking();
    block.data = vector_->write(side).data();
    vector_->resume_tracking();
    block.shape[0] = 1;
    block.strides[0] = 1;
    block.read_only = !writable && side == Side::host;
    if (side == Side::host) return as_numpy(block, self);
    if (is_cuda(backend)) std::tie(block.device_type, block.device) = std::pair(nb::device::cuda::value, current_device());
    return nb::cast(DeviceView(block, nb::borrow(self), is_cuda(backend) ? &runtime_stream(backend) : nullptr, Order::by_caller));
  }

 private:
  std::shared_ptr<HostDeviceVector<double>> vector_;
};

/// A task::Recording until end().
class PyRecording {
 public:
  PyRecording(const Communicator& comm, const std::string& path) {
    const Computing computing;
    recording_.emplace(comm, path);
  }
  void end() {
    const Computing computing;
    if (!recording_) return;
    try {
      recording_->write();
    } catch (...) {
      recording_.reset();
      throw;
    }
    recording_.reset();
  }

 private:
  std::optional<task::Recording> recording_;
};

/// The functions of a graph while one of its plans runs, and the first exception that one of them raised. Of the thread that
/// computes.
struct Bodies {
  nb::handle functions;  ///< a list, of the caller of run()
  std::optional<nb::python_error> cause{};

  void call(std::size_t task) {
    guarded([&] { functions[task](); });
  }
  void call(std::size_t task, task::Rows rows) {
    guarded([&] { functions[task](slice_of(rows)); });
  }
  void call(std::size_t task, Stream& stream) {
    guarded([&] { in_stream(stream, [&] { functions[task](address_of(stream)); }); });
  }
  void call(std::size_t task, Stream& stream, task::Rows rows) {
    guarded([&] { in_stream(stream, [&] { functions[task](address_of(stream), slice_of(rows)); }); });
  }
  /// Returns what a condition says to a value.
  [[nodiscard]] bool holds(std::size_t condition, double value) {
    bool result = false;
    guarded([&] { result = PyObject_IsTrue(nb::object(functions[condition](value)).ptr()) == 1; });
    return result;
  }

 private:
  [[nodiscard]] static std::uintptr_t address_of(Stream& stream) { return reinterpret_cast<std::uintptr_t>(stream.handle()); }
  [[nodiscard]] static nb::object slice_of(task::Rows rows) {
    const nb::int_ first(rows.first().value()), last(rows.last().value());
    return nb::steal(PySlice_New(first.ptr(), last.ptr(), nullptr));
  }
  /// Calls Python. @throws ContractError with the text of an exception, which is kept.
  template <class F>
  void guarded(const F& call_python) {
    const nb::gil_scoped_acquire acquired;
    const InTask in_task;
    try {
      call_python();
      if (PyErr_Occurred() != nullptr) nb::raise_python_error();
    } catch (nb::python_error& error) {
      const std::string text = text_of(error);
      if (!cause) cause.emplace(std::move(error));
      throw ContractError(text);
    }
  }
};

/// A compiled graph. Its arrays can be neither closed nor resized while it exists.
class PyTaskPlan {
 public:
  PyTaskPlan(task::Plan plan, std::vector<Attachment> arrays, std::shared_ptr<Bodies> bodies)
      : plan_(std::move(plan)),
        maps_arrays_(std::ranges::any_of(plan_.exchanges(), [](const Exchange& e) { return e.transport() == Transport::peer; })),
        arrays_(std::move(arrays)),
        bodies_(std::move(bodies)) {}
  PyTaskPlan(const PyTaskPlan&) = delete;
  PyTaskPlan& operator=(const PyTaskPlan&) = delete;
  ~PyTaskPlan() {
    // Others may still map the memory of a GPU: without close() it is never freed.
    if (closed_ || !maps_arrays_) return;
    for (Attachment& array : arrays_) array.leak();
  }

  void close() {
    if (closed_) return;
    {
      const Computing computing;
      plan_.close();
    }
    closed_ = true;
    arrays_.clear();
  }

  /// @param functions  the bodies, by task.
  /// @param stream  the work of the device follows that in this stream, see wait_for_theirs().
  /// @param run  executes the plan.
  template <class Run>
  void with_bodies(const nb::list& functions, nb::handle stream, const Run& run) {
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
  void run(int iterations, const nb::list& functions, task::Trace* trace, nb::handle stream) {
    with_bodies(functions, stream, [&] { plan_.run(iterations, trace); });
  }
  /// Returns the iterations, and whether the condition holds. @param condition  the last of `functions`.
  [[nodiscard]] nb::tuple repeat_until(int number, int most, const nb::list& functions, task::Trace* trace, nb::handle stream) {
    task::Plan::Repeated repeated{};
    const std::size_t last = nb::len(functions) - 1;
    with_bodies(functions, stream, [&] {
      repeated = plan_.repeat_until(
          task::DataId(number), [&](double value) { return bodies_->holds(last, value); }, most, trace);
    });
    return nb::make_tuple(repeated.iterations, repeated.fulfilled);
  }
  /// Returns the exception of a body of this rank in the last run, or None.
  [[nodiscard]] nb::object take_cause() {
    if (!cause_) return nb::none();
    const nb::python_error error = std::move(*std::exchange(cause_, std::nullopt));
    return nb::borrow(error.value());
  }
  [[nodiscard]] const task::Plan& plan() const { return plan_; }

 private:
  /// Marks arrays as in use by a run, while no other thread of Python can do so.
  class Busy {
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
  void wait_for_arrays(nb::handle theirs) const {
    for (const Attachment& array : arrays_) {
      Stream& stream = array.array().stream();
      wait_for_theirs(stream, theirs);
      if (stream.is_host()) continue;
      const nb::gil_scoped_release released;
      stream.wait();
      return;
    }
  }

  task::Plan plan_;
  bool maps_arrays_;  ///< other processes map memory of the arrays
  std::vector<Attachment> arrays_;
  std::shared_ptr<Bodies> bodies_;
  std::optional<nb::python_error> cause_;  ///< exception of a body in the last run
  bool closed_ = false;
};

class PyTaskGraph {
 public:
  explicit PyTaskGraph(nb::handle comm) : comm_(communicator_of(comm)), graph_(comm_) {}

  int add_array(nb::handle array, const std::string& name, std::int32_t inner) {
    auto& py_array = nb::cast<PyArray&>(array);
    py_array.expect_idle("Graph.array()");
    const int number = graph_.add_array(name, py_array.any().ref(), inner).value();
    data_.push_back(nb::borrow(array));
    return number;
  }
  int add_number(nb::handle number, const std::string& name) {
    const int id = graph_.add_number(name, nb::cast<PyNumber&>(number).vector()).value();
    data_.push_back(nb::borrow(number));
    return id;
  }
  /// Returns the argument of a task for an access to an array or a number. @param rows  of an array: all, owned, ...
  [[nodiscard]] nb::object view(int data, const std::string& rows, const std::string& side, bool writable) const {
    const nb::object& object = data_.at(static_cast<std::size_t>(data));
    const Side on = named(kSides, side);
    if (nb::isinstance<PyNumber>(object)) return nb::cast<PyNumber&>(object).view_of_task(object, on, writable);
    return nb::cast<PyArray&>(object).view_of_task(object, rows, on, writable);
  }
  /// @param accesses  data, mode, part, operation.
  void add_task(const std::string& name, const std::vector<std::tuple<int, std::string, std::string, std::string>>& accesses,
                bool rows, const std::string& side) {
    std::vector<task::Access> list;
    for (const auto& [data, mode, part, op] : accesses) {
      list.push_back({task::DataId(data), named(kModes, mode), named(kParts, part), named(kReductions, op)});
    }
    const std::size_t number = tasks_++;
    const auto whole = [bodies = bodies_, number](auto&... stream) { bodies->call(number, stream...); };
    using Divided = std::function<void(task::Rows)>;
    using DividedOnDevice = std::function<void(Stream&, task::Rows)>;
    if (named(kSides, side) == Side::host) {
      if (rows) {
        graph_.add_task(name, std::move(list), Divided([bodies = bodies_, number](task::Rows r) { bodies->call(number, r); }));
      } else {
        graph_.add_task(name, std::move(list), std::function<void()>(whole));
      }
    } else if (rows) {
      graph_.add_task(name, std::move(list), on(task::device),
                      DividedOnDevice([bodies = bodies_, number](Stream& s, task::Rows r) { bodies->call(number, s, r); }));
    } else {
      graph_.add_task(name, std::move(list), on(task::device), std::function<void(Stream&)>(whole));
    }
  }
  [[nodiscard]] std::unique_ptr<PyTaskPlan> compile(int threads, bool check, bool record) {
    std::optional<task::Plan> plan;
    {
      const Computing computing;
      plan.emplace(graph_.compile(threads, check ? task::Check::accesses : task::Check::none, Transport::automatic,
                                  record ? task::Launch::as_graphs : task::Launch::by_bodies));
    }
    std::vector<Attachment> arrays;
    for (const nb::object& data : data_) {
      if (nb::isinstance<PyArray>(data)) arrays.emplace_back(data);
    }
    return std::make_unique<PyTaskPlan>(std::move(*plan), std::move(arrays), bodies_);
  }

 private:
  Communicator comm_;
  task::Graph graph_;
  std::vector<nb::object> data_;  ///< arrays and numbers, by number
  std::shared_ptr<Bodies> bodies_ = std::make_shared<Bodies>();
  std::size_t tasks_ = 0;
};

}  // namespace

void bind_task(nb::module_& module) {
  nb::class_<PyNumber>(module, "TaskNumber",
                       "A number of a task graph, equal on all ranks except while tasks reduce into it. weft.task.Graph.number\n"
                       "creates it.")
      .def(nb::init<double, const std::string&>(), nb::arg("value"), nb::arg("backend") = "host")
      .def_prop_rw("value", &PyNumber::get, &PyNumber::set,
                   "The present value, a float; may be set between runs, to the same value on all ranks.")
      .def_prop_ro(
          "backend", [](const PyNumber& n) { return name_in(kBackends, n.vector().backend()); },
          "Where the device side is: \"host\" (there is none), \"mirror\" or \"cuda\".")
      .def("__repr__", [](const PyNumber& n) { return fmt::format("<weft.TaskNumber: {}>", n.get()); });

  nb::class_<task::Trace>(module, "TaskTrace", "What plans executed when, on this rank. See weft.task.Trace.")
      .def(nb::init<>())
      .def(
          "summary",
          [](const task::Trace& trace, nb::handle comm) {
            const Communicator ranks = communicator_of(comm);
            const Computing computing;
            return trace.summary(ranks);
          },
          nb::arg("comm") = nb::none(),
          "Returns a text on rank 0: critical path, overlap, load, waits and messages of all ranks; \"\" on other ranks.\n\n"
          "comm: the ranks of the plan: None (all ranks), a weft.Communicator or an mpi4py communicator. Collective.")
      .def(
          "write",
          [](const task::Trace& trace, const std::string& path, nb::handle comm) {
            const Communicator ranks = communicator_of(comm);
            const Computing computing;
            trace.write(ranks, path);
          },
          nb::arg("path"), nb::arg("comm") = nb::none(),
          "Writes the events of all ranks as a Chrome trace, which https://ui.perfetto.dev shows. Collective.\n\n"
          "Raises IoError on every rank if the file cannot be written.")
      .def(
          "__len__", [](const task::Trace& trace) { return trace.events().size(); }, "Number of events of this rank.");

  nb::class_<PyRecording>(module, "TraceRecording", "A trace of this process from its construction to end(). See weft.flow.")
      .def(nb::init<const Communicator&, const std::string&>(), nb::arg("comm"), nb::arg("path"),
           "Raises IoError on every rank if the file cannot be written. Collective.")
      .def("end", &PyRecording::end, "Writes the file. Collective.\n\nRaises IoError on every rank if it cannot be written.");

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
          "json", [](const PyTaskPlan& p) { return p.plan().json(); }, "Returns the nodes as JSON.");

  nb::class_<PyTaskGraph>(module, "TaskGraph", "Data and tasks; weft.task.Graph keeps their functions.")
      .def(nb::init<nb::handle>(), nb::arg("comm").none())
      .def("add_array", &PyTaskGraph::add_array, nb::arg("array"), nb::arg("name"), nb::arg("inner"),
           "Adds a weft.Array and returns its number.")
      .def("add_number", &PyTaskGraph::add_number, nb::arg("number"), nb::arg("name"), "Adds a number and returns its number.")
      .def("view", &PyTaskGraph::view, nb::arg("data"), nb::arg("rows"), nb::arg("side"), nb::arg("writable"),
           "Returns the argument of a task for an array or a number.")
      .def("add_task", &PyTaskGraph::add_task, nb::arg("name"), nb::arg("accesses"), nb::arg("rows"), nb::arg("side"),
           "Adds a task of (data, mode, part, operation).")
      .def("compile", &PyTaskGraph::compile, nb::arg("threads"), nb::arg("check"), nb::arg("record"),
           "Compiles the graph. Collective.");
}

}  // namespace weft::python
