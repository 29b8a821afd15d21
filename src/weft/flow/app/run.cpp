#include "weft/flow/app/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "weft/base/clock.hpp"
#include "weft/base/error.hpp"
#include "weft/base/malloc_retention.hpp"
#include "weft/base/team.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/environment.hpp"
#include "weft/comm/thread_cores.hpp"
#include "weft/device/device.hpp"
#include "weft/flow/app/case_errors.hpp"
#include "weft/flow/app/case_warnings.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/flow/app/run_loop.hpp"
#include "weft/flow/app/start.hpp"
#include "weft/flow/app/walls.hpp"
#include "weft/flow/app/zone_conditions.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/revolve.hpp"

namespace weft::flow {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Returns the length of the mesh along the free stream; 0 if there is none or it is at rest.  @collective
double domain_length(const mesh::Mesh& mesh, const std::optional<Primitive>& stream) {
  if (!stream || norm(stream->velocity) == 0) return 0;
  const Vec3 along = stream->velocity / norm(stream->velocity);
  double low = kNever, high = -kNever;
  for (const mesh::LocalCellId c : mesh.owned()) {  // nodes of ghosts across periodic faces lie outside
    for (const mesh::LocalNodeId node : mesh.cell_nodes.row(c)) {
      low = std::min(low, dot(mesh.node_coord[node], along));
      high = std::max(high, dot(mesh.node_coord[node], along));
    }
  }
  return mesh.comm.max(high) - mesh.comm.min(low);
}

/// Returns the conditions of the mesh's zones, in its order.
BoundaryConditions match_conditions(const mesh::Mesh& mesh, const Case& flow_case) {
  if (const std::vector<InputError> wrong = check_conditions(mesh, flow_case); !wrong.empty()) throw wrong.front();
  BoundaryConditions matched;
  for (const mesh::BoundaryZone& zone : mesh.boundary) {
    const ZoneCondition* const found = find_condition(flow_case, zone.name);
    BoundaryCondition condition{found->params, {}, {}};
    if (found->prescribed && found->prescribed->kind == InitialKind::function) {
      if (!found->prescribed->function) throw no_function(found->where);
      condition.prescribed = found->prescribed->function;
      condition.depends_on_time = found->prescribed->function_depends_on_time;
    } else if (found->prescribed) {
      const InitialState state(*found->prescribed);
      for (const mesh::LocalFaceId face : zone.faces) {
        const Primitive w = state(mesh.face_centroid[face]);  // reports errors of formulas early
        if (mesh.axisymmetric && w.velocity.z != 0)
          throw InputError("this state has a velocity about the axis, for which an axisymmetric flow has no equation",
                           "make its velocity along z 0, or compute the flow in 3-D", found->where);
      }
      condition.prescribed = [state](Vec3 x, double t) { return state.at(x, t); };
      condition.depends_on_time = state.depends_on_time();
    }
    std::vector<Vec3> faces;
    for (const mesh::LocalFaceId face : zone.faces) faces.push_back(mesh.face_centroid[face]);
    condition.scalars = make_scalar_inflow(found->scalars, faces);
    matched.push_back(std::move(condition));
  }
  return matched;
}

/// Reports keys that differ from the run that wrote the checkpoint. @throws InputError on every rank if one changes the physics
/// and this is not accepted.
void compare_cases(const std::string& before, const std::string& now, const Case& flow_case, Existing existing,
                   RunObserver& observer) {
  // The lift of a force, and its moment centre, influence a far field with a vortex.
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

/// Selects the device of this rank. Jobs on parts of the ranks of a launch use different GPUs. @throws DeviceError on every rank
/// if one has no GPU.  @collective
void choose_device(const Communicator& comm, Backend device) {
  if (device == Backend::host) return;
  const Communicator machine = comm.split_shared_memory();
  agreed(comm, [&] { set_device(device_of(launched_local_rank().value_or(machine.rank().value()))); });
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

/// Generates the mesh of a case; an error in a parameter contains its place in the case. @collective
mesh::MeshBlock generate(const Communicator& comm, const MeshChoice& choice, Team& team) {
  try {
    return mesh::generate(comm, choice.generator, choice.parameters, team);
  } catch (const InputError& error) {
    const auto place = choice.where_parameter.find(error.where().key);
    if (place == choice.where_parameter.end()) throw;
    throw InputError(error.problem(), error.suggestion(), place->second);
  }
}

/// Builds the mesh of a case; an error in a periodic pair contains its place in the case. @collective
mesh::Mesh build(const Communicator& comm, mesh::MeshBlock block, const MeshChoice& choice, int threads,
                 const std::function<void(std::string_view)>& phase) {
  try {
    mesh::BuildOptions options = choice.build;
    options.threads = threads;
    options.step = phase;
    return mesh::build(comm, std::move(block), options);
  } catch (const InputError& error) {
    for (std::size_t pair = 0; pair < choice.where_periodic.size(); ++pair) {
      if (error.where().key != fmt::format("mesh.periodic.{}", pair)) continue;
      throw InputError(error.problem(), error.suggestion(), choice.where_periodic[pair]);
    }
    throw;
  }
}

}  // namespace

std::string bind_threads_of(const Communicator& comm, const Case& flow_case, std::vector<std::string>& warnings) {
  const BoundThreads bound = bind_threads(comm, flow_case.bind, flow_case.threads);
  if (!bound.problem.empty()) {
    warnings.push_back(fmt::format(
        "bind: threads are not bound to cores, because {}; use fewer ranks or threads, or leave bind out", bound.problem));
  }
  return bound.cores.empty() ? std::string() : fmt::format("threads are bound to cores {}", bound.cores);
}

int start_up_threads(const Communicator& comm, const Case& flow_case) {
  return flow_case.device == Backend::host ? flow_case.threads : std::min(share_of_cores(comm), kMostThreads);
}

void scale_mesh(mesh::MeshBlock& block, const MeshChoice& choice, Team& team) {
  if (choice.scale != 1 && std::abs(choice.scale - block.file_unit) <= 1e-6 * block.file_unit) {
    throw InputError(
        fmt::format("the mesh {} names its unit of length, by which its coordinates were multiplied already to metres "
                    "({}): {} would do it a second time",
                    block.source, block.file_unit, choice.where_scale.key),
        fmt::format("leave out {}", choice.where_scale.key), choice.where_scale);
  }
  mesh::scale(block, choice.scale, choice.offset, team);
}

mesh::Mesh load_mesh(const Communicator& comm, const MeshChoice& choice, int threads,
                     const std::function<void(std::string_view)>& phase) {
  agreed(comm, [&] {
    if (comm.is_root() && !choice.file.empty() && !std::filesystem::exists(choice.file)) {
      throw InputError(fmt::format("there is no mesh file {}", choice.file.string()), "check the path", choice.where);
    }
  });
  const char* const first_phase = choice.file.empty() ? "generate mesh" : "read mesh";
  if (phase) phase(first_phase);
  TracedRegion region(first_phase);
  Team team(threads);
  mesh::MeshBlock block = choice.file.empty() ? generate(comm, choice, team) : mesh::read_mesh(comm, choice.file.string(), team);
  scale_mesh(block, choice, team);
  region.next("build mesh");
  mesh::Mesh mesh = build(comm, std::move(block), choice, threads, phase);
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
  auto solver = std::make_unique<Solver>(mesh, SolverOptions{.gas = flow_case.gas,
                                                             .boundary = std::move(conditions),
                                                             .numerics = flow_case.numerics,
                                                             .stencil = flow_case.mesh.build.stencil,
                                                             .source = flow_case.source(),
                                                             .take_error = flow_case.take_error,
                                                             .scalars = make_scalars(flow_case.scalars),
                                                             .backend = flow_case.device,
                                                             .transport = flow_case.transport,
                                                             .threads = start_up_threads(mesh.comm, flow_case)});
  if (flow_case.free_stream) solver->set_reference(*flow_case.free_stream);
  return solver;
}

std::vector<std::string> check_steps(const Solver& solver) {
  const Numerics& numerics = solver.scheme().numerics();
  if (numerics.cfl <= solver.most_cfl()) return {};
  return {fmt::format(
      "numerics.cfl: {:g} is not stable with damped jumps on this mesh, which has other cells than quads and hexahedra (rk_order "
      "{}); steps are those of {:g}; set cfl to that, or stabilize_simplices = false with a limiter",
      numerics.cfl, numerics.rk_stages, solver.most_cfl())};
}

namespace {

/// The residuals before the first step of a run.
struct Begin {
  double largest_residual = 0, residual = 1;
};

/// Sets the state at which the steps begin: that of a checkpoint of this run or of another one, or that of the case. @collective
Begin begin_state(const Start& at_start, Solver& solver, const Case& flow_case, const std::string& effective, Existing existing,
                  const RunStart& begin, Results& results, RunObserver& observer) {
  if (resumes(existing)) {
    const Resumed from = results.read_checkpoint(solver.mesh());
    compare_cases(from.case_text, effective, flow_case, existing, observer);
    solver.refer_to(at_start.state());
    restore(solver, from);
    observer.resumed(from.file, from.step, from.time, from.instead_of);
    return {from.largest_residual, from.residual};
  }
  if (begin.state_of.empty()) {
    at_start.initialise(solver);
    if (!at_start.note().empty()) observer.noted(at_start.note());
    return {};
  }
  const Resumed from = results.read_checkpoint_of(begin.state_of, solver.mesh());
  solver.refer_to(at_start.state());
  for (const auto& [zone, circulation] : from.circulations) solver.set_circulation(zone, circulation);
  solver.restore(from.conserved, 0, 0, {}, from.scalar_amounts);
  return {};
}

/// Writes output of a run that ends by an error. An error of this output is a warning, because the error of the run is thrown.
template <class Work>
void try_output(RunObserver& observer, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    observer.warned(error.what());
  }
}

/// Returns whether all ranks of `comm` have come here, each with an error, so that they may still communicate. The ranks of a
/// part of the job cannot find out.
[[nodiscard]] bool fail_together(const Communicator& comm) {
  constexpr double kPatienceSeconds = 1;
  if (comm.size() == 1) return true;
  return comm.size() == Communicator::world().size() && MpiEnvironment::all_ranks_arrive(kPatienceSeconds);
}

}  // namespace

RunSummary run(const Communicator& comm, const Case& flow_case, const std::string& effective, Existing existing,
               RunObserver& observer, const std::function<bool()>& stop, const RunStart& begin) {
  const Stopwatch wall;
  const TracedRegion whole("run");
  TracedRegion phase("results folder");
  choose_device(comm, flow_case.device);  // before time is spent and results are written
  Results results(comm, flow_case, effective, existing);
  if (!results.taken_over_from().empty()) {
    observer.warned(fmt::format("{}: the run that used this folder ({}) ended without removing its {}; this run takes it over",
                                flow_case.output.directory.string(), results.taken_over_from(), io::FolderLock::kFileName));
  }
  std::vector<std::string> warnings;
  if (const std::string cores = bind_threads_of(comm, flow_case, warnings); !cores.empty()) observer.noted(cores);
  for (const std::string& warning : warnings) observer.warned(warning);
  std::optional<RetainFreedMemory> start(std::in_place);
  phase.next("mesh");
  std::optional<mesh::Mesh> own;
  const auto starting = [&](std::string_view name) { observer.starting(name, wall.seconds()); };
  if (begin.mesh == nullptr) own = load_mesh(comm, flow_case.mesh, start_up_threads(comm, flow_case), starting);
  const mesh::Mesh& mesh = begin.mesh != nullptr ? *begin.mesh : *own;
  std::vector<Probe> probes;
  std::unique_ptr<Solver> solver;
  phase.next("solver");
  throw_all_errors(mesh, flow_case, [&] {
    check_outputs(mesh, flow_case);
    results.find_samples(mesh);
    for (const ProbeChoice& probe : flow_case.probes) probes.emplace_back(mesh, probe.at, probe.name, probe.where);
    observer.mesh_ready(mesh, wall.seconds());
    for (const std::string& warning : warnings_on_mesh(mesh, flow_case)) observer.warned(warning);
    starting("create solver");
    solver = make_solver(mesh, flow_case);
  });
  for (const std::string& warning : check_steps(*solver)) observer.warned(warning);
  observer.solver_ready(*solver);

  phase.next("initial state");
  starting("initial state");
  const Begin from = begin_state({mesh, flow_case}, *solver, flow_case, effective, existing, begin, results, observer);
  start.reset();
  phase.next("files of the run");
  RunSummary summary;
  summary.first_step = solver->steps();
  detail::Run stepping(comm, flow_case, std::move(probes), *solver, results, observer);
  results.begin(solver->steps(), [&] { observer.began(); });
  results.write_boundary(mesh);
  stepping.remember(from.largest_residual, from.residual, results.earlier_norms(), results.earlier_forces());
  phase.next("time stepping");
  try {
    summary.reason = stepping.go(stop);
    phase.next("last output");
    stepping.finish(summary.reason);
  } catch (const PhysicsError&) {
    try_output(observer, [&] { stepping.finish_output(); });
    try_output(observer, [&] { observer.wrote(results.write_failed_fields(*solver)); });
    throw;
  } catch (const std::exception&) {
    if (fail_together(comm)) try_output(observer, [&] { stepping.finish_output(); });
    throw;
  }

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
