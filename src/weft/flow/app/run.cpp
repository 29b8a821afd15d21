#include "weft/flow/app/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>

#include "weft/base/clock.hpp"
#include "weft/base/error.hpp"
#include "weft/base/malloc_retention.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/device/device.hpp"
#include "weft/flow/app/inflow_checks.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/flow/app/start.hpp"
#include "weft/flow/app/walls.hpp"
#include "weft/flow/app/zone_conditions.hpp"
#include "weft/flow/physics/step_length.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/revolve.hpp"

namespace weft::flow {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

using detail::reached;
using Norms = std::array<double, Solver::kVars>;

/// The largest change of any coefficient over the last `window` steps.
class ForceHistory {
 public:
  explicit ForceHistory(std::int64_t window) : window_(window) {}
  void add(std::int64_t step, std::vector<double> coefficients) {
    rows_.push_back({step, std::move(coefficients)});
    while (rows_.size() > 1 && rows_[1].step <= step - window_) rows_.pop_front();
  }
  /// Infinite until the window is full.
  [[nodiscard]] double change() const {
    if (rows_.empty() || rows_.back().step - rows_.front().step < window_) return kNever;
    double largest = 0;
    for (std::size_t k = 0; k < rows_.back().coefficients.size(); ++k) {
      double low = kNever, high = -kNever;
      for (const Row& row : rows_) {
        low = std::min(low, row.coefficients[k]);
        high = std::max(high, row.coefficients[k]);
      }
      largest = std::max(largest, high - low);
    }
    return largest;
  }

 private:
  struct Row {
    std::int64_t step;
    std::vector<double> coefficients;
  };
  std::int64_t window_;
  std::deque<Row> rows_;
};

/// The vortex in the far field of a boundary zone.
struct ZoneVortex {
  std::size_t zone;        ///< of the mesh
  const ForceSpec* force;  ///< its lift is that of the vortex
  Primitive stream;
  std::int64_t steps;  ///< between two updates
};

/// Returns the vortices of a case; read_case() has checked the names.
std::vector<ZoneVortex> vortices_of(const mesh::Mesh& mesh, const Case& flow_case) {
  std::vector<ZoneVortex> vortices;
  for (std::size_t z = 0; z < mesh.boundary.size(); ++z) {
    const ZoneCondition* const condition = find_condition(flow_case, mesh.boundary[z].name);
    if (condition == nullptr || !condition->vortex) continue;
    for (const ForceSpec& force : flow_case.forces) {
      if (force.name == condition->vortex->force)
        vortices.push_back({z, &force, condition->params.state, condition->vortex->steps});
    }
  }
  return vortices;
}

/// One run from its first step to its last.
class Run {
 public:
  Run(const Communicator& comm, const Case& flow_case, Solver& solver, Results& results, RunObserver& observer)
      : comm_(comm),
        case_(flow_case),
        solver_(solver),
        results_(results),
        observer_(observer),
        history_(flow_case.stop.force_window),
        vortices_(vortices_of(solver.mesh(), flow_case)) {
    for (const ProbeChoice& probe : case_.probes) probes_.emplace_back(solver.mesh(), probe.at, probe.name, probe.where);
    next_field_ = case_.output.field_interval ? 0 : kNever;
    plan_next_field();
    first_step_ = solver.steps();
    if (first_step_ > 0) recorded_step_ = first_step_;
    first_time_ = solver.time();
  }

  /// What a resumed run remembers of its residuals and its forces.
  void remember(double largest_residual, double residual, const std::vector<Norms>& norms, std::vector<ForceRecord> forces) {
    largest_residual_ = largest_residual;
    residual_ = residual;
    for (const Norms& each : norms) remember_norms(each);
    for (const ForceRecord& record : forces) history_.add(record.step, record.coefficients);
    forces_ = std::move(forces);
    if (!forces_.empty() && !forces_.back().coefficients.empty()) watch_first(forces_.back());
  }
  [[nodiscard]] double largest_residual() const { return largest_residual_; }

