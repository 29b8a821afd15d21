// The report of `weft check`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "weft/base/counted.hpp"
#include "weft/flow/app/case_check.hpp"

namespace weft::flow {
namespace {

/// "3.2 ms", "14 s", "2.5 h".
std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  return fmt::format("{:.3g} h", seconds / 3600);
}

std::string memory(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", 1e-6 * bytes) : fmt::format("{:.3g} GB", 1e-9 * bytes);
}

std::string describe(const StateFigures& state, bool si) {
  const auto unit = [si](const char* name) { return si ? fmt::format(" {}", name) : std::string(); };
  std::string text = fmt::format("  {}: density {:.6g}{}, pressure {:.6g}{}, temperature {:.6g}{}\n", state.name, state.density,
                                 unit("kg/m^3"), state.pressure, unit("Pa"), state.temperature, unit("K"));
  text +=
      fmt::format("    speed {:.6g}{}, Mach {:.6g}, along ({:.4g}, {:.4g}, {:.4g}), speed of sound {:.6g}{}\n", state.speed,
                  unit("m/s"), state.mach, state.velocity.x, state.velocity.y, state.velocity.z, state.sound_speed, unit("m/s"));
  text += fmt::format("    dynamic pressure {:.6g}{}, total pressure {:.6g}{}, total temperature {:.6g}{}\n",
                      state.dynamic_pressure, unit("Pa"), state.total_pressure, unit("Pa"), state.total_temperature, unit("K"));
  return text;
}

/// Returns the gas outside of an opening: ", total pressure 120000 Pa, total temperature 300 K"; empty of a wall.
std::string gas_outside(const ZoneFigures& zone, bool si) {
  std::string text;
  const auto add = [&](const char* name, const std::optional<double>& value, const char* unit) {
    if (value) text += fmt::format(", {} {:.6g}{}{}", name, *value, si ? " " : "", si ? unit : "");
  };
  add("total pressure", zone.total_pressure, "Pa");
  add("total temperature", zone.total_temperature, "K");
  add("static pressure", zone.pressure, "Pa");
  add("temperature", zone.temperature, "K");
  return text;
}

std::string describe(const StepFigures& steps, const char* unit) {
  std::string text = fmt::format("  steps: {} {:.4g}{} at first",
                                 steps.local ? "each cell has its own length, the shortest" : "length", steps.first, unit);
  if (steps.later != steps.first) text += fmt::format(", {:.4g}{} after the ramp", steps.later, unit);
  text += fmt::format(" (Courant number {:g})", steps.courant);
  if (steps.estimate) {
    text += fmt::format("; {} to {}{}", counted(*steps.estimate, "step"), steps.criterion,
                        steps.criterion == "stop.time" ? " at that length, more where waves become faster than at the start"
                        : steps.criterion == "stop.wall_time" ? " at the cost of the first ones"
                                                              : "");
  }
  if (!steps.not_estimated.empty()) {
    text += fmt::format("; {} may end the run earlier, at a step that is not known", fmt::join(steps.not_estimated, " or "));
  }
  return text + "\n";
}

}  // namespace

std::string describe(const CaseCheck& check) {
  if (!check.mesh) return {};
  const mesh::MeshStats& mesh = *check.mesh;
  std::string text;
  for (const std::string& note : mesh.notes) text += fmt::format("mesh {}: {}\n", mesh.source, note);
  if (!check.errors.empty()) return text;
  std::string zones;
  for (const ZoneFigures& zone : check.zones) zones += " " + zone.name;
  text += fmt::format("{}: good. {} in {}-D; {}\n", check.file, counted(mesh.cells, "cell"), mesh.dim,
                      zones.empty() ? "no boundary" : "zones:" + zones);
  const auto length = [&](const char* name) { return check.si ? fmt::format(" {}", name) : std::string(); };
  text += check.si ? fmt::format("  gas: gamma {:g}, gas constant {:g} J/(kg K); figures are in SI units\n", check.gamma,
                                 check.gas_constant)
                   : fmt::format("  gas: gamma {:g}, gas constant {:g}: without units, as are all figures\n", check.gamma,
                                 check.gas_constant);
  for (const StateFigures& state : check.states) text += describe(state, check.si);
  if (check.reference_length > 0) {
    text += fmt::format("  reference length {:.6g}{} ({})", check.reference_length, length("m"), check.reference_length_of);
    if (check.convective_time)
      text += fmt::format(", which the free stream passes in {:.4g}{}", *check.convective_time, length("s"));
    text += "\n";
  }
  if (check.reynolds) {
    text += fmt::format(
        "  Reynolds number {:.3g}, were the flow viscous: it is computed without viscosity, boundary layers and "
        "friction\n",
        *check.reynolds);
  }
  for (const ZoneFigures& zone : check.zones) {
    text += fmt::format("  zone {}: {}{}, {}, {} {:.6g}{}\n", zone.name, zone.condition(),
                        zone.pattern.empty() ? "" : fmt::format(" (by the pattern \"{}\")", zone.pattern),
                        counted(zone.faces, "face"), mesh.dim == 2 && !mesh.axisymmetric ? "length" : "area", zone.area,
                        gas_outside(zone, check.si));
  }
  for (const mesh::Periodic& pair : check.periodic) {
    const Vec3 t = pair.translation.value_or(Vec3{});
    text += fmt::format("  zones {} and {}: periodic, ({:.9g}, {:.9g}, {:.9g}) apart\n", pair.from, pair.to, t.x, t.y, t.z);
  }
  if (check.steps) text += describe(*check.steps, check.si ? " s" : "");
  if (check.cost) {
    text += fmt::format("  cost here, on {}: {} a step{}, {} of memory\n", counted(mesh.ranks, "rank"),
                        duration(check.cost->step_seconds),
                        check.cost->run_seconds ? fmt::format(", {} for all of them", duration(*check.cost->run_seconds)) : "",
                        memory(check.cost->memory_bytes));
  }
  if (check.without_gpu) text += "checked without a GPU: whether the case fits on one, and its speed there, are not known\n";
  return text;
}

}  // namespace weft::flow
