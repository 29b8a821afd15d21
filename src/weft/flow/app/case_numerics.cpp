// Reads the numerical choices: [numerics], [stop], and the keys of the device.
#include <fmt/format.h>

#include "weft/base/error.hpp"
#include "weft/flow/app/case_parts.hpp"

namespace weft::flow::detail {

using io::Section;

namespace {

/// Reads the time integration, the Courant number and the ramps at the start.
void read_time_steps(const Section& s, Numerics& n) {
  n.rk_stages = static_cast<int>(s.integer(
      "rk_order", {.default_value = 3, .min = 1, .max = 3, .doc = "Order (and stages) of the SSP Runge-Kutta scheme."}));
  n.cfl = s.number("cfl", {.default_value = 0.8,
                           .min_exclusive = 0,
                           .max = 2,
                           .doc = "Courant number. With stabilize_simplices, on meshes that have other cells than quads and "
                                  "hexahedra, steps are those of 0.8 at most (0.64 with rk_order below 3), with a warning."});
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
  n.order_ramp = {0,
                  s.integer("order_ramp_steps", {.default_value = 0,
                                                 .min = 0,
                                                 .doc = "Steps at the start in which the scheme grows from first order in space "
                                                        "to second: the upper bound of the limiters grows from 0 to 1."})};
}

}  // namespace

Numerics read_numerics(const Section& s, mesh::BuildOptions& build) {
  Numerics n;
  const auto flux_parameters = [&](FluxKind flux) {
    if (flux == FluxKind::ausm_plus_up) {
      n.cutoff_mach = s.number("cutoff_mach", {.default_value = 1,
                                               .min = 1e-6,
                                               .max = 1,
                                               .doc = "Lower bound of the Mach number that scales its low-speed terms: the "
                                                      "largest of the flow if it is far below 1, otherwise 1."});
    }
    if (flux == FluxKind::roe) {
      n.entropy_fix =
          s.number("entropy_fix", {.default_value = n.entropy_fix,
                                   .min = 0,
                                   .max = 1,
                                   .doc = "Harten's entropy fix: acoustic speeds below this multiple of the speed of sound "
                                          "are raised smoothly to at least half of it, so that an expansion through a sonic "
                                          "point stays smooth. 0: none."});
    }
  };
  n.flux = s.variant_of<FluxKind>(
      "flux",
      {.default_value = n.flux,
       .doc = "Numerical flux through a face. In weak shocks on triangles and tetrahedra the default takes lift from airfoils "
              "(2.3 % on the triangles of a NACA 0012 at Mach 0.8) or total pressure: choose hllc for transonic flow there, and "
              "keep the default for strong shocks, which hllc alone makes unstable. On triangles strong shocks leave streaks "
              "with the default and with hlle."},
      flux_parameters);
  n.limiter = s.choice_of<LimiterKind>(
      "limiter",
      {.default_value = n.limiter,
       .doc = "Limiter of the linear reconstruction. It acts on each velocity component by itself, so that results depend on the "
              "frame: if mesh and stream are turned by 40 degrees, the lift of an airfoil in the transient after an impulsive "
              "start changes by 0.2 to 0.6 % with barth_jespersen, and this does not vanish as the grid is refined; with "
              "venkatakrishnan it falls to 0.1 % on 128 x 64 cells, without a limiter there is no change."});
  n.venkatakrishnan_k = s.number(
      "venkatakrishnan_k", {.default_value = 5, .min = 0, .doc = "Larger values leave larger smooth variations unlimited."});
  n.reference_length = s.optional_number(
      "reference_length",
      {.min_exclusive = 0,
       .unit = "m",
       .doc =
           "Cell sizes of Venkatakrishnan's parameter are relative to it. Default: twice the largest distance of a slip wall's "
           "node from the centroid of all slip walls, which is about the chord of an airfoil or the diameter of a sphere; "
           "without walls that of all nodes from the centroid of the mesh."});
  n.gradient =
      s.choice_of<GradientKind>("gradient", {.default_value = n.gradient, .doc = "Gradient of the linear reconstruction."});
  build.stencil = s.choice_of<mesh::Neighbours>(
      "stencil", {.default_value = mesh::Neighbours::face, .doc = "Neighbours in the stencil of a least-squares gradient."});
  n.stabilize_simplices = s.boolean(
      "stabilize_simplices",
      {.default_value = true,
       .doc = "Keeps least squares over face neighbours stable without a limiter on meshes that have other cells than quads and "
              "hexahedra: differences to all neighbours count alike, gradients of slivers are bounded, and small jumps at faces "
              "between two cells are damped."});
  read_time_steps(s, n);
  n.local_time_step =
      s.boolean("local_time_step", {.default_value = false, .doc = "Each cell with its own time step: steady flows only."});
  n.well_balanced = s.boolean(
      "well_balanced",
      {.default_value = false,
       .doc = "Preserves the state of [initial] to rounding. It must be stationary, such as a column of gas at rest under a body "
              "force: the rate that the scheme computes of it is subtracted from every rate. A perturbation in [initial] would "
              "also be preserved, so that perturbations must come from the boundary."});
  if (n.well_balanced && n.order_ramp.steps > 0 && !s.documenting()) {
    s.fail("order_ramp_steps", "the scheme of lower order would not keep the state that well_balanced keeps",
           "leave out order_ramp_steps: a start that is stationary needs no ramp");
  }
  n.precision = s.choice_of<Precision>(
      "precision", {.default_value = Precision::fp64, .doc = "Scalar types in which a GPU computes; the host has fp64 alone."});
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
      "force_change",
      {.min_exclusive = 0,
       .doc =
           "Largest change of any drag or lift coefficient over force_window steps. The run ends when, besides, each has changed "
           "by at most 0.5 % of its magnitude over the last fifth of the steps, and at least over force_window; one near 0 "
           "counts as 1 % of the larger of drag and lift, and as 0.1 % of the largest since the start."});
  stop.force_window =
      s.integer("force_window", {.default_value = 200, .min = 1, .doc = "Steps over which force_change is computed."});
  if (!s.documenting() && !stop.time && !stop.steps && !stop.wall_time && !stop.residual && !stop.force_change) {
    s.fail_as_a_whole("time", "no criterion ends the run",
                      "give at least one of stop.time, stop.steps, stop.wall_time, stop.residual, stop.force_change");
  }
  return stop;
}