  StopReason go(const std::function<bool()>& stop) {
    if (solver_.steps() == 0) {
      recorded_step_ = 0;
      record_state();
      fields_due_ = true;
    }
    clock_.restart();
    while (true) {
      if (const auto reason = reason_to_stop(stop)) return *reason;
      advance();
    }
  }

  [[nodiscard]] double rate() const {
    return stepping_seconds_ > 0
               ? static_cast<double>(solver_.mesh().global_cells) * static_cast<double>(evaluations_) / stepping_seconds_
               : 0.0;
  }
  [[nodiscard]] double residual() const { return residual_; }
  /// @param domain_length  as of RunEnd.
  [[nodiscard]] RunEnd end(StopReason reason, double domain_length) const {
    return {.reason = reason,
            .steps = solver_.steps(),
            .time = solver_.time(),
            .wall_seconds = clock_.seconds(),
            .residual = residual_,
            .force_change = history_.change(),
            .largest_norms = largest_norms_,
            .norms = norms_,
            .forces = forces_,
            .domain_length = domain_length};
  }
  [[nodiscard]] double seconds() const { return clock_.seconds(); }
  /// The histories and fields of the last step, where the intervals have not made them already. A run that was stopped before its
  /// end keeps to its intervals, so that its histories, once it is resumed, are those of a run in one go.
  void finish(StopReason reason) {
    const bool cut_short = reason == StopReason::interrupted || reason == StopReason::wall_time;
    if (recorded_step_ != solver_.steps() && !cut_short) record(last_);
    fields_due_ = last_field_step_ != solver_.steps();
    checkpoint_due_ = true;
    prepare_fields_if_due();
    write_what_is_due();
  }

 private:
  /// Interrupts and the clock need agreement: one small reduction a step. Asks for a checkpoint, too, when one is due by the
  /// clock.
  std::optional<StopReason> reason_to_stop(const std::function<bool()>& stop) {
    const StopCriteria& criteria = case_.stop;
    if (criteria.time && reached(solver_.time(), *criteria.time)) return StopReason::time;
    if (criteria.steps && solver_.steps() >= *criteria.steps) return StopReason::steps;
    if (criteria.residual && solver_.steps() > first_step_ && residual_ <= *criteria.residual) return StopReason::residual;
    if (criteria.force_change && history_.change() <= *criteria.force_change) return StopReason::force_change;
    enum { nothing, checkpoint, late, interrupted };
    int wish = nothing;
    if (comm_.is_root()) {
      const double every = case_.output.checkpoint_seconds;
      if (every > 0 && since_checkpoint_.seconds() >= every) wish = checkpoint;
      if (criteria.wall_time && clock_.seconds() >= *criteria.wall_time) wish = late;
    }
    switch (comm_.max(stop() ? interrupted : wish)) {
      case interrupted:
        return StopReason::interrupted;
      case late:
        return StopReason::wall_time;
      case checkpoint:
        checkpoint_due_ = solver_.steps() > first_step_;
        break;
      default:
        break;
    }
    return std::nullopt;
  }

  /// next_field_: the first multiple of the interval that is still to come.
  void plan_next_field() {
    const std::optional<double> interval = case_.output.field_interval;
    if (!interval) return;
    if (reached(solver_.time(), next_field_))
      next_field_ = *interval * (std::floor(solver_.time() * (1 + 1e-13) / *interval) + 1);
    if (reached(solver_.time(), next_field_)) {
      throw InputError(fmt::format("{} s is nothing beside the time of {} s", *interval, solver_.time()),
                       "choose a longer interval", {.key = "output.field_interval"});
    }
  }

  /// Steps until the next multiple of the interval.
  [[nodiscard]] std::int64_t until_multiple_of(std::int64_t interval) const { return interval - solver_.steps() % interval; }

