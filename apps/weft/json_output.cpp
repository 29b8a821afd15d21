#include "json_output.hpp"

#include <array>
#include <cmath>

#include "standard_output.hpp"

namespace weft::app {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

const char* kind_name(Error::Kind kind) {
  static constexpr std::array kNames{"contract", "limit", "input", "mesh", "io", "comm", "device", "physics", "interrupted"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Json describe_error(const Error& error) {
  const Where& where = error.where();
  Json at = Json::object();
  if (!where.file.empty()) at["file"] = where.file;
  if (where.line > 0) at["line"] = where.line;
  if (where.column > 0) at["column"] = where.column;
  if (where.offset >= 0) at["offset"] = where.offset;
  if (!where.key.empty()) at["key"] = where.key;
  if (!where.zone.empty()) at["zone"] = where.zone;
  if (where.element >= 0) at["element"] = where.element;
  return {{"kind", kind_name(error.kind())}, {"where", at}, {"problem", error.problem()}, {"suggestion", error.suggestion()}};
}

Json describe_state(const flow::StateFigures& state) {
  return {{"name", state.name},
          {"density", state.density},
          {"pressure", state.pressure},
          {"temperature", state.temperature},
          {"velocity", to_json(state.velocity)},
          {"speed", state.speed},
          {"sound_speed", state.sound_speed},
          {"mach", state.mach},
          {"dynamic_pressure", state.dynamic_pressure},
          {"total_pressure", state.total_pressure},
          {"total_temperature", state.total_temperature}};
}

Json describe_steps(const flow::StepFigures& steps) {
  return {{"local", steps.local},
          {"courant", steps.courant},
          {"first", steps.first},
          {"later", steps.later},
          {"estimate", or_null(steps.estimate)},
          {"criterion", steps.criterion},
          {"not_estimated", steps.not_estimated}};
}

}  // namespace

void add_json_option(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "Print one JSON document for programs; messages go to standard error");
}

std::string json_document(const std::string& command, const Json& content) {
  Json document{{"format", 1}, {"version", WEFT_VERSION}, {"command", command}};
  document.update(content);
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

void print_json(const std::string& command, const Json& content) { print_out(json_document(command, content)); }

Json to_json(const Vec3& vector) { return {vector.x, vector.y, vector.z}; }

Json to_json(const mesh::MeshStats& stats) {
  const auto extreme = [](const mesh::MeshStats::Extreme& e) { return Json{{"value", e.value}, {"place", to_json(e.place)}}; };
  Json types = Json::object(), zones = Json::array();
  for (int k = 0; k < mesh::kCellTypes; ++k) {
    const std::int64_t count = stats.cells_of_type[k];
    if (count > 0) types[std::string(mesh::kCellShapes[k].name)] = count;
  }
  for (const mesh::MeshStats::ZoneSize& zone : stats.zones)
    zones.push_back({{"name", zone.name}, {"dim", zone.dim}, {"elements", zone.elements}, {"measure", zone.measure}});
  return {{"source", stats.source},
          {"notes", stats.notes},
          {"warnings", stats.warnings},
          {"dim", stats.dim},
          {"axisymmetric", stats.axisymmetric},
          {"cells", stats.cells},
          {"nodes", stats.nodes},
          {"interior_faces", stats.interior_faces},
          {"boundary_faces", stats.boundary_faces},
          {"cells_of_type", types},
          {"zones", zones},
          {"low", to_json(stats.low)},
          {"high", to_json(stats.high)},
          {"volume", stats.volume},
          {"smallest_cell", extreme(stats.smallest_cell)},
          {"largest_cell", extreme(stats.largest_cell)},
          {"non_orthogonality_mean", stats.mean_non_orthogonality},
          {"non_orthogonality", extreme(stats.non_orthogonality)},
          {"skewness", extreme(stats.skewness)},
          {"aspect_ratio", extreme(stats.aspect_ratio)},
          {"fewest_cells", stats.fewest_cells},
          {"most_cells", stats.most_cells},
          {"ghost_cells", stats.ghost_cells},
          {"cut_faces", stats.cut_faces},
          {"most_neighbours", stats.most_neighbours}};
}

Json to_json(const flow::CaseCheck& check) {
  Json errors = Json::array(), zones = Json::array(), periodic = Json::array(), states = Json::array();
  for (const Error& error : check.errors) errors.push_back(describe_error(error));
  for (const flow::ZoneFigures& zone : check.zones) {
    zones.push_back(
        {{"name", zone.name}, {"kind", zone.condition()}, {"pattern", zone.pattern}, {"faces", zone.faces}, {"area", zone.area}});
    const auto add = [&](const char* key, const std::optional<double>& value) {
      if (value) zones.back()[key] = *value;
    };
    add("total_pressure", zone.total_pressure);
    add("total_temperature", zone.total_temperature);
    add("pressure", zone.pressure);
    add("temperature", zone.temperature);
  }
  for (const mesh::Periodic& pair : check.periodic)
    periodic.push_back(
        {{"from", pair.from}, {"to", pair.to}, {"translation", pair.translation ? to_json(*pair.translation) : Json(nullptr)}});
  for (const flow::StateFigures& state : check.states) states.push_back(describe_state(state));
  Json cost;
  if (check.cost) {
    cost = {{"step_seconds", check.cost->step_seconds},
            {"run_seconds", or_null(check.cost->run_seconds)},
            {"memory_bytes", check.cost->memory_bytes}};
  }
  return {{"case", check.file},
          {"title", check.title},
          {"good", check.errors.empty()},
          {"errors", errors},
          {"warnings", check.warnings},
          {"without_gpu", check.without_gpu},
          {"mesh", check.mesh ? to_json(*check.mesh) : Json(nullptr)},
          {"zones", zones},
          {"periodic", periodic},
          {"si", check.si},
          {"gamma", check.gamma},
          {"gas_constant", check.gas_constant},
          {"states", states},
          {"reference_length", check.reference_length},
          {"reference_length_of", check.reference_length_of},
          {"convective_time", or_null(check.convective_time)},
          {"reynolds", or_null(check.reynolds)},
          {"steps", check.steps ? describe_steps(*check.steps) : Json(nullptr)},
          {"cost", cost}};
}

}  // namespace weft::app
