#include "weft/flow/app/case_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "weft/flow/app/case_guess.hpp"

namespace weft::flow::detail {
namespace {

using io::Section;

/// Returns the unit vector at angle of attack `alpha` in the plane of drag and lift, and sideslip `beta`, radians. In 2-D, and in
/// 3-D with lift along y, alpha turns x towards y; with lift along z it turns x towards z. beta then turns towards x cross lift
/// axis.
Vec3 flow_direction(double alpha, double beta, bool lift_along_z) {
  const double in_plane = std::sin(alpha) * std::cos(beta);
  const double out_of_plane = std::sin(beta);
  const double ahead = std::cos(alpha) * std::cos(beta);
  return lift_along_z ? Vec3{ahead, -out_of_plane, in_plane} : Vec3{ahead, in_plane, out_of_plane};
}

/// Rejects a pressure and a temperature in Pa and K without a gas constant: the density would be that of R = 1. Warns of doubtful
/// ones.
void check_units(const Section& s, const char* key, double pressure, double temperature, const CaseGas& gas) {
  constexpr double kPressure = 1000, kTemperature = 100;  // unlikely in a case without units
  constexpr double kSuspectTemperature = 10;  // p / density of a case without units is about 1; of the coldest wind tunnels 20 K
  if (gas.gas_constant_given || (pressure <= kPressure && temperature <= kSuspectTemperature)) return;
  const std::string advice = "set gas.gas_constant, to 287.05 (J/(kg K)) for air, or to 1 where nothing has units";
  if (pressure > kPressure && temperature > kTemperature)
    s.fail(key, fmt::format("{} Pa and {} K are given, but no gas constant, which would be 1", pressure, temperature), advice);
  if (gas.warnings == nullptr) return;
  gas.warnings->push_back(
      InputError(fmt::format("pressure {} and temperature {} look like Pa and K, but no gas constant is given; "
                             "with 1 in its place the density is {:.4g}",
                             pressure, temperature, pressure / temperature),
                 advice, s.where(key))
          .what());
}

}  // namespace

Primitive read_state(const Section& s, const CaseGas& gas, const std::optional<Primitive>& base, FreeStream* directions) {
  Primitive w = base.value_or(Primitive{1, {}, 1});
  const auto pressure = s.optional_number("pressure", {.min_exclusive = 0, .unit = "Pa", .doc = "Static pressure."});
  const auto density =
      s.optional_number("density", {.min_exclusive = 0, .unit = "kg/m^3", .doc = "Density; or give temperature."});
  const auto temperature = s.optional_number(
      "temperature",
      {.min_exclusive = 0, .unit = "K", .doc = "Static temperature p / (density gas_constant), instead of density."});
  const auto velocity = s.optional_vector3("velocity", {.unit = "m/s", .doc = "Velocity; or give mach."});
  const auto mach = s.optional_number("mach", {.min = 0, .doc = "Mach number, instead of velocity."});
  const double alpha = s.number("alpha", {.default_value = 0,
                                          .min = -180,
                                          .max = 180,
                                          .unit = "deg",
                                          .doc = "Angle of attack: turns x towards lift_axis. With mach."});
  const double beta = s.number("beta", {.default_value = 0,
                                        .min = -90,
                                        .max = 90,
                                        .unit = "deg",
                                        .doc = "Sideslip: turns the stream from there towards x cross lift_axis. With mach."});
  const bool along_z =
      s.choice("lift_axis", {"y", "z"}, {.default_value = "y", .doc = "Axis towards which alpha turns the flow."}) == "z";
  if (s.documenting()) return w;

  if (!base && !pressure) s.fail("pressure", "a state needs a pressure", "give pressure, and density or temperature");
  if (!base && !density && !temperature) s.fail("density", "a state needs a density", "give density or temperature");
  if (density && temperature) s.fail("temperature", "density and temperature are both given", "give one of them");
  if (!mach && (alpha != 0 || beta != 0)) s.fail(alpha != 0 ? "alpha" : "beta", "an angle of the flow needs mach", "give mach");
  if (velocity && mach) s.fail("mach", "velocity and mach are both given", "give one of them");
  if (pressure) w.pressure = *pressure;
  if (density) w.density = *density;
  if (temperature) {
    check_units(s, "temperature", w.pressure, *temperature, gas);
    w.density = gas.density(w.pressure, *temperature);
  }
  const Vec3 direction = flow_direction(alpha, beta, along_z);
  if (velocity) w.velocity = *velocity;
  if (mach) w.velocity = (*mach * gas.sound_speed(w)) * direction;
  constexpr double kRounding = 1e-9;
  if ((velocity || mach) && std::abs(w.velocity.z) > kRounding * norm(w.velocity) && gas.along_z != nullptr) {
    gas.along_z->push_back(
        {fmt::format("({:.6g}, {:.6g}, {:.6g})", w.velocity.x, w.velocity.y, w.velocity.z), s.where(velocity    ? "velocity"
                                                                                                    : beta != 0 ? "beta"
                                                                                                                : "lift_axis")});
  }
  if (directions != nullptr) {
    directions->state = w;
    const Vec3 ahead = velocity && norm(*velocity) > 0 ? *velocity / norm(*velocity) : direction;
    directions->drag_direction = ahead;
    const Vec3 axis = along_z ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
    const Vec3 up = axis - dot(axis, ahead) * ahead;
    // Along the axis: the limit of streams in its plane with x.
    directions->lift_direction = norm(up) > kRounding ? up / norm(up) : Vec3{dot(axis, ahead) > 0 ? -1.0 : 1.0, 0, 0};
  }
  return w;
}

namespace {

RiemannStates read_riemann(const Section& s, const CaseGas& gas) {
  RiemannStates states;
  states.left = read_state(s.section("left", {.doc = "State left of x0."}), gas, Primitive{1, {}, 1});
  states.right = read_state(s.section("right", {.doc = "State right of x0."}), gas, Primitive{0.125, {}, 0.1});
  return states;
}

Region read_region(const Section& s, const CaseGas& gas) {
  Region region;
  region.shape = s.variant_of<Region::Shape>("shape", {.doc = "Part of space that gets this state."}, [&](Region::Shape shape) {
    switch (shape) {
      case Region::Shape::box:
        region.lower = s.optional_vector3("lower", {.unit = "m", .doc = "Lower corner of the box; absent: no lower bound."})
                           .value_or(region.lower);
        region.upper = s.optional_vector3("upper", {.unit = "m", .doc = "Upper corner of the box; absent: no upper bound."})
                           .value_or(region.upper);
        break;
      case Region::Shape::sphere:
        region.centre = s.vector3("centre", {.unit = "m", .doc = "Centre of the sphere (2-D: circle)."});
        region.radius = s.number("radius", {.min_exclusive = 0, .unit = "m", .doc = "Radius of the sphere."});
        break;
      case Region::Shape::half_space:
        region.point = s.vector3("point", {.unit = "m", .doc = "A point of the plane that bounds the half-space."});
        region.normal = s.vector3("normal", {.doc = "Points into the half-space."});
        break;
    }
  });
  if (!s.documenting() && norm(region.normal) == 0) s.fail("normal", "a direction of length zero");
  region.state = read_state(s, gas, std::nullopt);
  return region;
}

ExpressionText read_expression(const Section& s, const char* key, const std::string& initial, std::string doc) {
  return {s.expression(key, {.default_value = initial, .doc = std::move(doc)}), s.where(key)};
}

IsentropicVortex read_start_vortex(const Section& s, const CaseGas& gas) {
  IsentropicVortex vortex;
  vortex.gas = static_cast<const IdealGas&>(gas);
  vortex.strength = s.number("strength", {.default_value = 5, .doc = "beta."});
  vortex.centre = s.vector3("centre", {.default_value = Vec3{5, 5, 0}, .unit = "m", .doc = "Centre of the vortex at t = 0."});
  vortex.velocity =
      s.vector3("velocity", {.default_value = Vec3{1, 1, 0}, .unit = "m/s", .doc = "Velocity of the flow that carries it."});
  vortex.period = s.vector3(
      "period", {.default_value = Vec3{10, 10, 0}, .unit = "m", .doc = "Lengths of the periodic box; 0: not periodic."});
  return vortex;
}

StateExpressions read_expressions(const Section& s) {
  StateExpressions all;
  all.density = read_expression(s, "density_expression", "1",
                                "Density, kg/m^3, as a formula of x, y and z (m); at a boundary, also of the time t (s).");
  const auto of_variables = [](std::string_view what) {
    return std::string(what) + " as a formula of the same variables as the density.";
  };
  all.velocity_x = read_expression(s, "velocity_x_expression", "0", of_variables("x component of the velocity, m/s,"));
  all.velocity_y = read_expression(s, "velocity_y_expression", "0", of_variables("y component of the velocity, m/s,"));
  all.velocity_z = read_expression(s, "velocity_z_expression", "0", of_variables("z component of the velocity, m/s,"));
  all.pressure = read_expression(s, "pressure_expression", "1", of_variables("Pressure, Pa,"));
  return all;
}

/// Reads the keys that belong to the kind of a state as a function of position.
void read_parameters(const Section& s, const CaseGas& gas, const std::optional<Primitive>& stream, InitialParams& initial) {
  const auto plane = [&] {
    initial.x0 = s.optional_number("x0", {.unit = "m", .doc = "Plane x = x0 between left and right (0.5; toro_collision 0.4)."});
  };
  switch (initial.kind) {
    case InitialKind::uniform:
      initial.state = read_state(s, gas, stream);
      break;
    case InitialKind::riemann:
      plane();
      initial.riemann = read_riemann(s, gas);
      break;
    case InitialKind::sod:
    case InitialKind::lax:
    case InitialKind::toro_123:
    case InitialKind::toro_left_blast:
    case InitialKind::toro_collision:
      plane();
      break;
    case InitialKind::vortex:
      initial.vortex = read_start_vortex(s, gas);
      break;
    case InitialKind::entropy_wave:
      initial.entropy_wave.amplitude = s.number("amplitude", {.default_value = 0.2, .doc = "Amplitude of the density."});
      initial.entropy_wave.wave = s.vector3("wave", {.default_value = Vec3{1, 1, 1}, .doc = "Waves per metre."});
      initial.entropy_wave.velocity =
          s.vector3("velocity", {.default_value = Vec3{1, 1, 1}, .unit = "m/s", .doc = "Velocity of the flow that carries it."});
      break;
    case InitialKind::double_mach:
      initial.double_mach.foot =
          s.number("foot", {.default_value = 1.0 / 6, .unit = "m", .doc = "x where the shock meets y = 0 at t = 0."});
      break;
    case InitialKind::manufactured: {
      const auto dim = s.integer("dim", {.default_value = 2, .min = 2, .max = 3, .doc = "Dimensions of the mesh."});
      const double length =
          s.number("length", {.default_value = 1, .min_exclusive = 0, .unit = "m", .doc = "Edge of the periodic box."});
      initial.manufactured = ManufacturedSolution::periodic(static_cast<int>(dim), length);
      break;
    }
    case InitialKind::expression:
      initial.expressions = read_expressions(s);
      if (const ExpressionText& z = initial.expressions.velocity_z;
          gas.along_z != nullptr && z.text.find_first_not_of("0.") != std::string::npos)
        gas.along_z->push_back({fmt::format("\"{}\"", z.text), z.where});
      break;
    case InitialKind::solution:
      initial.solution_file = s.path_to(
          "file", {.doc = "Field file (fields_*.hdf) of an earlier run, on any mesh and any number of ranks, or a results "
                          "folder, whose last field file is taken. Each cell gets the value at its centroid, linear from the "
                          "nearest cell of that file; outside the mesh of that run, the value of the nearest cell. Gas, "
                          "dimensions and number of scalars must be those of that run; the time begins at 0."});
      initial.where = s.where("file");
      break;
    case InitialKind::function:
      // A program replaces the state of a case by a function: the keys of that state remain, without effect.
      if (!s.documenting()) s.ignore_other_keys();
      break;
    case InitialKind::forward_step:
    case InitialKind::ringleb:
      break;
  }
}

}  // namespace

InitialParams read_initial(const Section& s, const std::string& key, const CaseGas& gas, const std::optional<Primitive>& stream) {
  InitialParams initial;
  initial.gas = static_cast<const IdealGas&>(gas);
  initial.where = s.where(key);
  std::vector<std::string> kinds(names<InitialKind>().begin(), names<InitialKind>().end());
  if (key != "kind") std::erase(kinds, name_of(InitialKind::solution));  // defined in the cells only, not at a boundary
  s.variant(key, kinds,
            {.default_value = "uniform",
             .doc = "State as a function of place." + (key == "kind" ? " " + describe_choices<InitialKind>() + "." : "")},
            [&](const std::string& kind) {
              initial.kind = kind_named<InitialKind>(kind);
              read_parameters(s, gas, stream, initial);
            });
  if (initial.kind == InitialKind::function && !s.documenting()) return initial;
  for (const Section& region : s.sections("region", {.doc = "A part of space with a state of its own; later ones win."})) {
    initial.regions.push_back(read_region(region, gas));
  }
  return initial;
}

namespace {

/// Reads the vortex of a far field of this state; none if the case names no force for it.
std::optional<VortexChoice> read_vortex(const Section& s, const CaseGas& gas, const Primitive& state) {
  VortexChoice vortex;
  vortex.force = s.text("vortex_correction",
                        {.default_value = "",
                         .doc = "Name of the section of forces of a lifting body. In plane flow the far field then is the given "
                                "state with the velocity of a point vortex at that section's moment_centre, with the circulation "
                                "of the lift; empty: the given state alone."});
  vortex.steps = s.integer(
      "vortex_steps",
      {.default_value = vortex.steps, .min = 1, .doc = "Steps between two updates of the circulation of vortex_correction."});
  vortex.where = s.where("vortex_correction");
  if (vortex.force.empty()) return std::nullopt;
  const double speed = std::hypot(state.velocity.x, state.velocity.y), mach = speed / gas.sound_speed(state);
  if (speed == 0 || mach >= 1) {
    s.fail("vortex_correction", fmt::format("the state of this far field has Mach number {:.4g}", mach),
           "the vortex is one of subsonic flow, and a supersonic far field needs no correction: leave it out");
  }
  return vortex;
}

/// Rejects other solvers' names of boundary conditions, naming the equivalent one.  @throws InputError
void reject_foreign_names(const Section& s, const std::string& word) {
  using enum BoundaryKind;
  const auto reject = [&](const std::string& advice) {
    s.fail("kind", fmt::format("there is no \"{}\"", word), fmt::format("write {}", advice));
  };
  const auto is = [&word](std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
  };
  const auto any_of = [](BoundaryKind a, BoundaryKind b, BoundaryKind c) {
    return one_of(std::array{name_of(a), name_of(b), name_of(c)});
  };
  if (is({"farfield", "freestream"})) reject(std::string(name_of(far_field)));
  if (is({"inflow", "inlet"})) reject(any_of(total_pressure_inflow, supersonic_inflow, far_field));
  if (is({"outflow", "outlet"})) reject(any_of(static_pressure_outflow, supersonic_outflow, far_field));
  if (is({"no_slip", "wall"})) reject(fmt::format("{}: no flow here has friction", name_of(slip_wall)));
  if (is({"periodic"})) reject("no section for this zone, but [[mesh.periodic]] with from and to");
}

using FreeState = std::optional<Primitive>;

void read_no_parameters(const Section& /*s*/, const CaseGas& /*gas*/, const FreeState& /*stream*/, ZoneCondition& /*zone*/) {}

void read_outer_state(const Section& s, const CaseGas& gas, const FreeState& stream, ZoneCondition& zone) {
  zone.params.state = read_state(s, gas, stream);
}

void read_far_field(const Section& s, const CaseGas& gas, const FreeState& stream, ZoneCondition& zone) {
  zone.params.state = read_state(s, gas, stream);
  zone.vortex = read_vortex(s, gas, zone.params.state);
}

void read_reservoir(const Section& s, const CaseGas& gas, const FreeState& /*stream*/, ZoneCondition& zone) {
  zone.params.total_pressure = s.number(
      "total_pressure",
      {.min_exclusive = 0,
       .unit = "Pa",
       .doc = "Total pressure of the reservoir; where the flow turns back it is the static pressure behind an outflow."});
  zone.params.total_temperature = s.number(
      "total_temperature",
      {.min_exclusive = 0, .unit = "K", .doc = "Total temperature of the reservoir; with gas_constant = 1 it is p / density."});
  zone.where_pressure = s.where("total_pressure");
  if (!s.documenting()) check_units(s, "total_temperature", zone.params.total_pressure, zone.params.total_temperature, gas);
  zone.where_direction = s.where("direction");
  const Vec3 direction =
      s.vector3("direction", {.default_value = Vec3{}, .doc = "Direction of gas that enters; zeros: against the normal."});
  if (norm(direction) > 0) zone.params.direction = direction / norm(direction);
}

void read_outer_pressure(const Section& s, const CaseGas& /*gas*/, const FreeState& /*stream*/, ZoneCondition& zone) {
  zone.params.pressure =
      s.number("pressure", {.min_exclusive = 0,
                            .unit = "Pa",
                            .doc = "Static pressure behind the outflow; of gas that comes back, the total pressure."});
  zone.where_pressure = s.where("pressure");
}

/// The function that reads the parameters of a condition: a column of kBoundaries, which is in a layer that knows no case files.
struct BoundaryReader {
  BoundaryKind value;
  void (*read)(const Section& s, const CaseGas& gas, const FreeState& stream, ZoneCondition& zone);
};
constexpr std::array kReaders{BoundaryReader{BoundaryKind::slip_wall, read_no_parameters},
                              BoundaryReader{BoundaryKind::symmetry, read_no_parameters},
                              BoundaryReader{BoundaryKind::far_field, read_far_field},
                              BoundaryReader{BoundaryKind::supersonic_inflow, read_outer_state},
                              BoundaryReader{BoundaryKind::supersonic_outflow, read_no_parameters},
                              BoundaryReader{BoundaryKind::total_pressure_inflow, read_reservoir},
                              BoundaryReader{BoundaryKind::static_pressure_outflow, read_outer_pressure}};
static_assert(std::equal(kReaders.begin(), kReaders.end(), kBoundaries.rows.begin(), kBoundaries.rows.end(),
                         [](const BoundaryReader& reader, const BoundaryRow& row) {
                           return reader.value == row.value && reader.read != nullptr;
                         }));

}  // namespace

ZoneCondition read_condition(const Section& s, const CaseGas& gas, const std::optional<Primitive>& stream,
                             const std::vector<ScalarChoice>& scalars) {
  ZoneCondition zone;
  zone.zone = s.name();
  zone.where = s.where("kind");
  std::vector<std::string> kinds(names<BoundaryKind>().begin(), names<BoundaryKind>().end());
  kinds.emplace_back(kPrescribed);
  const auto reject = [&](const std::string& word) {
    if (word == kToChoose) {
      s.fail("kind", "the kind of this zone is still to be chosen",
             fmt::format("see what the comment above says of the zone, and replace {} by one of {}", kToChoose,
                         fmt::join(kinds, ", ")));
    }
    reject_foreign_names(s, word);
  };
  s.variant("kind", kinds,
            {.doc = fmt::format("Condition of this zone. {}; {}: a state as a function of place.",
                                describe_choices<BoundaryKind>(), kPrescribed),
             .reject = reject},
            [&](const std::string& kind) {
              zone.params = {};  // parameters of another kind do not remain when every kind is visited
              zone.prescribed.reset();
              zone.vortex.reset();
              if (kind == kPrescribed) {
                zone.params.kind = BoundaryKind::supersonic_inflow;
                zone.prescribed = read_initial(s, "state", gas, stream);
                return;
              }
              zone.params.kind = kind_named<BoundaryKind>(kind);
              kReaders[static_cast<std::size_t>(zone.params.kind)].read(s, gas, stream, zone);
            });
  zone.scalars = read_scalar_inflow(s, scalars, zone.prescribed || brings_scalars(zone.params.kind));
  return zone;
}

}  // namespace weft::flow::detail
