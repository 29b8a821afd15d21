#pragma once
// The class weft._weft.Simulation: a flow case in memory, its solver, its histories and its fields.
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/app/case.hpp"
#include "weft/flow/app/output_fields.hpp"
#include "weft/flow/app/zone_vortices.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/io/case/case_reader.hpp"

#include "bindings.hpp"
#include "functions.hpp"
#include "history.hpp"

namespace weft::python {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// When run() ends; the first that holds.
struct Until {
  double time = kNever;
  std::int64_t steps = std::numeric_limits<std::int64_t>::max();    ///< number of the last step, Solver::steps()
  std::int64_t to_make = std::numeric_limits<std::int64_t>::max();  ///< steps of this run, wherever it is restored to
  double residual = 0, wall_seconds = kNever;
};

/// A mark of who uses a simulation. Read and written with the GIL.
struct Usage {
  bool taken = false;    ///< a thread uses it
  bool claimed = false;  ///< a run waits to use it again, and no other use may begin
};

/// The use of a simulation by one thread, which neither another thread nor a function of Python that this use calls may overlap.
/// Created and destroyed with the GIL.
class Use {
 public:
  explicit Use(Usage& usage) : usage_(usage) {
    if (usage.taken || usage.claimed) {
      throw ContractError("this simulation is in use: by another thread, or by the step, run or function that calls this",
                          "wait for the other thread; call step() and run() outside of functions and callbacks of a run");
    }
    usage.taken = true;
  }
  ~Use() { usage_.taken = false; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  Usage& usage_;
};

class Simulation {
 public:
  /// @param mesh  a PyMesh, or None: that of the case.
  /// @param initial, boundary, source  as of Functions.
  Simulation(const Communicator& comm, const io::CaseFile& file, nb::object mesh, nb::object initial, nb::dict boundary,
             nb::object source);

  [[nodiscard]] const flow::Solver& solver() const { return *solver_; }
  [[nodiscard]] const flow::Case& flow_case() const { return case_; }
  [[nodiscard]] const Functions& functions() const { return functions_; }
  [[nodiscard]] Usage& in_use() { return in_use_; }
  void forget_functions() { functions_.forget(); }
  [[nodiscard]] const nb::object& mesh() const { return mesh_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  [[nodiscard]] std::string effective() const { return reader_.effective_toml(); }
  /// Time, number and residual of the last completed step, which any thread may read.
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] double residual() const { return residual_; }

  /// Makes a step of at most the smallest dt_limit of all ranks.  @throws InputError on every rank unless it is above 0.
  flow::StepReport step(double dt_limit);

  /// Returns when a run() without arguments ends: as [stop] says.
  [[nodiscard]] Until criteria_of_case() const;

  /// Makes steps and returns why they end. Where the solver works ahead, the host is needed between two steps for a callback, for
  /// rows of histories of the state, where a residual ends the run, and every 0.1 s for signals and the clock.
  /// @param callback  called every `every` steps, or None.
  /// @param progress  called every 0.2 s or more, between steps at which the host is needed; or None. This rank alone.
  std::string run(const Until& until, const nb::object& callback, std::int64_t every, const nb::object& progress);

  [[nodiscard]] nb::dict residuals() const { return residuals_->columns(); }
  [[nodiscard]] nb::dict forces() const { return named(case_.forces, forces_); }
  [[nodiscard]] nb::dict probes() const { return named(case_.probes, probe_values_); }
  [[nodiscard]] nb::dict monitors() const { return named(case_.monitors, monitors_); }
  [[nodiscard]] nb::dict integrals() const { return integrals_->columns(); }

  /// Returns the values of a field in the owned cells: (owned,) or (owned, components).
  [[nodiscard]] nb::object field(const std::string& name);

  /// Returns the pressure in the fluxes through the faces of a boundary zone on this rank, and Cp where the free stream moves.
  /// @collective
  [[nodiscard]] nb::dict on_zone(const std::string& name);

  /// Returns the names that field() takes.
  [[nodiscard]] std::vector<std::string> field_names() const;

  /// Sets the state of the owned cells and the clock; histories begin again.
  void restore(const nb::ndarray<const double, nb::c_contig, nb::device::cpu>& conserved, double time, std::int64_t step);

  /// Returns the integrals of the conserved variables over the domain, (5,).  @collective
  [[nodiscard]] nb::object totals();

  /// Writes the state to a file, or reads it.  @collective
  void write_checkpoint(const std::string& file);
  void read_checkpoint(const std::string& file);

 private:
  /// Creates the solver and sets the initial state.  @collective
  void begin(const mesh::Mesh& m);

  void begin_histories();
  static flow::Case read(const Communicator& comm, const io::CaseReader& reader);
  [[nodiscard]] nb::object load() const;
  [[nodiscard]] bool has(flow::FieldKind field) const;
  [[nodiscard]] std::int64_t to_multiple_of(std::int64_t interval) const { return interval - solver_->steps() % interval; }
  template <class Specs>
  [[nodiscard]] static nb::dict named(const Specs& specs, const std::vector<History>& histories) {
    nb::dict all;
    for (std::size_t k = 0; k < histories.size(); ++k) all[nb::str(specs[k].name.c_str())] = histories[k].columns();
    return all;
  }

  /// Makes the steps that `work` makes and reports, and keeps their histories. Where a function of Python raised an exception,
  /// the state is that before the step.  @collective
  template <class Work>
  void advance(const Work& work) {
    try {
      keep(work());
      vortices_->update(*solver_);
      publish();
    } catch (const PhysicsError&) {
      if (!functions_.failed(comm_)) throw;
      solver_->undo_failed_step();
      functions_.agree(comm_);
    }
    functions_.agree(comm_);
  }
  void refresh();
  /// Sets what other threads read of the clock.
  void publish() { time_ = solver_->time(), steps_ = solver_->steps(); }
  void clear_histories(double largest_residual, double residual);

  /// Returns the number of steps until run() needs the host, if there is no callback. @param made  steps that it has made.
  [[nodiscard]] std::int64_t steps_ahead(const Until& until, std::int64_t made) const;

  /// Adds the rows of the histories at these steps, the last of which is that of the present state.  @collective
  void keep(const std::vector<flow::StepReport>& reports);
  void keep_state();

  Communicator comm_;
  io::CaseReader reader_;
  Functions functions_;
  flow::Case case_;
  nb::object mesh_;
  std::vector<std::string> warnings_;
  std::vector<flow::Probe> probes_;
  std::unique_ptr<flow::Solver> solver_;
  std::optional<flow::ZoneVortices> vortices_;
  std::optional<History> residuals_;
  std::optional<History> integrals_;
  std::vector<History> forces_, probe_values_, monitors_;
  double largest_residual_ = 0;
  std::atomic<double> residual_ = 1, time_ = 0;
  std::atomic<std::int64_t> steps_ = 0;
  Usage in_use_;    ///< a thread computes or reads the state
  Usage stepping_;  ///< step() or run() is under way, also in its callbacks
};

}  // namespace weft::python
