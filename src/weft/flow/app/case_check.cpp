#include "weft/flow/app/case_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "weft/base/clock.hpp"
#include "weft/base/counted.hpp"
#include "weft/base/resident_memory.hpp"
#include "weft/base/team.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/thread_cores.hpp"
#include "weft/device/device.hpp"
#include "weft/flow/app/case_errors.hpp"
#include "weft/flow/app/case_warnings.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/flow/app/start.hpp"
#include "weft/flow/app/zone_conditions.hpp"
#include "weft/flow/scheme/reference.hpp"

namespace weft::flow {
namespace {

StateFigures figures_of(const std::string& name, const IdealGas& gas, const Primitive& w) {
  const double speed = norm(w.velocity);
  return {.name = name,
          .density = w.density,
          .pressure = w.pressure,
          .temperature = gas.temperature(w),
          .velocity = w.velocity,
          .speed = speed,
          .sound_speed = gas.sound_speed(w),
          .mach = gas.mach(w),
          .dynamic_pressure = 0.5 * w.density * speed * speed,
          .total_pressure = gas.total_pressure(w),
          .total_temperature = gas.total_temperature(w)};
}

/// Adds the states of a case, each once.
void add_states(CaseCheck& check, const Case& c) {
  std::vector<Primitive> seen;
  const auto add = [&](const std::string& name, const Primitive& w) {
    if (std::find(seen.begin(), seen.end(), w) != seen.end()) return;
    seen.push_back(w);
    check.states.push_back(figures_of(name, c.gas, w));
  };
  if (c.free_stream) add("free_stream", *c.free_stream);
  if (c.initial.kind == InitialKind::uniform) add("initial", c.initial.state);
  for (const ZoneCondition& zone : c.boundary) {
    if (zone.prescribed) continue;
    const GasOutside given = row_of(zone.params.kind).outside(c.gas, zone.params);
    if (given.state) add("boundary." + zone.zone, *given.state);
  }
}

/// Adds the gas outside of an opening.
void add_gas_outside(ZoneFigures& figures, const Case& c, const ZoneCondition& condition) {
  if (condition.prescribed) return;
  const GasOutside given = row_of(condition.params.kind).outside(c.gas, condition.params);
  if (given.reservoir) {
    figures.total_pressure = given.reservoir->pressure;
    figures.total_temperature = c.gas.temperature(*given.reservoir);
  }
  if (given.pressure) figures.pressure = *given.pressure;
  if (given.state) {
    figures.pressure = given.state->pressure;
    figures.temperature = c.gas.temperature(*given.state);
  }
}

/// Adds the zones and their conditions.
void add_zones(CaseCheck& check, const mesh::Mesh& mesh, const Case& c) {
  for (const mesh::BoundaryZone& zone : mesh.boundary) {
    ZoneFigures figures;
    figures.name = zone.name;
    if (const ZoneCondition* const condition = find_condition(c, zone.name)) {
      figures.prescribed = condition->prescribed.has_value();
      if (!figures.prescribed) figures.kind = condition->params.kind;
      if (condition->zone != zone.name) figures.pattern = condition->zone;
      add_gas_outside(figures, c, *condition);
    }
    for (const mesh::MeshStats::ZoneSize& size : check.mesh->zones) {
      if (size.name != zone.name) continue;
      figures.faces = size.elements;
      figures.area = size.measure;
    }
    check.zones.push_back(std::move(figures));
  }
}

/// Returns the box around the nodes of the solid walls, over all ranks; empty (low above high) if there are none. @collective
std::pair<Vec3, Vec3> wall_box(const mesh::Mesh& mesh, const BoundaryKinds& kinds) {
  std::array<double, 6> box;
  box.fill(-std::numeric_limits<double>::infinity());
  for (const mesh::BoundaryZoneId z : kinds.ids()) {
    if (!is_solid(kinds[z])) continue;
    for (const mesh::LocalFaceId face : mesh.boundary[z].faces) {
      for (const mesh::LocalNodeId node : mesh.face_nodes.row(face.value())) {
        for (std::size_t k = 0; k < 3; ++k) {
          const double x = mesh.node_coord[node][static_cast<int>(k)];
          box[k] = std::max(box[k], -x);
          box[k + 3] = std::max(box[k + 3], x);
        }
      }
    }
  }
  mesh.comm.max(std::span<double>(box));
  return {{-box[0], -box[1], -box[2]}, {box[3], box[4], box[5]}};
}

/// Warns of far fields of subsonic flow that are near a body. Walls that a far field touches, as in a channel, are not bodies.
/// @collective
void warn_of_near_far_fields(CaseCheck& check, const mesh::Mesh& mesh, const Case& c, const BoundaryKinds& kinds) {
  constexpr double kNear = 8, kTouching = 0.01;  // body sizes; published comparisons have far fields at 20 to 150
  const auto [low, high] = wall_box(mesh, kinds);
  const double size = norm(high - low);
  if (!(low.x <= high.x) || size == 0) return;
  std::vector<std::string> warnings;
  for (const mesh::BoundaryZoneId z : kinds.ids()) {
    if (!row_of(kinds[z]).is_undisturbed) continue;
    double nearest = std::numeric_limits<double>::infinity();
    for (const mesh::LocalFaceId face : mesh.boundary[z].faces) {
      for (const mesh::LocalNodeId node : mesh.face_nodes.row(face.value())) {
        const Vec3 x = mesh.node_coord[node];
        Vec3 away;
        for (int k = 0; k < 3; ++k) away[k] = std::max({low[k] - x[k], x[k] - high[k], 0.0});
        nearest = std::min(nearest, norm(away));
      }
    }
    nearest = mesh.comm.min(nearest);
    if (nearest < kTouching * size) return;
    const ZoneCondition* const condition = find_condition(c, mesh.boundary[z].name);
    if (condition == nullptr || condition->vortex) continue;
    if (nearest >= kNear * size || c.gas.mach(condition->params.state) >= 1) continue;
    warnings.emplace_back(
        InputError(fmt::format("the far field \"{}\" comes as near to the walls as {:.3g}, {:.2g} times their size of {:.3g}",
                               mesh.boundary[z].name, nearest, nearest / size, size),
                   mesh.dim == 2 && !mesh.axisymmetric
                       ? "forces depend on it: put it 20 sizes away or more, or give vortex_correction"
                       : "forces depend on it: put it 20 sizes away or more",
                   condition->where)
            .what());
  }
  check.warnings.insert(check.warnings.end(), warnings.begin(), warnings.end());
}

/// Warns of cells on which an inviscid scheme is inaccurate.
void warn_of_cells(CaseCheck& check) {
  constexpr double kEdgeRatio = 1000, kDegrees = 80, kSkewness = 4;
  const mesh::MeshStats& stats = *check.mesh;
  const auto warn = [&](const std::string& problem, const mesh::MeshStats::Extreme& at, const char* advice) {
    check.warnings.push_back(MeshError(fmt::format("{} at ({:.6g}, {:.6g}, {:.6g})", problem, at.place.x, at.place.y, at.place.z),
                                       advice, Where{.file = stats.source})
                                 .what());
  };
  if (stats.aspect_ratio.value > kEdgeRatio) {
    warn(fmt::format("a cell has a longest edge of {:.4g} times its shortest", stats.aspect_ratio.value), stats.aspect_ratio,
         "thin layers for boundary layers shorten the time step, and an inviscid flow has none: mesh without them");
  }
  if (stats.non_orthogonality.value > kDegrees) {
    warn(fmt::format("the line between the centroids of two cells makes {:.1f} degrees with the normal of their face",
                     stats.non_orthogonality.value),
         stats.non_orthogonality, "check the mesh there; near 90 degrees gradients are inaccurate");
  }
  if (stats.skewness.value > kSkewness) {
    warn(fmt::format("a face has skewness {:.3g}", stats.skewness.value), stats.skewness,
         "check the mesh there; far above 1 the reconstruction at the face is inaccurate");
  }
}

/// Adds reference length, convective time and Reynolds number.  @collective
void add_scales(CaseCheck& check, const mesh::Mesh& mesh, const Case& c, const BoundaryKinds& kinds) {
  if (!c.forces.empty()) {
    check.reference_length = c.forces.front().length;
    check.reference_length_of = "forces." + c.forces.front().name + ".length";
  } else if (std::any_of(kinds.begin(), kinds.end(), is_solid)) {
    check.reference_length = reference_length(mesh, kinds);
    check.reference_length_of = "the walls";
  }
  const double speed = c.free_stream ? norm(c.free_stream->velocity) : 0;
  if (check.reference_length > 0 && speed > 0) {
    check.convective_time = check.reference_length / speed;
    constexpr double kAir = 287.05;
    if (check.si && std::abs(c.gas.gas_constant - kAir) < 1 && std::abs(c.gas.gamma - 1.4) < 0.01) {
      // Sutherland's law of air: 1.716e-5 Pa s at 273.15 K, Sutherland temperature 110.4 K.
      const double t = c.gas.temperature(*c.free_stream);
      const double viscosity = 1.716e-5 * std::pow(t / 273.15, 1.5) * (273.15 + 110.4) / (t + 110.4);
      check.reynolds = c.free_stream->density * speed * check.reference_length / viscosity;
    }
  }
  for (const StateFigures& state : check.states) {
    if (!check.si || (state.temperature > 10 && state.temperature < 20000)) continue;
    check.warnings.push_back(
        InputError(fmt::format("the gas has {:.4g} K with gas.gas_constant = {:g}, at {:.4g} Pa and {:.4g} kg/m^3",
                               state.temperature, c.gas.gas_constant, state.pressure, state.density),
                   "give pressure and density in SI units, or leave gas_constant out where nothing has units",
                   {.file = c.file, .key = state.name})
            .what());
  }
  constexpr double kLargest = 500;  // m
  if (check.si && check.reference_length > kLargest && check.reference_length_of == "the walls") {
    check.warnings.push_back(InputError(fmt::format("the walls are {:.4g} m large", check.reference_length),
                                        "set mesh.scale = 0.001 if the mesh is in millimetres", {.file = c.file, .key = "mesh"})
                                 .what());
  }
}

/// Adds the number of steps of the case, and their cost.  @collective
void add_steps(CaseCheck& check, Solver& solver, const Case& c) {
  const Communicator& comm = solver.mesh().comm;
  StepFigures steps;
  steps.local = c.numerics.local_time_step;
  steps.courant = std::min(c.numerics.cfl, solver.most_cfl());
  steps.later = steps.courant * solver.stable_dt();
  const auto ramp = static_cast<double>(c.numerics.cfl_ramp.steps);
  steps.first = steps.later * (ramp > 0 ? c.numerics.cfl_ramp.start : 1);
  constexpr double kSeconds = 0.3;
  constexpr int kLeast = 3, kMost = 100;
  double fastest = std::numeric_limits<double>::infinity();
  const Stopwatch all;
  const bool succeeded = keep_errors(check.errors, [&] {
    for (int i = 0; i < kMost && comm.broadcast(i < kLeast || all.seconds() < kSeconds ? 1 : 0) != 0; ++i) {
      comm.barrier();
      const Stopwatch one;
      (void)solver.step(1e300);
      if (i > 0) fastest = std::min(fastest, one.seconds());
    }
  });
  if (!succeeded) return;
  CostFigures cost;
  cost.step_seconds = comm.max(fastest);
  cost.memory_bytes = comm.sum(resident_bytes());
  const auto consider = [&](const char* criterion, double count) {
    if (!(count < 1e15)) return;
    const auto whole = static_cast<std::int64_t>(std::ceil(count));
    if (steps.estimate && *steps.estimate <= whole) return;
    steps.estimate = whole;
    steps.criterion = criterion;
  };
  if (c.stop.steps) consider("stop.steps", static_cast<double>(*c.stop.steps));
  if (c.stop.time && !steps.local)
    consider("stop.time", *c.stop.time / steps.later + 0.5 * ramp * (1 - c.numerics.cfl_ramp.start));
  if (c.stop.wall_time && cost.step_seconds > 0) consider("stop.wall_time", *c.stop.wall_time / cost.step_seconds);
  if (c.stop.residual) steps.not_estimated.emplace_back("stop.residual");
  if (c.stop.force_change) steps.not_estimated.emplace_back("stop.force_change");
  if (steps.estimate) cost.run_seconds = static_cast<double>(*steps.estimate) * cost.step_seconds;
  check.steps = std::move(steps);
  if (!check.without_gpu) check.cost = cost;
}

/// Removes errors in the keys of sections [boundary.<zone>] whose zone the mesh does not have: the missing zone is the error to
/// report.
void drop_errors_of_absent_zones(CaseCheck& check, const mesh::Mesh& mesh, const Case& c) {
  for (const ZoneCondition& condition : c.boundary) {
    const bool used = std::any_of(mesh.boundary.begin(), mesh.boundary.end(),
                                  [&](const mesh::BoundaryZone& zone) { return lists_zone({condition.zone}, zone.name); });
    if (used) continue;
    const std::string section = condition.where.key.substr(0, condition.where.key.rfind('.') + 1);
    std::erase_if(check.errors, [&](const Error& error) { return error.where().key.starts_with(section); });
  }
}

/// Adds errors, warnings and figures that depend on the mesh.  @collective
void check_on_mesh(CaseCheck& check, const Communicator& comm, const Case& c) {
  const int threads = share_of_cores(comm);  // before binding restricts them
  (void)bind_threads_of(comm, c, check.warnings);
  std::optional<mesh::Mesh> built;
  if (!keep_errors(check.errors, [&] { built.emplace(load_mesh(comm, c.mesh, threads)); })) return;
  const mesh::Mesh& mesh = *built;
  Team team(threads);
  check.mesh = mesh::measure(mesh, team);
  check.periodic = mesh.periodic;
  for (const std::string& warning : mesh.warnings) check.warnings.push_back(fmt::format("mesh {}: {}", mesh.source, warning));
  add_zones(check, mesh, c);
  drop_errors_of_absent_zones(check, mesh, c);
  for (Error& error : errors_on_mesh(mesh, c)) check.errors.push_back(std::move(error));
  if (!check.errors.empty()) return;

  std::unique_ptr<Solver> solver;
  for (std::string& warning : warnings_on_mesh(mesh, c)) check.warnings.push_back(std::move(warning));
  if (!keep_errors(check.errors, [&] {
        solver = make_solver(mesh, c);
        for (std::string& warning : check_steps(*solver)) check.warnings.push_back(std::move(warning));
        Start(mesh, c).initialise(*solver);
      }))
    return;
  BoundaryKinds kinds;
  for (const BoundaryCondition& condition : solver->scheme().boundary()) kinds.push_back(condition.params.kind);
  warn_of_near_far_fields(check, mesh, c, kinds);
  warn_of_cells(check);
  add_states(check, c);
  add_scales(check, mesh, c, kinds);
  add_steps(check, *solver, c);
  solver->close();
}

}  // namespace

CaseCheck check_case(const Communicator& comm, const io::CaseFile& file) {
  const io::CaseReader reader(file);
  reader.collect_errors();
  Case c = read_case(reader);
  CaseCheck check;
  check.file = c.file;
  check.title = c.title;
  check.warnings = c.warnings;
  bool mesh_is_good = true;
  for (const InputError& error : reader.errors()) {
    check.errors.push_back(error);
    mesh_is_good = mesh_is_good && !error.where().key.starts_with("mesh");
  }
  check.gamma = c.gas.gamma;
  check.gas_constant = c.gas.gas_constant;
  check.si = is_in_si_units(c.gas);
  check.without_gpu = c.device != Backend::host && comm.min(device_count()) == 0;  // as on a login node
  if (check.without_gpu) {
    c.device = Backend::host;
    c.transport = Transport::automatic;
    c.numerics.precision = Precision::fp64;
  }
  if (mesh_is_good) check_on_mesh(check, comm, c);
  sort_by_line(check.errors);
  return check;
}

Case read_good_case(const Communicator& comm, const io::CaseReader& reader) {
  reader.collect_errors();
  Case flow_case = read_case(reader);
  if (!reader.errors().empty()) throw CaseErrors(check_case(comm, reader.file()).errors);
  return flow_case;
}

}  // namespace weft::flow