  /// How many steps may go by before somebody looks at what they did.
  [[nodiscard]] int steps_ahead() const {
    if (!solver_.works_ahead()) return 1;
    // About a tenth of a second, so that interrupts and the clock are heeded in time; a second while fields are written.
    constexpr std::int64_t kCellsAtATime = 64'000'000;
    const mesh::Mesh& m = solver_.mesh();
    const std::int64_t cells = (fields_due_ ? 10 : 1) * kCellsAtATime * m.comm.size();
    std::int64_t most = std::clamp<std::int64_t>(cells / std::max<std::int64_t>(m.global_cells, 1), 1, Solver::kMostAhead);
    const StopCriteria& criteria = case_.stop;
    const OutputChoice& output = case_.output;
    if (criteria.steps) most = std::min(most, *criteria.steps - solver_.steps());
    if (output.field_steps) most = std::min(most, until_multiple_of(*output.field_steps));
    if (output.checkpoint_steps) most = std::min(most, until_multiple_of(*output.checkpoint_steps));
    for (const ZoneVortex& vortex : vortices_) most = std::min(most, until_multiple_of(vortex.steps));
    if (criteria.residual || criteria.force_change || records_state())
      most = std::min(most, until_multiple_of(output.history_steps));
    return static_cast<int>(most);
  }

  /// Some steps, and meanwhile the output of those before.
  void advance() {
    Stopwatch stepping;
    const std::int64_t before = solver_.evaluations();
    const bool writes = fields_due_ || checkpoint_due_;
    prepare_fields_if_due();
    if (writes) solver_.keep_state();
    solver_.start_steps({.count = steps_ahead(),
                         .until = std::min(case_.stop.time.value_or(kNever), next_field_),
                         .rates_interval = case_.output.history_steps});
    if (writes) {
      write_what_is_due();
      if (!solver_.works_ahead()) stepping.restart();  // nothing was done yet
    }
    const std::vector<StepReport> reports = solver_.finish_steps();
    stepping_seconds_ += stepping.seconds();
    evaluations_ += solver_.evaluations() - before;

    last_ = reports.back();
    std::vector<StepReport> rows;
    for (const StepReport& report : reports) {
      if (report.step % case_.output.history_steps == 0) rows.push_back(report);
    }
    record(rows);
    update_vortices();
    fields_due_ = reached(last_.time, next_field_) || (case_.output.field_steps && last_.step % *case_.output.field_steps == 0);
    checkpoint_due_ = case_.output.checkpoint_steps && last_.step % *case_.output.checkpoint_steps == 0;
    plan_next_field();
    observer_.advanced(progress(last_));
  }

  /// Gives the vortices in far fields the circulation of the present lift, where the number of steps asks for it. A checkpoint
  /// holds it, so that a run that is resumed between two updates goes on as in one go.
  void update_vortices() {
    const auto due = [&](const ZoneVortex& vortex) { return solver_.steps() % vortex.steps == 0; };
    if (std::none_of(vortices_.begin(), vortices_.end(), due)) return;
    solver_.refresh();
    for (const ZoneVortex& vortex : vortices_) {
      if (!due(vortex)) continue;
      solver_.set_circulation(vortex.zone, circulation_of(forces(solver_, *vortex.force).force, vortex.stream));
    }
  }

  /// Before the steps during which the fields are written: what is computed from the present state, which costs little.
  void prepare_fields_if_due() {
    if (!fields_due_ || !results_.prepares_fields(solver_.mesh())) return;
    solver_.refresh();
    results_.prepare_fields(solver_);
  }

  void write_what_is_due() {
    if (fields_due_) {
      observer_.wrote(results_.write_fields(solver_));
      last_field_step_ = solver_.steps();
    }
    if (checkpoint_due_) {
      observer_.wrote(results_.write_checkpoint(solver_, largest_residual_, residual_));
      since_checkpoint_.restart();
    }
    fields_due_ = checkpoint_due_ = false;
  }

  /// Histories of these steps.
  void record(std::span<const StepReport> steps) {
    if (steps.empty()) return;
    const auto norms = solver_.residual_norms(steps);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      largest_residual_ = std::max(largest_residual_, norms[i][0]);
      residual_ = largest_residual_ > 0 ? norms[i][0] / largest_residual_ : 0.0;
      results_.add_residuals(steps[i], norms[i]);
      remember_norms(norms[i]);
      recorded_step_ = steps[i].step;
    }
    record_state();
  }
  void record(const StepReport& step) { record(std::span(&step, 1)); }
  void watch_first(const ForceRecord& record) {
    monitored_ = {{"Cd", record.coefficients.at(0)}, {"Cl", record.coefficients.at(1)}};
  }
  void remember_norms(const Norms& norms) {
    norms_ = norms;
    for (std::size_t k = 0; k < norms.size(); ++k) largest_norms_[k] = std::max(largest_norms_[k], norms[k]);
  }

