// Reads the output of a run: [output], [forces], [monitors], [lines] and [sections].
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/flow/app/case_parts.hpp"

namespace weft::flow::detail {

using io::Section;

namespace {

/// Returns the values for a list of names, each of which may occur once.
template <class Kind>
std::vector<Kind> read_kinds(const Section& s, const std::string& key, const io::TextsSpec& spec) {
  std::vector<Kind> kinds;
  for (const std::string& name : s.texts(key, spec)) {
    const std::span<const std::string_view> all = names<Kind>();
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      const std::string near = closest_match(name, all);
      s.fail(key, fmt::format("unknown {} \"{}\"", registry_of(Kind{}).what, name),
             fmt::format("{}use some of {}", near.empty() ? "" : fmt::format("did you mean \"{}\"? Otherwise ", near),
                         fmt::join(all, ", ")));
    }
    const Kind kind = kind_named<Kind>(name);
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) {
      s.fail(key, fmt::format("\"{}\" is listed twice", name), "name each once");
    }
    kinds.push_back(kind);
  }
  if (kinds.empty() && !s.documenting())
    s.fail(key, "the list is empty", fmt::format("name some of {}", fmt::join(names<Kind>(), ", ")));
  return kinds;
}

/// Returns the name of a section that is part of a file's name.
std::string file_word(const Section& s) {
  const auto good = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  if (!std::all_of(s.name().begin(), s.name().end(), good) && !s.documenting()) {
    Where where = s.where("");
    where.key = s.path();
    throw InputError(fmt::format("\"{}\" is to be part of the name of a file", s.name()), "use letters, digits, _ and - alone",
                     where);
  }
  return s.name();
}

}  // namespace

std::string column_word(const Section& s) {
  if ((s.name().empty() || s.name().find_first_of(",\"\r\n") != std::string::npos) && !s.documenting()) {
    Where where = s.where("");
    where.key = s.path();
    throw InputError(fmt::format("\"{}\" is to be part of the name of a column", s.name()),
                     "name the section without commas, quotes and line ends", where);
  }
  return s.name();
}

OutputChoice read_output(const Section& s) {
  OutputChoice output;
  output.directory =
      s.path_to("directory", {.default_value = "results",
                              .doc = "Folder of the results; made if absent. A relative path starts at the folder of the case."});
  output.field_interval = s.optional_number(
      "field_interval",
      {.min_exclusive = 0, .unit = "s", .doc = "Flow time between field files; steps are shortened to meet it."});
  output.field_steps = s.optional_integer("field_steps", {.min = 1, .doc = "Steps between field files."});
  output.history_steps = s.integer(
      "history_steps", {.default_value = 10,
                        .min = 1,
                        .doc = "Steps between rows of residuals.csv, forces.csv, monitors.csv, probes.csv and integrals.csv."});
  output.checkpoint_steps =
      s.optional_integer("checkpoint_steps", {.min = 1, .doc = "Steps between checkpoints. One is always left at the end."});
  output.checkpoint_seconds =
      s.number("checkpoint_seconds", {.default_value = 600,
                                      .min = 0,
                                      .unit = "s",
                                      .doc = "Wall-clock time between checkpoints; 0: as many as checkpoint_steps asks for."});
  output.single_precision =
      s.choice("precision", {"double", "single"}, {.default_value = "double", .doc = "Precision of field files."}) == "single";
  std::vector<std::string> defaults;
  for (const FieldKind field : output.fields) defaults.emplace_back(name_of(field));
  output.fields = read_kinds<FieldKind>(
      s, "fields",
      {.default_value = defaults,
       .doc = "Quantities of the flow in field files, in addition to the scalars, cell_id and rank: any of " +
              describe_choices<FieldKind>() +
              ". Vorticity and schlieren are made from the gradients of the scheme, as its limiter leaves them."});
  output.where_fields = s.where("fields");
  return output;
}

