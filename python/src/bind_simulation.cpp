// The classes and functions of _weft that weft.flow uses.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/flow/app/case.hpp"

#include "bindings.hpp"
#include "device_view.hpp"
#include "run_case.hpp"
#include "simulation.hpp"

namespace weft::python {
namespace {

constexpr int kVars = flow::Solver::kVars;

/// Returns a read-only view of the state on the host, (owned, 5); of a simulation on a GPU a copy.
nb::object conserved_of(nb::handle self) {
  const Use use(nb::cast<Simulation&>(self).in_use());
  const flow::Solver& solver = nb::cast<const Simulation&>(self).solver();
  const std::span<const double> values = solver.conserved();
  const std::size_t rows = values.size() / kVars;
  if (solver.on_gpu()) return array_of(std::vector<double>(values.begin(), values.end()), kVars);
  return view(values.data(), rows, kVars, self);
}

/// Returns a read-only view of density, velocity and pressure on the host, (owned, 5); empty on a GPU.
nb::object primitive_of(nb::handle self) {
  const Use use(nb::cast<Simulation&>(self).in_use());
  const std::span<const double> values = nb::cast<const Simulation&>(self).solver().primitives();
  return view(values.data(), values.size() / kVars, kVars, self);
}

/// Visits the objects that a simulation holds, so that a cycle through a function of the user is collected.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  return nb::inst_ptr<Simulation>(self)->functions().traverse(visit, arg);
}
int clear(PyObject* self) {
  nb::inst_ptr<Simulation>(self)->forget_functions();
  return 0;
}
PyType_Slot kSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

nb::tuple as_tuple(const flow::StepReport& report) { return nb::make_tuple(report.step, report.time, report.dt, report.retries); }

void bind_steps(nb::class_<Simulation>& type) {
  type.def(nb::init<const Communicator&, const io::CaseFile&, nb::object, nb::object, nb::dict, nb::object>(), nb::arg("comm"),
           nb::arg("file"), nb::arg("mesh").none(), nb::arg("initial").none(), nb::arg("boundary"), nb::arg("source").none())
      .def(
          "step", [](Simulation& s, double dt_limit) { return as_tuple(s.step(dt_limit)); }, nb::arg("dt_limit"))
      .def(
          "run",
          [](Simulation& s, std::optional<double> time, std::optional<std::int64_t> steps, std::optional<double> residual,
             std::optional<double> wall_seconds, const nb::object& callback, std::int64_t every, const nb::object& progress) {
            Until until = s.criteria_of_case();
            if (time || steps || residual || wall_seconds) until = Until{};
            if (time) until.time = *time;
            if (steps) until.to_make = *steps;
            if (residual) until.residual = *residual;
            if (wall_seconds) until.wall_seconds = *wall_seconds;
            return s.run(until, callback, every, progress);
          },
          nb::arg("time").none(), nb::arg("steps").none(), nb::arg("residual").none(), nb::arg("wall_seconds").none(),
          nb::arg("callback").none(), nb::arg("every"), nb::arg("progress").none())
      .def("restore", &Simulation::restore, nb::arg("state"), nb::arg("time"), nb::arg("step"))
      .def("write_checkpoint", &Simulation::write_checkpoint)
      .def("read_checkpoint", &Simulation::read_checkpoint);
}

void bind_values(nb::class_<Simulation>& type) {
  type.def_prop_ro("mesh", &Simulation::mesh)
      .def_prop_ro("warnings", &Simulation::warnings)
      .def_prop_ro("effective_case", &Simulation::effective)
      .def_prop_ro("time", &Simulation::time)
      .def_prop_ro("steps", &Simulation::steps)
      .def_prop_ro("residual", &Simulation::residual)
      .def_prop_ro("on_gpu", [](const Simulation& s) { return s.solver().on_gpu(); })
      .def_prop_ro("title", [](const Simulation& s) { return s.flow_case().title; })
      .def_prop_ro("conserved", [](nb::handle self) { return conserved_of(self); })
      .def_prop_ro("primitive", [](nb::handle self) { return primitive_of(self); })
      .def_prop_ro("residuals", &Simulation::residuals)
      .def_prop_ro("forces", &Simulation::forces)
      .def_prop_ro("probes", &Simulation::probes)
      .def_prop_ro("gamma", [](const Simulation& s) { return s.flow_case().gas.gamma; })
      .def("field", &Simulation::field, nb::arg("name"))
      .def(
          "on_device",
          [](nb::handle self, const std::string& name, bool read_only) {
            const Use use(nb::cast<Simulation&>(self).in_use());
            const flow::Solver& solver = nb::cast<const Simulation&>(self).solver();
            return field_on_device(solver.on_device(), static_cast<std::size_t>(solver.mesh().owned_cells), name, read_only,
                                   self);
          },
          nb::arg("name"), nb::arg("read_only"))
      .def("on_zone", &Simulation::on_zone, nb::arg("name"))
      .def("field_names", &Simulation::field_names)
      .def_prop_ro("monitors", &Simulation::monitors)
      .def_prop_ro("integrals", &Simulation::integrals)
      .def("totals", &Simulation::totals)
      .def("read_fields", [](const Simulation& s, const std::string& file) { return read_fields(s.solver().mesh(), file); });
}

}  // namespace

void bind_simulation(nb::module_& module) {
  nb::class_<io::CaseFile>(module, "CaseFile");
  module.def("read_case", [](const Communicator& comm, const std::string& path, const std::vector<std::string>& overrides) {
    const Computing computing;
    return flow::read_case_file(comm, path, overrides);
  });
  module.def("case_of_text", [](const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
    return io::CaseFile::from_text(text, name, overrides);
  });
  module.def("case_reference", &flow::case_reference);
  module.def("run_case", &run_case, nb::arg("comm"), nb::arg("file"), nb::arg("overwrite"), nb::arg("resume"),
             nb::arg("accept_changes"), nb::arg("initial").none(), nb::arg("boundary"), nb::arg("source").none(),
             nb::arg("observer"));

  nb::class_<Simulation> type(module, "Simulation", nb::type_slots(kSlots));
  bind_steps(type);
  bind_values(type);
}

}  // namespace weft::python