  /// Whether there are histories of the state itself: only the last of some steps has one.
  [[nodiscard]] bool records_state() const {
    return !case_.forces.empty() || !probes_.empty() || !case_.monitors.empty() || case_.integrals;
  }

  void record_state() {
    if (!case_.forces.empty() || !probes_.empty() || !case_.monitors.empty()) solver_.refresh();
    std::vector<Forces> all;
    std::vector<double> coefficients;
    for (const ForceSpec& spec : case_.forces) {
      all.push_back(forces(solver_, spec));
      if (!spec.has_coefficients()) continue;
      coefficients.push_back(all.back().drag);
      coefficients.push_back(all.back().lift);
    }
    if (!all.empty()) {
      results_.add_forces(solver_, all);
      if (coefficients.empty()) monitored_ = {{"Fx", all.front().force.x}, {"Fy", all.front().force.y}};
    }
    if (!coefficients.empty()) {
      forces_.push_back({solver_.steps(), coefficients});
      watch_first(forces_.back());
      history_.add(solver_.steps(), std::move(coefficients));
    }
    std::vector<Primitive> readings;
    std::vector<std::vector<double>> scalars;
    for (const Probe& probe : probes_) {
      readings.push_back(probe.read(solver_));
      scalars.push_back(probe.read_scalars(solver_));
    }
    if (!readings.empty()) {
      results_.add_probes(solver_, readings, scalars);
      if (all.empty()) monitored_ = {{"p(" + case_.probes.front().name + ")", readings.front().pressure}};
    }
    record_monitors();
    if (case_.integrals) results_.add_integrals(solver_, totals(solver_), scalar_totals(solver_));
  }

  void record_monitors() {
    if (case_.monitors.empty()) return;
    if (case_.forces.empty() && probes_.empty()) monitored_.clear();
    std::vector<std::vector<double>> values;
    for (const MonitorSpec& spec : case_.monitors) {
      values.push_back(monitor(solver_, spec));
      for (std::size_t k = 0; k < spec.quantities.size() && spec.in_progress; ++k) {
        monitored_.emplace_back(fmt::format("{}({})", name_of(spec.quantities[k]), spec.name), values.back()[k]);
      }
    }
    results_.add_monitors(solver_, values);
  }

  Progress progress(const StepReport& report) {
    Progress p{.step = report.step,
               .time = report.time,
               .dt = report.dt,
               .residual = residual_,
               .cell_residuals_per_second = rate(),
               .stepping_seconds = stepping_seconds_,
               .monitored = monitored_};
    const StopCriteria& criteria = case_.stop;
    double done = 0;  // of this call, for the time left
    const auto consider = [&](double first, double now, double last) {
      if (last <= first) return;
      p.fraction = std::max(p.fraction, std::clamp(now / last, 0.0, 1.0));
      done = std::max(done, std::clamp((now - first) / (last - first), 0.0, 1.0));
    };
    if (criteria.time) consider(first_time_, report.time, *criteria.time);
    if (criteria.steps)
      consider(static_cast<double>(first_step_), static_cast<double>(report.step), static_cast<double>(*criteria.steps));
    if (criteria.wall_time) consider(0, clock_.seconds(), *criteria.wall_time);
    if (done > 0 && clock_.seconds() > 1) p.seconds_left = clock_.seconds() * (1 - done) / done;
    return p;
  }

