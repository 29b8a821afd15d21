#include "weft/flow/app/case.hpp"

#include "weft/base/error.hpp"
#include "weft/flow/app/case_parts.hpp"

namespace weft::flow {

using detail::FreeStream;
using io::Section;

Case read_case(const io::CaseReader& reader) {
  const Section root = reader.root();
  const auto in_section = [&root](const char* key, const io::SectionSpec& spec, auto&& read) {
    return root.attempt([&] {
      const Section section = root.section(key, spec);
      section.attempt([&] { read(section); });
    });
  };
  Case c;
  c.file = reader.file().path().string();
  c.title = root.text("title", {.default_value = "", .doc = "One line, for people."});
  detail::CaseGas case_gas;
  case_gas.warnings = &c.warnings;
  const bool gas_is_good = in_section("gas", {.doc = "The gas: ideal, calorically perfect."}, [&](const Section& gas) {
    c.gas.gamma = gas.number("gamma", {.default_value = 1.4, .min_exclusive = 1, .max = 3, .doc = "Ratio of specific heats."});
    c.gas.gas_constant = gas.number("gas_constant", {.default_value = 1,
                                                     .min_exclusive = 0,
                                                     .unit = "J/(kg K)",
                                                     .doc = "R in p = density R T; 287.05 for air; 1 where nothing has units."});
    case_gas.gas_constant_given = gas.has("gas_constant");
  });
  if (!gas_is_good) case_gas.gas_constant_given = true;  // errors that depend on it are not reported
  static_cast<IdealGas&>(case_gas) = c.gas;
  in_section("mesh", {.required = true, .doc = "The mesh, read or generated."},
             [&](const Section& mesh) { c.mesh = detail::read_mesh_choice(mesh); });
  FreeStream free_stream;
  const bool stream_is_good =
      in_section("free_stream",
                 {.doc = "The undisturbed flow: default of far_field and supersonic_inflow boundaries and of a uniform start; "
                         "reference of force coefficients."},
                 [&](const Section& stream) {
                   if (!stream.present() && !stream.documenting()) return;
                   c.free_stream = detail::read_state(stream, case_gas, std::nullopt, &free_stream);
                 });
  if (!stream_is_good) {  // errors that depend on it are not reported
    free_stream.state = {1, {1, 0, 0}, 1};
    c.free_stream = free_stream.state;
  }
  in_section("initial", {.doc = "The flow at the start."}, [&](const Section& initial) {
    if (!initial.present() && !initial.documenting() && !c.free_stream) {
      root.fail("initial", "nothing says how the flow starts",
                "add [initial], or [free_stream] for a start from the undisturbed flow");
    }
    c.initial = detail::read_initial(initial, "kind", case_gas, c.free_stream);
  });
  root.attempt([&] { c.scalars = read_scalars(root); });
  root.attempt([&] {
    for (const Section& zone : root.named_sections(
             "boundary", {.doc = "The condition of a boundary zone of the mesh, or of all zones whose names match "
                                 "a pattern: `[boundary.\"wall*\"]`, where `*` is any text and `?` any character. "
                                 "The name of a zone goes before patterns.",
                         .placeholder = "zone"})) {
      c.boundary.emplace_back().zone = zone.name();
      c.boundary.back().where = zone.where("kind");
      zone.attempt([&] { c.boundary.back() = detail::read_condition(zone, case_gas, c.free_stream, c.scalars); });
    }
  });
  in_section("numerics", {.doc = "How the equations are solved."},
             [&](const Section& numerics) { c.numerics = detail::read_numerics(numerics, c.mesh.build); });
  root.attempt([&] { detail::read_device(root, c); });
  c.manufactured_source =
      root.choice("source", {"none", "manufactured"},
                  {.default_value = "none", .doc = "Source term; manufactured: that of [initial], kind manufactured."}) ==
      "manufactured";
  in_section("body_force", {.doc = "A force on every part of the gas alike, such as gravity."}, [&](const Section& body_force) {
    c.acceleration = body_force.vector3("acceleration", {.default_value = Vec3{}, .unit = "m/s^2", .doc = "Force per mass."});
  });
  in_section("stop", {.required = true, .doc = "When to stop: the first that holds."},
             [&](const Section& stop) { c.stop = detail::read_stop(stop); });
  in_section("output", {.doc = "What is written, where and when."}, [&](const Section& output) {
    c.output = detail::read_output(output);
    c.integrals = output.boolean(
        "integrals", {.default_value = false,
                      .doc = "Write the integral of each conserved variable to integrals.csv; of an axisymmetric flow momentum_y "
                             "is that away from the axis, whose vectors add up to 0."});
    c.exact_errors = output.boolean(
        "exact_errors",
        {.default_value = false,
         .doc = "At the end, compare with the exact solution of [initial]: errors.csv. Field files hold it as exact_density, "
                "exact_velocity, exact_pressure and exact_mach."});
  });
  root.attempt([&] {
    for (const Section& force : root.named_sections(
             "forces", {.doc = "Force and moment on boundary zones, in N and N m, in forces.csv; with a free stream "
                               "that moves, coefficients, too."})) {
      force.attempt([&] { c.forces.push_back(detail::read_force(force, free_stream, c.free_stream.has_value())); });
    }
  });
  root.attempt([&] {
    for (const Section& probe : root.named_sections("probes", {.doc = "Values at points, in probes.csv."})) {
      c.probes.push_back({probe.name(), probe.vector3("at", {.unit = "m", .doc = "The point."}), probe.where("at")});
    }
  });
  root.attempt([&] {
    for (const Section& monitor : root.named_sections(
             "monitors", {.doc = "Mass flow through boundary zones and averages over them, in monitors.csv: a column "
                                 "<name>_<quantity> each."})) {
      monitor.attempt([&] { c.monitors.push_back(detail::read_monitor(monitor)); });
    }
  });
  root.attempt([&] {
    for (const Section& line : root.named_sections(
             "lines", {.doc = "Values along a line, in line_<name>_<step>.csv with each field file: distance from the first "
                              "point, x, y, z, output.fields and scalars, linear within the cells. Points outside the mesh have "
                              "no row."})) {
      line.attempt([&] { c.lines.push_back(detail::read_line(line)); });
    }
  });
  root.attempt([&] {
    for (const Section& section : root.named_sections(
             "sections", {.doc = "A plane section of a 3-D mesh, in section_<name>_<step>.vtu with each field file: the polygon "
                                 "in each cell that the plane meets, with output.fields, scalars and cell_id."})) {
      section.attempt([&] { c.sections.push_back(detail::read_section(section)); });
    }
  });
  reader.finish();
  if (root.documenting() || !reader.errors().empty()) return c;
  const Section output = root.section("output", {});
  root.attempt([&] { detail::place_vortices(c); });
  root.attempt([&] { detail::check_fields(c); });
  root.attempt([&] { detail::check_together(root, c); });
  detail::warn_of(c);
  detail::warn_of_former_place(reader, output, c);
  return c;
}

SourceTerm Case::source() const {
  SourceTerm source;
  source.acceleration = acceleration;
  if (manufactured_source) {
    source.function = [solution = initial.manufactured, g = gas](Vec3 x, double t, const Primitive&) {
      return solution.source(g, x, t);
    };
  }
  return source;
}

std::string case_reference() {
  const io::CaseReader reader = io::CaseReader::documentation();
  (void)read_case(reader);
  return reader.reference_markdown();
}

}  // namespace weft::flow
