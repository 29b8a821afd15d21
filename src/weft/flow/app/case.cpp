#include "weft/flow/app/case.hpp"

#include <fmt/format.h>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/app/case_parts.hpp"
#include "weft/mesh/io/read_mesh.hpp"

namespace weft::flow {

using detail::FreeStream;
using io::Section;

namespace {

/// Reads [key] by `read`, which gets the section. Returns false after an error.
template <class Read>
bool in_section(const Section& root, const char* key, const io::SectionSpec& spec, Read&& read) {
  return root.attempt([&] {
    const Section section = root.section(key, spec);
    section.attempt([&] { read(section); });
  });
}

/// Reads each [key.<name>] by `read`, which gets the section.
template <class Read>
void in_each_section(const Section& root, const char* key, const io::SectionSpec& spec, Read&& read) {
  root.attempt([&] {
    for (const Section& section : root.named_sections(key, spec)) {
      section.attempt([&] { read(section); });
    }
  });
}

detail::CaseGas read_gas(const Section& root, Case& c) {
  detail::CaseGas case_gas;
  case_gas.warnings = &c.warnings;
  case_gas.along_z = &c.along_z;
  const bool good = in_section(root, "gas", {.doc = "The gas: ideal, calorically perfect."}, [&](const Section& gas) {
    c.gas.gamma = gas.number("gamma", {.default_value = 1.4, .min_exclusive = 1, .max = 3, .doc = "Ratio of specific heats."});
    c.gas.gas_constant = gas.number("gas_constant", {.default_value = 1,
                                                     .min_exclusive = 0,
                                                     .unit = "J/(kg K)",
                                                     .doc = "R in p = density R T; 287.05 for air; 1 where nothing has units."});
    case_gas.gas_constant_given = gas.has("gas_constant");
  });
  if (!good) case_gas.gas_constant_given = true;  // errors that depend on it are not reported
  static_cast<IdealGas&>(case_gas) = c.gas;
  return case_gas;
}

FreeStream read_free_stream(const Section& root, const detail::CaseGas& gas, Case& c) {
  FreeStream free_stream;
  const bool good =
      in_section(root, "free_stream",
                 {.doc = "The undisturbed flow: default of far_field and supersonic_inflow boundaries and of a uniform start; "
                         "reference of force coefficients."},
                 [&](const Section& stream) {
                   if (!stream.present() && !stream.documenting()) return;
                   c.free_stream = detail::read_state(stream, gas, std::nullopt, &free_stream);
                 });
  if (!good) {  // errors that depend on it are not reported
    free_stream.state = {1, {1, 0, 0}, 1};
    c.free_stream = free_stream.state;
  }
  return free_stream;
}

/// Reads the start, the scalars and the boundary zones.
void read_states(const Section& root, const detail::CaseGas& gas, Case& c) {
  in_section(root, "initial", {.doc = "The flow at the start."}, [&](const Section& initial) {
    if (!initial.present() && !initial.documenting() && !c.free_stream) {
      root.fail("initial", "nothing says how the flow starts",
                "add [initial], or [free_stream] for a start from the undisturbed flow");
    }
    c.initial = detail::read_initial(initial, "kind", gas, c.free_stream);
  });
  root.attempt([&] { c.scalars = read_scalars(root); });
  in_each_section(root, "boundary",
                  {.doc = "The condition of a boundary zone of the mesh, or of all zones whose names match "
                          "a pattern: `[boundary.\"wall*\"]`, where `*` is any text and `?` any character. "
                          "The name of a zone goes before patterns.",
                   .placeholder = "zone"},
                  [&](const Section& zone) {
                    ZoneCondition& condition = c.boundary.emplace_back();
                    condition.zone = zone.name();
                    condition.where = zone.where("kind");
                    condition = detail::read_condition(zone, gas, c.free_stream, c.scalars);
                  });
}

void read_output(const Section& root, Case& c) {
  in_section(
      root, "output", {.doc = "Files that are written: fields, checkpoints and histories, where and when."},
      [&](const Section& output) {
        c.output = detail::read_output(output);
        c.integrals = output.boolean(
            "integrals",
            {.default_value = false,
             .doc = "Write the integral of each conserved variable to integrals.csv; of an axisymmetric flow momentum_y "
                    "is that away from the axis, whose vectors add up to 0."});
        c.exact_errors = output.boolean(
            "exact_errors",
            {.default_value = false,
             .doc = "At the end, compare with the exact solution of [initial]: errors.csv. Field files hold it as exact_density, "
                    "exact_velocity, exact_pressure and exact_mach."});
      });
}

/// Reads forces, probes, monitors, lines and sections.
void read_samples(const Section& root, const FreeStream& free_stream, Case& c) {
  in_each_section(
      root, "forces",
      {.doc =
           "Force and moment on boundary zones, in N and N m, in forces.csv; with a free stream that moves, coefficients, too."},
      [&](const Section& force) { c.forces.push_back(detail::read_force(force, free_stream, c.free_stream.has_value())); });
  in_each_section(root, "probes", {.doc = "Values at points, in probes.csv."}, [&](const Section& probe) {
    c.probes.push_back({detail::column_word(probe), probe.vector3("at", {.unit = "m", .doc = "The point."}), probe.where("at")});
  });
  in_each_section(root, "monitors",
                  {.doc = "Mass flow through boundary zones and averages over them, in monitors.csv: a column "
                          "<name>_<quantity> each."},
                  [&](const Section& monitor) { c.monitors.push_back(detail::read_monitor(monitor)); });
  in_each_section(root, "lines",
                  {.doc = "Values along a line, in line_<name>_<step>.csv with each field file: distance from the first "
                          "point, x, y, z, output.fields and scalars, linear within the cells. Points outside the mesh have "
                          "no row."},
                  [&](const Section& line) { c.lines.push_back(detail::read_line(line)); });
  in_each_section(root, "sections",
                  {.doc = "A plane section of a 3-D mesh, in section_<name>_<step>.vtu with each field file: the polygon "
                          "in each cell that the plane meets, with output.fields, scalars and cell_id."},
                  [&](const Section& section) { c.sections.push_back(detail::read_section(section)); });
}

}  // namespace

Case read_case(const io::CaseReader& reader) {
  const Section root = reader.root();
  Case c;
  c.file = reader.file().path().string();
  c.title = root.text("title", {.default_value = "", .doc = "One line, for people."});
  const detail::CaseGas case_gas = read_gas(root, c);
  in_section(root, "mesh", {.required = true, .doc = "The mesh, read or generated."},
             [&](const Section& mesh) { c.mesh = detail::read_mesh_choice(mesh); });
  const FreeStream free_stream = read_free_stream(root, case_gas, c);
  read_states(root, case_gas, c);
  in_section(root, "numerics", {.doc = "How the equations are solved."}, [&](const Section& numerics) {
    c.numerics = detail::read_numerics(numerics, c.mesh.build);
    if (numerics.has("reference_length")) c.where_reference_length = numerics.where("reference_length");
  });
  root.attempt([&] { detail::read_device(root, c); });
  const std::string source = root.choice("source", {"none", "manufactured", "function"},
                                         {.default_value = "none",
                                          .doc = "Source term; manufactured: that of [initial], kind manufactured; function: a "
                                                 "function of the program, given from Python."});
  c.manufactured_source = source == "manufactured";
  c.function_source = source == "function";
  in_section(
      root, "body_force", {.doc = "A force on every part of the gas alike, such as gravity."}, [&](const Section& body_force) {
        c.acceleration = body_force.vector3("acceleration", {.default_value = Vec3{}, .unit = "m/s^2", .doc = "Force per mass."});
      });
  in_section(root, "stop", {.required = true, .doc = "When to stop: the first that holds."},
             [&](const Section& stop) { c.stop = detail::read_stop(stop); });
  read_output(root, c);
  read_samples(root, free_stream, c);
  reader.finish();
  if (root.documenting() || !reader.errors().empty()) return c;
  const Section output = root.section("output", {});
  root.attempt([&] { detail::place_vortices(c); });
  root.attempt([&] { detail::check_fields(c); });
  root.attempt([&] { detail::check_together(root, c); });
  detail::warn_of(c);
  detail::warn_of_openings(c);
  detail::warn_of_former_place(reader, output, c);
  return c;
}

SourceTerm Case::source() const {
  SourceTerm source;
  source.acceleration = acceleration;
  if (function_source) {
    if (!source_function) throw no_function({.file = file, .key = "source"});
    source.function = source_function;
  }
  if (manufactured_source) {
    source.function = [solution = initial.manufactured, g = gas](Vec3 x, double t, const Primitive&) {
      return solution.source(g, x, t);
    };
  }
  return source;
}

io::CaseFile read_case_file(const Communicator& comm, const std::filesystem::path& path, std::span<const std::string> overrides) {
  agreed(comm, [&] {
    if (!comm.is_root() || !mesh::has_mesh_extension(path) || !std::filesystem::exists(path)) return;
    throw InputError("this is a mesh, and a case (TOML) is wanted here",
                     fmt::format("weft new from_file {}.toml --mesh {} writes one for it", path.stem().string(), path.string()),
                     Where{.file = path.string()});
  });
  return io::CaseFile::read(comm, path, overrides);
}

std::string case_reference() {
  const io::CaseReader reader = io::CaseReader::documentation();
  (void)read_case(reader);
  return reader.reference_markdown();
}

}  // namespace weft::flow
