#include "run_case.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "weft/flow/app/case_check.hpp"
#include "weft/flow/app/run.hpp"

#include "functions.hpp"
#include "run_record.hpp"

namespace weft::python {
namespace {

/// Reports the events of a run to Python, and asks it whether the run shall end. An exception of Python, also that of a signal,
/// ends the run as an interrupt does: on all ranks and with a checkpoint.
class Told final : public flow::RunObserver {
 public:
  explicit Told(nb::object observer) : tell_(std::move(observer)) {}
  void mesh_ready(const mesh::Mesh& mesh, double /*seconds*/) override {
    tell("mesh", fmt::format("{} cells", mesh.global_cells));
  }
  void warned(const std::string& text) override { tell("warning", text); }
  void noted(const std::string& text) override { tell("note", text); }
  void advanced(const flow::Progress& p) override {
    guarded([&] { tell_("progress", nb::make_tuple(p.step, p.time, p.residual, p.fraction, p.seconds_left)); });
  }
  void wrote(const std::filesystem::path& file) override { tell("wrote", file.string()); }
  /// Returns whether Python says so, or raised an exception, which rethrow() raises again.
  [[nodiscard]] bool stopped() {
    bool result = false;
    guarded([&] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      result = nb::cast<bool>(tell_("stopped", nb::none()));
    });
    return result || error_;
  }
  void rethrow() {
    if (error_) throw std::move(*error_);
  }

 private:
  void tell(const char* event, const std::string& text) {
    guarded([&] { tell_(event, text); });
  }
  template <class F>
  void guarded(const F& call_python) {
    if (error_) return;
    const nb::gil_scoped_acquire acquired;
    try {
      call_python();
    } catch (nb::python_error& error) {
      error_.emplace(std::move(error));
    }
  }
  nb::object tell_;
  std::optional<nb::python_error> error_;
};

[[nodiscard]] nb::dict as_dict(const flow::RunSummary& summary) {
  nb::dict result, on;
  for (const auto& [name, forces] : summary.forces) {
    nb::dict values;
    values["force"] = nb::make_tuple(forces.force.x, forces.force.y, forces.force.z);
    values["moment"] = nb::make_tuple(forces.moment.x, forces.moment.y, forces.moment.z);
    values["drag"] = forces.drag;
    values["lift"] = forces.lift;
    values["pitch"] = forces.pitch;
    on[nb::str(name.c_str())] = values;
  }
  nb::list lines;
  for (const std::string& line : flow::describe(summary.verdict)) lines.append(nb::str(line.c_str()));
  result["reason"] = flow::describe(summary.reason);
  result["steps"] = summary.steps;
  result["time"] = summary.time;
  result["cells"] = summary.cells;
  result["residual"] = summary.residual;
  result["wall_seconds"] = summary.wall_seconds;
  result["cell_residuals_per_second"] = summary.cell_residuals_per_second;
  result["forces"] = on;
  result["good"] = summary.verdict.good;
  result["verdict"] = nb::str("\n").attr("join")(lines);
  return result;
}

}  // namespace

nb::dict run_case(const Communicator& comm, const io::CaseFile& file, bool overwrite, bool resume, bool accept_changes,
                  nb::object initial, nb::dict boundary, nb::object source, nb::object observer) {
  const io::CaseReader reader(file);
  Functions functions(std::move(initial), std::move(boundary), std::move(source));
  Told told(std::move(observer));
  flow::RunSummary summary;
  std::string folder;
  {
    const Computing computing;
    flow::Case flow_case = flow::read_good_case(comm, reader);
    functions.apply(flow_case);
    for (const std::string& warning : flow_case.warnings) told.warned(warning);
    flow::Existing existing = overwrite ? flow::Existing::overwrite : flow::Existing::refuse;
    if (resume) existing = accept_changes ? flow::Existing::resume_changed : flow::Existing::resume;
    app::RunRecord record(comm, flow_case, resume, told);
    try {
      functions.guard(comm, [&] {
        summary = flow::run(comm, flow_case, reader.effective_toml(), existing, record, [&] { return told.stopped(); });
      });
      functions.agree(comm);
    } catch (const std::exception& error) {
      record.failed(error.what());
      throw;
    }
    folder = flow_case.output.directory.string();
  }
  told.rethrow();
  nb::dict result = as_dict(summary);
  result["folder"] = folder;
  return result;
}

}  // namespace weft::python
