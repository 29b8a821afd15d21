// Checks that involve several sections of a case.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "weft/base/error.hpp"
#include "weft/flow/app/case_parts.hpp"

namespace weft::flow::detail {

using io::Section;

namespace {

/// Below this Mach number the relative variation of pressure is below 2e-3, of which single precision keeps four digits.
constexpr double kLowMach = 0.05;

/// Returns the largest Mach number of the states of a case; 0 if all are at rest.
double largest_mach(const Case& c) {
  double largest = c.free_stream ? c.gas.mach(*c.free_stream) : 0;
  double reservoir = 0, outside = 0;  // pressures
  if (c.initial.kind == InitialKind::uniform) largest = std::max(largest, c.gas.mach(c.initial.state));
  for (const ZoneCondition& zone : c.boundary) {
    if (zone.prescribed) continue;
    const GasOutside given = row_of(zone.params.kind).outside(c.gas, zone.params);
    if (given.state) largest = std::max(largest, c.gas.mach(*given.state));
    if (given.reservoir) reservoir = std::max(reservoir, given.reservoir->pressure);
    if (given.pressure) outside = outside > 0 ? std::min(outside, *given.pressure) : *given.pressure;
  }
  if (outside > 0 && reservoir > outside) {
    const double ratio = std::pow(reservoir / outside, (c.gas.gamma - 1) / c.gas.gamma);
    largest = std::max(largest, std::sqrt(2 * (ratio - 1) / (c.gas.gamma - 1)));
  }
  return largest;
}

}  // namespace

void place_vortices(Case& c) {
  std::vector<std::string> names;
  for (const ForceSpec& force : c.forces) names.push_back(force.name);
  for (ZoneCondition& zone : c.boundary) {
    if (!zone.vortex) continue;
    const auto found = std::find(names.begin(), names.end(), zone.vortex->force);
    if (found == names.end()) {
      const std::string near = closest_match(zone.vortex->force, names);
      const std::string known =
          names.empty() ? "add one, with the zones of the body" : fmt::format("the case has {}", fmt::join(names, ", "));
      throw InputError(fmt::format("there is no section [forces.{}], whose lift would give the circulation", zone.vortex->force),
                       near.empty() ? known : fmt::format("did you mean \"{}\"?", near), zone.vortex->where);
    }
    if (c.mesh.axisymmetric) {
      throw InputError("the vortex correction is of plane flows, and this one turns about an axis", "leave it out",
                       zone.vortex->where);
    }
    zone.params.vortex.centre = c.forces[found - names.begin()].moment_centre;
  }
}

void check_fields(const Case& c) {
  for (const FieldKind field : c.output.fields) {
    const std::string name(name_of(field));
    if (field == FieldKind::cp && !(c.free_stream && norm(c.free_stream->velocity) > 0)) {
      throw InputError("cp is relative to the dynamic pressure of a free stream, and this case has none that moves",
                       "give [free_stream] with mach or velocity, or leave cp out", c.output.where_fields);
    }
    if (needs_gradient(field) && !c.numerics.second_order()) {
      throw InputError(
          fmt::format("{} is made from gradients, and numerics.gradient is \"{}\"", name, name_of(GradientKind::none)),
          "set numerics.gradient, or leave this field out", c.output.where_fields);
    }
    for (const ScalarChoice& scalar : c.scalars) {
      if (scalar.name != name) continue;
      throw InputError(fmt::format("the scalar \"{}\" has the name of a field of the flow", name),
                       "name the scalar differently, or leave this field out", c.output.where_fields);
    }
  }
}

void check_together(const Section& root, const Case& c) {
  const auto refuse = [&root](const char* key, const std::string& problem, const std::string& suggestion) {
    root.attempt([&] { root.fail(key, problem, suggestion); });
  };
  if (c.stop.force_change && c.forces.empty()) {
    refuse("stop.force_change", "it is a change of the coefficients of forces, and the case has no section [forces.<name>]",
           "add one, or leave force_change out");
  }
  if (c.stop.force_change && !c.forces.empty() && !c.forces.front().has_coefficients()) {
    refuse("stop.force_change", "it is a change of coefficients, which need the dynamic pressure of a free stream",
           "give [free_stream] with mach or velocity, or leave force_change out");
  }
  if (c.mesh.axisymmetric && c.numerics.gradient == GradientKind::green_gauss) {
    refuse("numerics.gradient", "Green-Gauss gradients are of plane cells, and these turn about an axis",
           fmt::format("use gradient = \"{}\"", name_of(GradientKind::least_squares)));
  }
  if (c.mesh.axisymmetric && (c.acceleration.y != 0 || c.acceleration.z != 0)) {
    refuse("body_force.acceleration", "in an axisymmetric flow a body force acts along the axis, x, alone",
           "make its other components 0");
  }
  for (const VelocityAlongZ& velocity : c.along_z) {
    if (!c.mesh.axisymmetric) break;
    root.attempt([&] {
      throw InputError(
          fmt::format("{} is a velocity about the axis, for which an axisymmetric flow has no equation", velocity.text),
          "leave it out, or compute the flow in 3-D", velocity.where);
    });
  }
  if (c.mesh.axisymmetric && c.manufactured_source) {
    refuse("source", "the manufactured source is of plane flows", "leave mesh.axisymmetric out");
  }
  if (c.manufactured_source && !c.scalars.empty()) {
    refuse("source", "the manufactured source adds mass whose scalars are not defined", "leave out source, or [scalars]");
  }
  if (c.manufactured_source && c.initial.kind != InitialKind::manufactured) {
    refuse("source", "the manufactured source needs the manufactured solution",
           fmt::format("set initial.kind = \"{}\"", name_of(InitialKind::manufactured)));
  }
  const InitialState initial(c.initial);  // its errors belong to the case
  if (c.numerics.well_balanced && initial.depends_on_time()) {
    refuse("numerics.well_balanced",
           fmt::format("the initial state, \"{}\", changes with time, and well_balanced would keep it as it is",
                       name_of(c.initial.kind)),
           "start from a stationary state, or leave well_balanced out");
  }
  const bool ahead_only = c.initial.kind == InitialKind::forward_step || c.initial.kind == InitialKind::double_mach;
  const bool falls = !(c.acceleration == Vec3{});
  if (c.exact_errors && (ahead_only || falls || !initial.has_exact_solution())) {
    refuse("output.exact_errors",
           falls ? "the exact solutions include no body force" : "this initial state has no exact solution to compare with", {});
  } else if (c.exact_errors && c.initial.kind == InitialKind::manufactured && !c.manufactured_source) {
    refuse("output.exact_errors", "the manufactured solution is one of the equations with its source",
           "set source = \"manufactured\"");
  }
}

void warn_of(Case& c) {
  const double mach = largest_mach(c);
  if (c.numerics.precision != Precision::fp64 && mach > 0 && mach < kLowMach) {
    c.warnings.push_back(fmt::format(
        "the largest Mach number of the case's states is {:.3g}, and in numerics.precision = \"{}\" differences of pressure, of "
        "about {:.1e} of the pressure, are computed in 32 bits; use precision = \"{}\" below Mach {}",
        mach, name_of(c.numerics.precision), 0.5 * c.gas.gamma * mach * mach, name_of(Precision::fp64), kLowMach));
  }
}

void warn_of_former_place(const io::CaseReader& reader, const Section& output, Case& c) {
  namespace fs = std::filesystem;
  const fs::path folder = reader.file().path().parent_path();
  const std::string written = output.written("directory").value_or("");
  if (folder.empty() || fs::path(written).is_absolute() || written.starts_with('~')) return;
  if (output.where("directory").file.starts_with("--set ")) return;
  const fs::path old_location = c.output.directory.lexically_relative(folder);
  std::error_code failed;
  if (old_location.empty() || old_location.begin()->string() == ".." || !fs::exists(old_location / "case.toml", failed)) return;
  if (fs::equivalent(old_location, c.output.directory, failed) || fs::exists(c.output.directory / "case.toml", failed)) return;
  c.warnings.push_back(
      fmt::format("{} holds a run, but a relative output.directory starts at the folder of the case and is {}; to go on in the "
                  "former give --set output.directory={}",
                  old_location.string(), c.output.directory.string(), old_location.string()));
}

}  // namespace weft::flow::detail