  const Communicator& comm_;
  const Case& case_;
  Solver& solver_;
  Results& results_;
  RunObserver& observer_;
  ForceHistory history_;
  std::vector<ZoneVortex> vortices_;
  std::vector<Probe> probes_;
  Stopwatch clock_, since_checkpoint_;
  double next_field_ = kNever, first_time_ = 0;
  std::int64_t first_step_ = 0, last_field_step_ = -1, recorded_step_ = -1, evaluations_ = 0;
  bool fields_due_ = false, checkpoint_due_ = false;  ///< of the present state
  StepReport last_;
  double stepping_seconds_ = 0, largest_residual_ = 0, residual_ = 1;
  Norms largest_norms_{}, norms_{};
  std::vector<ForceRecord> forces_;
  std::vector<std::pair<std::string, double>> monitored_;
};

/// Returns the length of the mesh along the free stream; 0 without one that moves.  @collective
double domain_length(const mesh::Mesh& mesh, const std::optional<Primitive>& stream) {
  if (!stream || norm(stream->velocity) == 0) return 0;
  const Vec3 along = stream->velocity / norm(stream->velocity);
  double low = kNever, high = -kNever;
  for (const Vec3 x : mesh.node_coord) {
    low = std::min(low, dot(x, along));
    high = std::max(high, dot(x, along));
  }
  return mesh.comm.max(high) - mesh.comm.min(low);
}

/// The conditions of the mesh's zones, in its order.
std::vector<BoundaryCondition> match_conditions(const mesh::Mesh& mesh, const Case& flow_case) {
  if (const std::vector<InputError> wrong = check_conditions(mesh, flow_case); !wrong.empty()) throw wrong.front();
  std::vector<BoundaryCondition> matched;
  for (const mesh::BoundaryZone& zone : mesh.boundary) {
    const ZoneCondition* const found = find_condition(flow_case, zone.name);
    BoundaryCondition condition{found->params, {}, {}};
    if (found->prescribed) {
      const InitialState state(*found->prescribed);
      for (const mesh::LocalFaceId face : zone.faces) {
        const Primitive w = state(mesh.face_centroid[face.index()]);  // a bad formula fails here
        if (mesh.axisymmetric && w.velocity.z != 0)
          throw InputError("this state has a velocity about the axis, for which an axisymmetric flow has no equation",
                           "make its velocity along z 0, or compute the flow in 3-D", found->where);
      }
      condition.prescribed = [state](Vec3 x, double t) { return state.at(x, t); };
      condition.of_time = state.of_time();
    }
    std::vector<Vec3> faces;
    for (const mesh::LocalFaceId face : zone.faces) faces.push_back(mesh.face_centroid[face.index()]);
    condition.scalars = make_scalar_inflow(found->scalars, faces);
    matched.push_back(std::move(condition));
  }
  return matched;
}

/// Tells which keys differ from the run that wrote the checkpoint. @throws InputError on every rank where one changes the physics
/// and that is not accepted.
void compare_cases(const std::string& before, const std::string& now, const Case& flow_case, Existing existing,
                   RunObserver& observer) {
  // The lift of a force, and the place of its moment centre, act on a far field with a vortex.
  const bool forces_act = std::any_of(flow_case.boundary.begin(), flow_case.boundary.end(),
                                      [](const ZoneCondition& z) { return z.vortex.has_value(); });
  const std::vector<io::CaseChange> changes = io::case_changes(before, now);
  if (changes.empty()) return;
  constexpr std::size_t kMostListed = 6;
  std::vector<std::string> physics;
  for (const io::CaseChange& change : changes) {
    if (!changes_physics(change.key) && !(forces_act && change.key.starts_with("forces."))) continue;
    const auto shown = [](const std::string& toml) { return toml.empty() ? "absent" : toml; };
    physics.push_back(fmt::format("{} was {} and is {}", change.key, shown(change.before), shown(change.now)));
  }
  if (!physics.empty() && existing != Existing::resume_changed) {
    const std::size_t listed = std::min(physics.size(), kMostListed);
    throw InputError(fmt::format("the case differs from the run to resume in what changes the physics: {}{}",
                                 fmt::join(physics.begin(), physics.begin() + static_cast<std::ptrdiff_t>(listed), "; "),
                                 listed == physics.size() ? "" : fmt::format("; and {} more", physics.size() - listed)),
                     "give these keys their former values, or --accept-changes to go on with the new ones");
  }
  observer.changed(changes);
}