ForceSpec read_force(const Section& s, const FreeStream& stream, bool has_stream) {
  ForceSpec force;
  force.name = column_word(s);
  force.zones = s.texts("zones", {.doc = "Boundary zones that the force acts on; names, or patterns: \"wall*\"."});
  force.where_zones = s.where("zones");
  force.area = s.number(
      "area",
      {.default_value = 1, .min_exclusive = 0, .unit = "m^2", .doc = "Reference area; in 2-D the chord times unit depth."});
  force.length = s.number("length", {.default_value = 1, .min_exclusive = 0, .unit = "m", .doc = "Reference length of moments."});
  force.moment_centre = s.vector3("moment_centre", {.default_value = Vec3{},
                                                    .unit = "m",
                                                    .doc = "Point about which moments are taken, right-handed about x, y and z: "
                                                           "with x downstream and y up a positive moment about "
                                                           "z turns the nose down. The pitching moment coefficient cm_nose_up "
                                                           "is positive where the nose goes up: about lift_direction x "
                                                           "drag_direction."});
  const auto place = [&](const char* key) { return s.has(key) ? std::optional(s.where(key)) : std::nullopt; };
  force.where_area = place("area");
  force.where_length = place("length");
  force.where_moment_centre = place("moment_centre");
  const auto pressure = s.optional_number(
      "reference_pressure", {.min = 0,
                             .unit = "Pa",
                             .doc = "Pressure from which forces are counted. Default: that of the free stream; without one 0."});
  const Vec3 drag =
      s.vector3("drag_direction", {.default_value = stream.drag_direction, .doc = "Default: along the free stream."});
  const Vec3 lift = s.vector3(
      "lift_direction", {.default_value = stream.lift_direction,
                         .doc = "Default: perpendicular to the free stream, in the plane of the free stream and lift_axis."});
  if (has_stream) force.reference = stream.state;
  force.reference.pressure = pressure.value_or(has_stream ? stream.state.pressure : 0);
  if (s.documenting()) return force;
  if (force.zones.empty()) s.fail("zones", "the list is empty", "name the boundary zones that the force acts on");
  if (norm(drag) == 0) s.fail("drag_direction", "a direction of length zero");
  if (norm(lift) == 0) s.fail("lift_direction", "a direction of length zero");
  force.drag_direction = drag / norm(drag);
  force.lift_direction = lift / norm(lift);
  if (force.has_coefficients() && norm(cross(force.lift_direction, force.drag_direction)) < 1e-6) {
    s.fail(s.has("lift_direction") ? "lift_direction" : "drag_direction", "lift and drag have the same axis",
           "give directions across each other");
  }
  return force;
}

MonitorSpec read_monitor(const Section& s) {
  MonitorSpec monitor;
  monitor.name = column_word(s);
  monitor.zones = s.texts("zones", {.doc = "Boundary zones, taken together; names, or patterns: \"wall*\"."});
  monitor.where_zones = s.where("zones");
  monitor.quantities =
      read_kinds<ZoneQuantity>(s, "quantities",
                               {.default_value = std::vector<std::string>{"mass_flow"},
                                .doc = "Columns of monitors.csv: the mass flow, and averages of the gas at the faces: " +
                                       describe_choices<ZoneQuantity>() + "."});
  monitor.mass_weighted =
      s.choice("average", {"area", "mass"},
               {.default_value = "area",
                .doc = "Weight of a face in an average: its area, or the absolute mass flow through it (the area, too, where "
                       "no mass flows through any of the faces)."}) == "mass";
  monitor.in_progress = s.boolean("progress", {.default_value = false, .doc = "Show the values in the line of progress, too."});
  return monitor;
}

LineChoice read_line(const Section& s) {
  LineChoice line;
  line.name = file_word(s);
  line.from = s.vector3("from", {.unit = "m", .doc = "First point."});
  line.to = s.vector3("to", {.unit = "m", .doc = "Last point."});
  line.points = s.integer(
      "points",
      {.default_value = 101, .min = 2, .max = 1'000'000, .doc = "Number of points, evenly spaced, both ends included."});
  line.where = s.where("from");
  if (!s.documenting() && line.from == line.to) s.fail("to", "both ends of the line are the same point");
  return line;
}

SectionChoice read_section(const Section& s) {
  SectionChoice section;
  section.name = file_word(s);
  section.point = s.vector3("point", {.unit = "m", .doc = "A point of the plane."});
  section.normal = s.vector3("normal", {.doc = "A vector perpendicular to the plane, of any length."});
  section.where = s.where("point");
  if (!s.documenting() && norm(section.normal) == 0) s.fail("normal", "a direction of length zero");
  return section;
}

}  // namespace weft::flow::detail