void read_device(const Section& root, Case& c) {
  const bool on_gpus = root.choice("device", {"host", "cuda"},
                                   {.default_value = "host",
                                    .doc = "Where the flow is computed: on the cores of the CPU, or on GPUs, which are assigned "
                                           "to the ranks of a machine in turn."}) == "cuda";
  c.device = on_gpus ? Backend::cuda : Backend::host;
  c.transport = root.choice_of<Transport>("transport", {.default_value = Transport::automatic, .doc = "How ghosts travel."});
  c.threads = static_cast<int>(
      root.integer("threads", {.default_value = 1,
                               .min = 1,
                               .max = kMostThreads,
                               .doc = "Threads of each rank that compute, on the host; results are the same to the last bit."}));
  c.bind = root.choice_of<Bind>("bind", {.default_value = c.bind, .doc = "The cores on which the threads of the ranks execute."});
  if (c.device != Backend::host && c.threads > 1) {
    root.fail("threads", "the flow is computed on GPUs, and threads of the host would have nothing to do",
              "set device = \"host\", or leave threads out");
  }
  const bool chosen = c.transport != Transport::automatic, of_host = row_of(c.transport).of_host;
  if (c.device == Backend::host && chosen && !of_host) {
    root.fail("transport", "the flow is computed on the host, where the transport of ghosts between GPUs has no effect",
              "set device = \"cuda\", or leave transport out");
  }
  if (c.device != Backend::host && chosen && of_host) {
    root.fail("transport", "this transport does not exchange ghosts between GPUs",
              fmt::format("use \"{}\" for MPI from host memory, or leave transport out", name_of(Transport::staged)));
  }
  if (c.device == Backend::host && c.numerics.precision != Precision::fp64) {
    root.fail("numerics.precision", "the flow is computed on the host, in fp64 alone",
              "set device = \"cuda\", or leave precision out");
  }
  if (c.numerics.precision == Precision::fp32 && !c.scalars.empty()) {
    root.fail("numerics.precision", "a density in fp32 loses what scalars keep, so that they would drift away",
              fmt::format("set numerics.precision = \"{}\" or \"{}\"", name_of(Precision::mixed), name_of(Precision::fp64)));
  }
}

}  // namespace weft::flow::detail