/// @throws DeviceError on every rank where one has no GPU.  @collective
void choose_device(const Communicator& comm, Backend device) {
  if (device == Backend::host) return;
  const Communicator machine = comm.split_shared_memory();
  agreed(comm, [&] { set_device(device_of(machine.rank().value())); });
}

}  // namespace

bool changes_physics(std::string_view key) {
  for (const std::string_view part :
       {"gas.", "mesh.periodic", "free_stream.", "initial.", "scalars.", "boundary.", "numerics.", "body_force.", "source"}) {
    if (key.starts_with(part)) return true;
  }
  return false;
}

namespace {

/// Generates the mesh of a case; an error in a parameter names its place in the case. @collective
mesh::MeshBlock generate(const Communicator& comm, const MeshChoice& choice) {
  try {
    return mesh::generate(comm, choice.generator, choice.parameters);
  } catch (const InputError& error) {
    const auto place = choice.where_parameter.find(error.where().key);
    if (place == choice.where_parameter.end()) throw;
    throw InputError(error.problem(), error.suggestion(), place->second);
  }
}

/// Builds the mesh of a case; an error in a periodic pair names its place in the case. @collective
mesh::Mesh build(const Communicator& comm, mesh::MeshBlock block, const MeshChoice& choice) {
  try {
    return mesh::build(comm, std::move(block), choice.build);
  } catch (const InputError& error) {
    for (std::size_t pair = 0; pair < choice.where_periodic.size(); ++pair) {
      if (error.where().key != fmt::format("mesh.periodic.{}", pair)) continue;
      throw InputError(error.problem(), error.suggestion(), choice.where_periodic[pair]);
    }
    throw;
  }
}

}  // namespace

mesh::Mesh load_mesh(const Communicator& comm, const MeshChoice& choice) {
  agreed(comm, [&] {
    if (comm.is_root() && !choice.file.empty() && !std::filesystem::exists(choice.file)) {
      throw InputError(fmt::format("there is no mesh file {}", choice.file.string()), "check the path", choice.where);
    }
  });
  mesh::MeshBlock block = choice.file.empty() ? generate(comm, choice) : mesh::read_mesh(comm, choice.file.string());
  if (choice.scale != 1 && std::abs(choice.scale - block.file_unit) <= 1e-6 * block.file_unit) {
    throw InputError(
        fmt::format("the mesh {} names its unit of length, by which its coordinates were multiplied already to metres "
                    "({}): mesh.scale would do it a second time",
                    block.source, block.file_unit),
        "leave out mesh.scale", choice.where_scale);
  }
  mesh::scale(block, choice.scale, choice.offset);
  mesh::Mesh mesh = build(comm, std::move(block), choice);
  if (choice.axisymmetric) mesh::revolve(mesh);
  return mesh;
}

void check_outputs(const mesh::Mesh& mesh, const Case& flow_case) {
  for (const ForceSpec& force : flow_case.forces)
    check_zones(mesh, force.zones, "forces." + force.name + ".zones", force.where_zones);
  for (const MonitorSpec& monitor : flow_case.monitors)
    check_zones(mesh, monitor.zones, "monitors." + monitor.name + ".zones", monitor.where_zones);
}

std::unique_ptr<Solver> make_solver(const mesh::Mesh& mesh, const Case& flow_case) {
  auto conditions = agreed(mesh.comm, [&] { return match_conditions(mesh, flow_case); });
  choose_device(mesh.comm, flow_case.device);
  auto solver = std::make_unique<Solver>(mesh, flow_case.gas, std::move(conditions), flow_case.numerics,
                                         flow_case.mesh.build.ghosts, flow_case.source(), flow_case.device, flow_case.transport,
                                         make_scalars(flow_case.scalars), flow_case.threads);
  if (flow_case.free_stream) solver->set_reference(*flow_case.free_stream);
  return solver;
}

