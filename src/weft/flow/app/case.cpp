#include "weft/flow/app/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <span>
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/flow/app/case_states.hpp"
#include "weft/flow/app/expression.hpp"
#include "weft/flow/scheme/names.hpp"

namespace weft::flow {
namespace {

using detail::FreeStream;
using io::Section;

std::string sentence(std::string words) {
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return words + ".";
}

MeshChoice read_mesh_choice(const Section& s) {
  MeshChoice choice;
  if (const auto file = s.optional_path("file", {.doc = "Mesh to read: Gmsh (.msh 2.2 or 4.1), SU2 (.su2), CGNS (.cgns) or "
                                                        "Weft's own (.h5). A relative path starts at the folder of the case."})) {
    choice.file = *file;
    choice.where = s.where("file");
  }
  std::vector<std::string> names{"none"};
  for (const mesh::GeneratorInfo& info : mesh::generators()) names.push_back(info.name);
  choice.generator = s.variant(
      "generator", names, {.default_value = "none", .doc = "Mesh to generate instead; its parameters are keys of this section."},
      [&](const std::string& chosen) {
        for (const mesh::GeneratorInfo& info : mesh::generators()) {
          if (info.name != chosen) continue;
          for (const mesh::GeneratorParameter& p : info.parameters) {
            const auto value =
                s.optional_parameter(p.name, {.initial = p.initial, .unit = p.unit, .range = p.range, .doc = sentence(p.text)});
            if (!value) continue;
            choice.parameters[p.name] = *value;
            choice.where_parameter[p.name] = s.where(p.name);
          }
        }
      });
  choice.scale = s.number(
      "scale", {.default_value = 1, .min_exclusive = 0, .doc = "Coordinates are multiplied by it: 0.001 for a mesh in mm."});
  choice.where_scale = s.where("scale");
  choice.offset = s.vector3("offset", {.default_value = Vec3{}, .unit = "m", .doc = "Added to the coordinates after scaling."});
  choice.axisymmetric = s.boolean(
      "axisymmetric",
      {.default_value = false,
       .doc = "A 2-D mesh is the half of a meridian plane: y is the distance from the axis y = 0. Volumes, areas, forces "
              "and integrals are those of the whole turn: of a force the component along x, without lift and moment. The gas "
              "does not turn: velocities along z are 0."});
  choice.build.order = s.choice_of<mesh::CellOrdering>(
      "order",
      {{"hilbert", mesh::CellOrdering::hilbert}, {"rcm", mesh::CellOrdering::rcm}, {"as_read", mesh::CellOrdering::as_read}},
      {.default_value = "hilbert", .doc = "Numbering of the cells of a rank, for memory locality."});
  choice.build.partition.partitioner =
      s.choice_of<mesh::Partitioner>("partitioner",
                                     {{"automatic", mesh::Partitioner::automatic},
                                      {"metis", mesh::Partitioner::metis},
                                      {"scotch", mesh::Partitioner::scotch},
                                      {"hilbert", mesh::Partitioner::hilbert}},
                                     {.default_value = "automatic",
                                      .doc = "Deals the cells to the ranks; automatic: as the file has them for this number of "
                                             "ranks, else METIS, or hilbert beyond 20 million cells."});
  const bool by_cost = s.choice("balance", {"cells", "cost"},
                                {.default_value = "cells",
                                 .doc = "What ranks get equal shares of: cells, or their measured cost by type."}) == "cost";
  choice.build.partition.weight = cell_weight(
      by_cost,
      s.expression("weight", {.default_value = "1",
                              .doc = "Work of a cell as a formula of its place, \"1 + 3*(x<0)\", finite and above 0: a "
                                     "rank gets an equal share of the sum. With balance = cost it is a factor."}),
      s.where("weight"));
  for (const Section& pair : s.sections("periodic", {.doc = "Two boundary zones that are one."})) {
    mesh::Periodic& added =
        choice.build.periodic.emplace_back(pair.text("from", {.doc = "First zone."}), pair.text("to", {.doc = "Second zone."}));
    added.translation = pair.optional_vector3(
        "translation", {.unit = "m",
                        .doc = "From a point of the first zone to that of the second. Default: that from the box "
                               "around the first zone to the box around the second."});
    choice.where_periodic.push_back(pair.where("from"));
  }
  if (s.documenting()) return choice;
  const bool generated = choice.generator != "none";
  if (choice.file.empty() != generated) {
    s.fail(generated ? "generator" : "file", "a case needs one mesh: a file or a generator",
           "give exactly one of mesh.file and mesh.generator");
  }
  if (!generated) {
    choice.generator.clear();
    return choice;
  }
  try {
    (void)mesh::generator_spec(choice.generator, choice.parameters);
  } catch (const InputError& error) {
    s.fail(error.where().key, error.problem(), error.suggestion());
  }
  return choice;
}

Numerics read_numerics(const Section& s, mesh::BuildOptions& build) {
  Numerics n;
  const auto enumerated = [&](const char* key, auto initial, const char* doc) {
    using Kind = decltype(initial);
    std::vector<std::string> all(names<Kind>().begin(), names<Kind>().end());
    return kind_named<Kind>(s.choice(key, all, {.default_value = std::string(name_of(initial)), .doc = doc}));
  };
  const std::vector<std::string> fluxes(names<FluxKind>().begin(), names<FluxKind>().end());
  n.flux = kind_named<FluxKind>(s.variant(
      "flux", fluxes,
      {.default_value = std::string(name_of(n.flux)),
       .doc = "Numerical flux through a face. hllc_hlle: HLLC, and HLLE in shocks, where HLLC is unstable (carbuncles)."},
      [&](const std::string& chosen) {
        if (chosen == name_of(FluxKind::ausm_plus_up)) {
          n.cutoff_mach = s.number("cutoff_mach", {.default_value = 1,
                                                   .min = 1e-6,
                                                   .max = 1,
                                                   .doc = "The least Mach number that its terms of low speed are scaled to. That "
                                                          "of the free stream where it is far below 1."});
        }
        if (chosen == name_of(FluxKind::roe)) {
          n.entropy_fix =
              s.number("entropy_fix", {.default_value = n.entropy_fix,
                                       .min = 0,
                                       .max = 1,
                                       .doc = "Harten's entropy fix: acoustic speeds below this multiple of the speed of sound "
                                              "are raised smoothly to at least half of it, so that an expansion through a sonic "
                                              "point stays smooth. 0: none."});
        }
      }));
  n.limiter =
      enumerated("limiter", LimiterKind::barth_jespersen,
                 "Of the linear reconstruction. barth_jespersen makes no new extremes, but is not smooth: steady flows with "
                 "strong shocks keep swinging about their mean. For those venkatakrishnan.");
  n.venkatakrishnan_k =
      s.number("venkatakrishnan_k", {.default_value = 5, .min = 0, .doc = "Larger lets through larger smooth variations."});
  n.reference_length = s.optional_number(
      "reference_length",
      {.min_exclusive = 0,
       .unit = "m",
       .doc =
           "Cell sizes of Venkatakrishnan's parameter are relative to it. Default: twice the largest distance of a slip wall's "
           "node from the centroid of all slip walls, which is about the chord of an airfoil or the diameter of a sphere; "
           "without walls that of all nodes from the centroid of the mesh."});
  n.gradient = s.choice_of<GradientKind>(
      "gradient",
      {{"least_squares", GradientKind::least_squares}, {"green_gauss", GradientKind::green_gauss}, {"none", GradientKind::none}},
      {.default_value = "least_squares",
       .doc = "Of the linear reconstruction; none: first order in space. Green-Gauss is of second order on orthogonal meshes "
              "only."});
  build.ghosts = s.choice_of<mesh::Neighbours>(
      "stencil", {{"face", mesh::Neighbours::face}, {"node", mesh::Neighbours::node}},
      {.default_value = "face", .doc = "Cells that make a least-squares gradient: neighbours through faces, or through nodes."});
  n.stabilize_simplices = s.boolean(
      "stabilize_simplices",
      {.default_value = true,
       .doc = "Keeps least squares over face neighbours stable without a limiter on meshes that have other cells than quads and "
              "hexahedra: differences to all neighbours count alike, gradients of slivers are bounded, and small jumps at faces "
              "between two cells are damped."});
  n.rk_stages = static_cast<int>(s.integer(
      "rk_order", {.default_value = 3, .min = 1, .max = 3, .doc = "Order (and stages) of the SSP Runge-Kutta scheme."}));
  n.cfl =
      s.number("cfl", {.default_value = 0.8,
                       .min_exclusive = 0,
                       .max = 2,
                       .doc = "Courant number. With stabilize_simplices, on meshes that have other cells than quads and "
                              "hexahedra, steps are those of 0.8 at most (0.64 with rk_order below 3), and a warning tells so."});
  n.cfl_ramp.steps = s.integer(
      "cfl_ramp_steps",
      {.default_value = 0, .min = 0, .doc = "Steps at the start in which the Courant number grows from cfl_start to cfl."});
  const double cfl_start =
      s.number("cfl_start", {.default_value = 0.1, .min_exclusive = 0, .max = 2, .doc = "With cfl_ramp_steps."});
  if (n.cfl_ramp.steps > 0 && cfl_start > n.cfl && !s.documenting()) {
    s.fail("cfl_start", fmt::format("{} is above the Courant number {} to which it is to grow", cfl_start, n.cfl),
           "make it smaller than cfl, or cfl_ramp_steps 0");
  }
  n.cfl_ramp.start = cfl_start / n.cfl;
  n.order_ramp = {0, s.integer("order_ramp_steps",
                               {.default_value = 0,
                                .min = 0,
                                .doc = "Steps at the start in which the scheme grows from first order in space to second: what a "
                                       "limiter may be at most grows from 0 to 1."})};
  n.local_time_step =
      s.boolean("local_time_step", {.default_value = false, .doc = "Each cell with its own time step: steady flows only."});
  n.well_balanced = s.boolean(
      "well_balanced",
      {.default_value = false,
       .doc =
           "Keeps the state of [initial], which must be stationary such as a column of gas at rest under a body force, to "
           "rounding: the rate that the scheme computes of it is subtracted from every rate. Everything that is not stationary "
           "in [initial] is kept likewise, so perturbations must come from the boundary."});
  if (n.well_balanced && n.order_ramp.steps > 0 && !s.documenting()) {
    s.fail("order_ramp_steps", "the scheme of lower order would not keep the state that well_balanced keeps",
           "leave out order_ramp_steps: a start that is stationary needs no ramp");
  }
  n.precision = s.choice_of<Precision>(
      "precision", {{"fp64", Precision::fp64}, {"mixed", Precision::mixed}, {"fp32", Precision::fp32}},
      {.default_value = "fp64",
       .doc = "Numbers in which a GPU computes. mixed: gradients and fluxes in 32 bits, the state and its update in 64; fp32: "
              "everything in 32 bits. The host knows fp64 alone."});
  return n;
}

StopCriteria read_stop(const Section& s) {
  StopCriteria stop;
  stop.time = s.optional_number("time", {.min = 0, .unit = "s", .doc = "Flow time."});
  stop.steps = s.optional_integer("steps", {.min = 0, .doc = "Steps since the start of the run."});
  stop.wall_time = s.optional_number(
      "wall_time", {.min_exclusive = 0, .unit = "s", .doc = "Wall-clock time of this call; a checkpoint is left."});
  stop.residual = s.optional_number(
      "residual", {.min_exclusive = 0,
                   .max = 1,
                   .doc = "Residual of density relative to its largest: 1e-8 stops after a fall of eight orders."});
  stop.force_change = s.optional_number(
      "force_change", {.min_exclusive = 0, .doc = "Largest change of any drag or lift coefficient over force_window steps."});
  stop.force_window = s.integer("force_window", {.default_value = 200, .min = 1, .doc = "Steps over which force_change looks."});
  if (!s.documenting() && !stop.time && !stop.steps && !stop.wall_time && !stop.residual && !stop.force_change) {
    s.fail("time", "nothing says when to stop",
           "give at least one of stop.time, stop.steps, stop.wall_time, stop.residual, stop.force_change");
  }
  return stop;
}

/// Returns the values behind a list of names, of which each may be there once.
template <class Kind>
std::vector<Kind> read_kinds(const Section& s, const std::string& key, const io::TextsSpec& spec) {
  std::vector<Kind> kinds;
  for (const std::string& name : s.texts(key, spec)) {
    const std::span<const std::string_view> all = names<Kind>();
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      const std::string near = closest_match(name, all);
      s.fail(key, fmt::format("unknown {} \"{}\"", detail::kWhat<Kind>, name),
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
      "history_steps",
      {.default_value = 10, .min = 1, .doc = "Steps between rows of residuals.csv, forces.csv, probes.csv and integrals.csv."});
  output.checkpoint_steps =
      s.optional_integer("checkpoint_steps", {.min = 1, .doc = "Steps between checkpoints. One is always left at the end."});
  output.checkpoint_seconds =
      s.number("checkpoint_seconds", {.default_value = 600,
                                      .min = 0,
                                      .unit = "s",
                                      .doc = "Wall-clock time between checkpoints; 0: as many as checkpoint_steps asks for."});
  output.single_precision =
      s.choice("precision", {"double", "single"}, {.default_value = "double", .doc = "Of field files."}) == "single";
  std::vector<std::string> defaults;
  for (const FieldKind field : output.fields) defaults.emplace_back(name_of(field));
  output.fields = read_kinds<FieldKind>(
      s, "fields",
      {.default_value = defaults,
       .doc = "Quantities of the flow in field files, beside the scalars, cell_id and rank: any of " + describe_fields()});
  output.where_fields = s.where("fields");
  return output;
}

ForceSpec read_force(const Section& s, const FreeStream& stream, bool has_stream) {
  ForceSpec force;
  force.name = s.name();
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
  return force;
}

MonitorSpec read_monitor(const Section& s) {
  MonitorSpec monitor;
  monitor.name = s.name();
  monitor.zones = s.texts("zones", {.doc = "Boundary zones, taken together; names, or patterns: \"wall*\"."});
  monitor.where_zones = s.where("zones");
  monitor.quantities = read_kinds<ZoneQuantity>(
      s, "quantities",
      {.default_value = std::vector<std::string>{"mass_flow"},
       .doc = "Columns of monitors.csv: mass_flow, kg/s, positive out of the domain; and averages of pressure, Pa, density, "
              "kg/m^3, temperature, K, mach, total_pressure, Pa, and total_temperature, K, of the gas at the faces."});
  monitor.mass_weighted =
      s.choice("average", {"area", "mass"},
               {.default_value = "area",
                .doc = "What a face weighs in an average: its area, or the absolute mass flow through it (the area, too, where "
                       "no mass flows through any of the faces)."}) == "mass";
  monitor.in_progress = s.boolean("progress", {.default_value = false, .doc = "Show the values in the line of progress, too."});
  return monitor;
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

/// Where the flow is computed, and how.
void read_device(const Section& root, Case& c) {
  c.device = root.choice_of<Backend>("device", {{"host", Backend::host}, {"cuda", Backend::cuda}},
                                     {.default_value = "host",
                                      .doc = "Where the flow is computed: on the processors' cores, or on GPUs, to which the "
                                             "ranks of a machine are dealt in turn."});
  c.transport = root.choice_of<Transport>(
      "transport",
      {{"automatic", Transport::automatic},
       {"peer", Transport::peer},
       {"nccl", Transport::nccl},
       {"cuda_aware", Transport::cuda_aware},
       {"staged", Transport::staged},
       {"shared", Transport::shared},
       {"host", Transport::host}},
      {.default_value = "automatic",
       .doc =
           "How ghosts travel. Between GPUs: written straight into the other GPU's memory, by NCCL, by MPI from there "
           "(cuda_aware, never run on a GPU), or by MPI from memory of the host. On the host: through memory that the ranks of a "
           "machine share, or by MPI. automatic: the first of these that can be used, on the host with each neighbour."});
  c.threads = static_cast<int>(
      root.integer("threads", {.default_value = 1,
                               .min = 1,
                               .max = 1024,
                               .doc = "Threads of each rank that compute, on the host; results are the same to the last bit."}));
  if (c.device != Backend::host && c.threads > 1) {
    root.fail("threads", "the flow is computed on GPUs, and threads of the host would have nothing to do",
              "set device = \"host\", or leave threads out");
  }
  const bool is_host_transport = c.transport == Transport::shared || c.transport == Transport::host;
  if (c.device == Backend::host && c.transport != Transport::automatic && !is_host_transport) {
    root.fail("transport", "the flow is computed on the host: there are no GPUs between which ghosts could travel",
              "set device = \"cuda\", or leave transport out");
  }
  if (c.device != Backend::host && is_host_transport) {
    root.fail("transport", "the flow is computed on GPUs, between which ghosts do not travel so",
              "say \"staged\" for MPI from memory of the host, or leave transport out");
  }
  if (c.device == Backend::host && c.numerics.precision != Precision::fp64) {
    root.fail("numerics.precision", "the flow is computed on the host, in fp64 alone",
              "set device = \"cuda\", or leave precision out");
  }
  if (c.numerics.precision == Precision::fp32 && !c.scalars.empty()) {
    root.fail("numerics.precision", "a density in fp32 loses what scalars keep, so that they would drift away",
              "set numerics.precision = \"mixed\" or \"fp64\"");
  }
}

/// Puts the vortex of each far field where the force that it names has its moment centre.
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
    zone.params.vortex.centre = c.forces[static_cast<std::size_t>(found - names.begin())].moment_centre;
  }
}

/// Refuses fields that the case cannot make, or that have the name of a scalar.
void check_fields(const Case& c) {
  for (const FieldKind field : c.output.fields) {
    const std::string name(name_of(field));
    if (field == FieldKind::cp && !(c.free_stream && norm(c.free_stream->velocity) > 0)) {
      throw InputError("cp is relative to the dynamic pressure of a free stream, and this case has none that moves",
                       "give [free_stream] with mach or velocity, or leave cp out", c.output.where_fields);
    }
    if (needs_gradient(field) && c.numerics.gradient == GradientKind::none) {
      throw InputError(fmt::format("{} is made from gradients, and numerics.gradient is \"none\"", name),
                       "set numerics.gradient, or leave this field out", c.output.where_fields);
    }
    for (const ScalarChoice& scalar : c.scalars) {
      if (scalar.name != name) continue;
      throw InputError(fmt::format("the scalar \"{}\" has the name of a field of the flow", name),
                       "name the scalar differently, or leave this field out", c.output.where_fields);
    }
  }
}

/// Choices of several sections that do not go together.
void check_together(const Section& root, const Case& c) {
  const auto refuse = [&root](const char* key, const std::string& problem, const std::string& suggestion) {
    root.attempt([&] { root.fail(key, problem, suggestion); });
  };
  if (c.stop.force_change && !c.forces.empty() && !c.forces.front().has_coefficients()) {
    refuse("stop.force_change", "it is a change of coefficients, which need the dynamic pressure of a free stream",
           "give [free_stream] with mach or velocity, or leave force_change out");
  }
  if (c.mesh.axisymmetric && c.numerics.gradient == GradientKind::green_gauss) {
    refuse("numerics.gradient", "Green-Gauss gradients are of plane cells, and these turn about an axis",
           "use gradient = \"least_squares\"");
  }
  if (c.mesh.axisymmetric && (c.acceleration.y != 0 || c.acceleration.z != 0)) {
    refuse("body_force.acceleration", "in an axisymmetric flow a body force acts along the axis, x, alone",
           "make its other components 0");
  }
  for (const ZoneCondition& zone : c.boundary) {
    if (!c.mesh.axisymmetric || !zone.prescribed || zone.prescribed->kind != InitialKind::expression) continue;
    const ExpressionText& about = zone.prescribed->expressions.velocity_z;
    if (about.text.find_first_not_of("0.") == std::string::npos) continue;
    root.attempt([&] {
      throw InputError(
          fmt::format("\"{}\" is a velocity about the axis, for which an axisymmetric flow has no equation", about.text),
          "leave it out, or compute the flow in 3-D", about.where);
    });
  }
  if (c.mesh.axisymmetric && c.manufactured_source) {
    refuse("source", "the manufactured source is of plane flows", "leave mesh.axisymmetric out");
  }
  if (c.manufactured_source && !c.scalars.empty()) {
    refuse("source", "the manufactured source adds mass, of which nobody knows what scalars it holds",
           "leave out source, or [scalars]");
  }
  if (c.manufactured_source && c.initial.kind != InitialKind::manufactured) {
    refuse("source", "the manufactured source needs the manufactured solution", "set initial.kind = \"manufactured\"");
  }
  const InitialState initial(c.initial);  // its errors belong to the case
  if (c.numerics.well_balanced && initial.of_time()) {
    refuse("numerics.well_balanced",
           fmt::format("the initial state, \"{}\", changes with time, and well_balanced would keep it as it is",
                       name_of(c.initial.kind)),
           "start from a stationary state, or leave well_balanced out");
  }
  const bool only_ahead = c.initial.kind == InitialKind::forward_step || c.initial.kind == InitialKind::double_mach;
  const bool falls = !(c.acceleration == Vec3{});
  if (c.exact_errors && (only_ahead || falls || !initial.has_exact_solution())) {
    refuse("output.exact_errors",
           falls ? "the exact solutions know of no body force" : "this initial state has no exact solution to compare with", {});
  }
}

/// Below this Mach number pressure varies by less than 2e-3 of itself, of which 32 bits keep four digits.
constexpr double kLowMach = 0.05;

/// The largest Mach number of the states that a case gives; 0 where it gives none that moves.
double largest_mach(const Case& c) {
  double largest = c.free_stream ? c.gas.mach(*c.free_stream) : 0;
  double reservoir = 0, outside = 0;  // pressures
  if (c.initial.kind == InitialKind::uniform) largest = std::max(largest, c.gas.mach(c.initial.state));
  for (const ZoneCondition& zone : c.boundary) {
    if (zone.prescribed) continue;
    switch (zone.params.kind) {
      case BoundaryKind::far_field:
      case BoundaryKind::supersonic_inflow:
        largest = std::max(largest, c.gas.mach(zone.params.state));
        break;
      case BoundaryKind::total_pressure_inflow:
        reservoir = std::max(reservoir, zone.params.total_pressure);
        break;
      case BoundaryKind::static_pressure_outflow:
        outside = outside > 0 ? std::min(outside, zone.params.pressure) : zone.params.pressure;
        break;
      default:
        break;
    }
  }
  if (outside > 0 && reservoir > outside) {
    const double ratio = std::pow(reservoir / outside, (c.gas.gamma - 1) / c.gas.gamma);
    largest = std::max(largest, std::sqrt(2 * (ratio - 1) / (c.gas.gamma - 1)));
  }
  return largest;
}

/// Adds to c.warnings what several sections together make doubtful.
void warn_of(Case& c) {
  const double mach = largest_mach(c);
  if (c.numerics.precision != Precision::fp64 && mach > 0 && mach < kLowMach) {
    c.warnings.push_back(fmt::format(
        "the largest Mach number of the case's states is {:.3g}, and in numerics.precision = \"{}\" differences of pressure, of "
        "about {:.1e} of the pressure, are computed in 32 bits; use precision = \"fp64\" below Mach {}",
        mach, c.numerics.precision == Precision::mixed ? "mixed" : "fp32", 0.5 * c.gas.gamma * mach * mach, kLowMach));
  }
}

/// Warns of a run that an earlier version left where it took a relative output.directory to be: below the current directory.
void warn_of_former_place(const io::CaseReader& reader, const Section& output, Case& c) {
  namespace fs = std::filesystem;
  const fs::path folder = reader.file().path().parent_path();
  const std::string written = output.written("directory").value_or("");
  if (folder.empty() || fs::path(written).is_absolute() || written.starts_with('~')) return;
  if (output.where("directory").file.starts_with("--set ")) return;
  const fs::path former = c.output.directory.lexically_relative(folder);
  std::error_code failed;
  if (former.empty() || former.begin()->string() == ".." || !fs::exists(former / "case.toml", failed)) return;
  if (fs::equivalent(former, c.output.directory, failed) || fs::exists(c.output.directory / "case.toml", failed)) return;
  c.warnings.push_back(
      fmt::format("{} holds a run, but a relative output.directory starts at the folder of the case and is {}; to go on in the "
                  "former give --set output.directory={}",
                  former.string(), c.output.directory.string(), former.string()));
}

}  // namespace

std::function<double(mesh::CellType, std::int32_t, Vec3)> cell_weight(bool by_cost, const std::string& formula, Where where) {
  if (formula == "1") {
    if (!by_cost) return nullptr;
    return [](mesh::CellType type, std::int32_t, Vec3) { return mesh::measured_cost(type); };
  }
  const auto factor = std::make_shared<const Expression>(formula, std::move(where), Expression::Variables::place);
  return [by_cost, factor](mesh::CellType type, std::int32_t, Vec3 x) {
    const double work = (*factor)(x);
    if (!(work > 0 && std::isfinite(work)))
      throw InputError(fmt::format("\"{}\" is {:g} in the cell at ({:.6g}, {:.6g}, {:.6g})", factor->text(), work, x.x, x.y, x.z),
                       "weights of cells must be finite and above 0", factor->where());
    return by_cost ? work * mesh::measured_cost(type) : work;
  };
}

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
  if (!gas_is_good) case_gas.gas_constant_given = true;  // what depends on it is no error of its own
  static_cast<IdealGas&>(case_gas) = c.gas;
  in_section("mesh", {.required = true, .doc = "The mesh, read or generated."},
             [&](const Section& mesh) { c.mesh = read_mesh_choice(mesh); });
  FreeStream free_stream;
  const bool stream_is_good =
      in_section("free_stream",
                 {.doc = "The undisturbed flow: default of far_field and supersonic_inflow boundaries and of a uniform start; "
                         "reference of force coefficients."},
                 [&](const Section& stream) {
                   if (!stream.present() && !stream.documenting()) return;
                   c.free_stream = detail::read_state(stream, case_gas, std::nullopt, &free_stream);
                 });
  if (!stream_is_good) {  // what depends on it is no error of its own
    free_stream.state = {1, {1, 0, 0}, 1};
    c.free_stream = free_stream.state;
  }
  in_section("initial", {.doc = "The flow at the start."},
             [&](const Section& initial) { c.initial = detail::read_initial(initial, "kind", case_gas, c.free_stream); });
  root.attempt([&] { c.scalars = read_scalars(root); });
  root.attempt([&] {
    for (const Section& zone : root.named_sections(
             "boundary", {.doc = "The condition of a boundary zone of the mesh, or of all zones whose names match "
                                 "a pattern: `[boundary.\"wall*\"]`, where `*` is any text and `?` any character. "
                                 "The name of a zone goes before patterns.",
                         .placeholder = "zone"})) {
      c.boundary.emplace_back().zone = zone.name();
      zone.attempt([&] { c.boundary.back() = detail::read_condition(zone, case_gas, c.free_stream, c.scalars); });
    }
  });
  in_section("numerics", {.doc = "How the equations are solved."},
             [&](const Section& numerics) { c.numerics = read_numerics(numerics, c.mesh.build); });
  root.attempt([&] { read_device(root, c); });
  c.manufactured_source =
      root.choice("source", {"none", "manufactured"},
                  {.default_value = "none", .doc = "Source term; manufactured: that of [initial], kind manufactured."}) ==
      "manufactured";
  in_section("body_force", {.doc = "A force on every part of the gas alike, such as gravity."}, [&](const Section& body_force) {
    c.acceleration = body_force.vector3("acceleration", {.default_value = Vec3{}, .unit = "m/s^2", .doc = "Force per mass."});
  });
  in_section("stop", {.required = true, .doc = "When to stop: the first that holds."},
             [&](const Section& stop) { c.stop = read_stop(stop); });
  in_section("output", {.doc = "What is written, where and when."}, [&](const Section& output) {
    c.output = read_output(output);
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
      force.attempt([&] { c.forces.push_back(read_force(force, free_stream, c.free_stream.has_value())); });
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
      monitor.attempt([&] { c.monitors.push_back(read_monitor(monitor)); });
    }
  });
  root.attempt([&] {
    for (const Section& line : root.named_sections(
             "lines", {.doc = "Values along a line, in line_<name>_<step>.csv beside each field file: distance from the first "
                              "point, x, y, z, output.fields and scalars, linear within the cells. Points outside the mesh have "
                              "no row."})) {
      line.attempt([&] { c.lines.push_back(read_line(line)); });
    }
  });
  root.attempt([&] {
    for (const Section& section : root.named_sections(
             "sections",
             {.doc = "A plane section of a 3-D mesh, in section_<name>_<step>.vtu beside each field file: the polygon "
                     "in each cell that the plane meets, with output.fields, scalars and cell_id."})) {
      section.attempt([&] { c.sections.push_back(read_section(section)); });
    }
  });
  reader.finish();
  if (root.documenting() || !reader.errors().empty()) return c;
  const Section output = root.section("output", {});
  root.attempt([&] { place_vortices(c); });
  root.attempt([&] { check_fields(c); });
  root.attempt([&] { check_together(root, c); });
  warn_of(c);
  warn_of_former_place(reader, output, c);
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
