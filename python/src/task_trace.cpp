// weft.task.Trace, and the recordings of runs.
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "weft/task/recording.hpp"
#include "weft/task/trace.hpp"

#include "arguments.hpp"
#include "bindings.hpp"

namespace weft::python {
namespace {

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

}  // namespace

void bind_task_trace(nb::module_& module) {
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
}

}  // namespace weft::python