std::vector<std::string> check_steps(const Solver& solver) {
  const Numerics& numerics = solver.residual().numerics();
  if (numerics.cfl <= solver.most_cfl()) return {};
  return {fmt::format(
      "numerics.cfl: {:g} is not stable with damped jumps on this mesh, which has other cells than quads and hexahedra (rk_order "
      "{}); steps are those of {:g}; set cfl to that, or stabilize_simplices = false with a limiter",
      numerics.cfl, numerics.rk_stages, solver.most_cfl())};
}

RunSummary run(const Communicator& comm, const Case& flow_case, const std::string& effective, Existing existing,
               RunObserver& observer, const std::function<bool()>& stop, const RunStart& begin) {
  const Stopwatch wall;
  choose_device(comm, flow_case.device);  // before anything that takes time, or makes results
  Results results(comm, flow_case, effective, existing);
  if (!results.taken_over_from().empty()) {
    observer.warned(fmt::format("{}: the run that used this folder ({}) ended without removing its {}; this run takes it over",
                                flow_case.output.directory.string(), results.taken_over_from(), io::FolderLock::kFileName));
  }
  std::optional<RetainFreedMemory> start(std::in_place);
  std::optional<mesh::Mesh> own;
  if (begin.mesh == nullptr) own = load_mesh(comm, flow_case.mesh);
  const mesh::Mesh& mesh = begin.mesh != nullptr ? *begin.mesh : *own;
  check_outputs(mesh, flow_case);
  results.find_samples(mesh);
  observer.mesh_ready(mesh, wall.seconds());
  for (const std::string& warning : check_inflows(mesh, flow_case)) observer.warned(warning);
  const std::unique_ptr<Solver> solver = make_solver(mesh, flow_case);
  for (const std::string& warning : check_steps(*solver)) observer.warned(warning);
  observer.solver_ready(*solver);

  const Start at_start(mesh, flow_case);
  double largest_residual = 0, residual = 1;
  if (resumes(existing)) {
    const Resumed from = results.read_checkpoint(mesh);
    compare_cases(from.case_text, effective, flow_case, existing, observer);
    solver->refer_to(at_start.state());
    for (const auto& [zone, circulation] : from.circulations) solver->set_circulation(zone, circulation);
    solver->restore(from.conserved, from.time, from.step, from.lowered, from.scalar_amounts);
    largest_residual = from.largest_residual;
    residual = from.residual;
    observer.resumed(from.file, from.step, from.time, from.instead_of);
  } else if (!begin.state_of.empty()) {
    const Resumed from = results.read_checkpoint_of(begin.state_of, mesh);
    solver->refer_to(at_start.state());
    for (const auto& [zone, circulation] : from.circulations) solver->set_circulation(zone, circulation);
    solver->restore(from.conserved, 0, 0, {}, from.scalar_amounts);
  } else {
    at_start.initialise(*solver);
    if (!at_start.note().empty()) observer.noted(at_start.note());
  }
  start.reset();
  RunSummary summary;
  summary.first_step = solver->steps();
  Run stepping(comm, flow_case, *solver, results, observer);
  results.begin(solver->steps());
  results.write_boundary(mesh);
  stepping.remember(largest_residual, residual, results.earlier_norms(), results.earlier_forces());
  try {
    summary.reason = stepping.go(stop);
  } catch (const PhysicsError&) {
    observer.wrote(results.write_failed_fields(*solver));
    throw;
  }
  stepping.finish(summary.reason);

  summary.steps = solver->steps();
  summary.cells = mesh.global_cells;
  summary.time = solver->time();
  summary.cell_residuals_per_second = stepping.rate();
  summary.residual = stepping.residual();
  summary.verdict = judge(flow_case, stepping.end(summary.reason, domain_length(mesh, flow_case.free_stream)));
  if (!flow_case.forces.empty()) solver->refresh();
  for (const ForceSpec& spec : flow_case.forces) summary.forces[spec.name] = forces(*solver, spec);
  if (flow_case.exact_errors) {
    const InitialState exact(flow_case.initial);
    summary.error = errors(*solver, [&](Vec3 x) { return exact.at(x, solver->time()); });
    results.write_errors(*solver, *summary.error);
  }
  solver->close();
  summary.wall_seconds = wall.seconds();
  observer.ended(summary);
  return summary;
}

}  // namespace weft::flow
