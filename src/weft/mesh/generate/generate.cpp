#include "weft/mesh/generate/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/generate/generate_fields.hpp"
#include "weft/mesh/generate/generate_grading.hpp"
#include "weft/mesh/generate/generate_lattice.hpp"
#include "weft/mesh/generate/generate_naca.hpp"
#include "weft/mesh/generate/generate_ringleb.hpp"

namespace weft::mesh {
namespace {

using detail::Lattice;
using detail::Spacing;
using detail::TwoSpacings;
using Index = std::int64_t;

double fraction(Index part, Index whole) { return static_cast<double>(part) / static_cast<double>(whole); }

/// Interpolates between a and b; exactly a and b at the ends.
double between(double a, double b, Index part, Index whole) { return std::lerp(a, b, fraction(part, whole)); }

/// Returns a number in [-1, 1) from a seed, a node and a direction.
double noise(Index seed, Index node, int direction) {
  const std::uint64_t h =
      mix_bits(static_cast<std::uint64_t>(seed) * kGoldenRatioBits +
               (3 * static_cast<std::uint64_t>(node) + static_cast<std::uint64_t>(direction) + 1) * 0xD1B54A32D192ED03ULL);
  return static_cast<double>(h >> 11) * 0x1p-52 - 1.0;
}

void require(bool good, const char* key, const std::string& problem, const std::string& suggestion) {
  if (!good) throw InputError(problem, suggestion, Where{.key = key});
}

/// Nodes of a box: jitter moves them in units of cells, then warp in units of the box; boundary nodes do not move.
Vec3 box_node(const BoxSpec& s, const std::array<Index, 3>& at, Index id) {
  const std::array<Index, 3> cells{s.nx, s.ny, s.nz};
  const Vec3 lower{s.xmin, s.ymin, s.zmin}, upper{s.xmax, s.ymax, s.zmax};
  const int dim = s.nz > 0 ? 3 : 2;
  bool inside = true;
  for (int d = 0; d < dim; ++d) inside = inside && at[d] > 0 && at[d] < cells[d];
  Vec3 x;
  if (!inside || (s.warp == 0 && s.jitter == 0)) {
    for (int d = 0; d < dim; ++d) x[d] = between(lower[d], upper[d], at[d], cells[d]);
    return x;
  }
  double wave = s.warp;
  for (int d = 0; d < dim; ++d) {
    x[d] = (static_cast<double>(at[d]) + s.jitter * noise(s.seed, id, d)) / static_cast<double>(cells[d]);
    wave *= std::sin(2 * std::numbers::pi * x[d]);
  }
  for (int d = 0; d < dim; ++d) x[d] = std::lerp(lower[d], upper[d], x[d] + wave);
  return x;
}

/// Returns a lattice extruded in z from the positions of its nodes in the plane.
template <class Spec, class Plane>
Lattice extrude(const Spec& s, Index ni, Index nj, Plane plane) {
  Lattice lattice{.cells = {ni, nj, s.layers}, .elements = s.elements};
  if constexpr (requires { s.diagonal; }) lattice.diagonal = s.diagonal;
  lattice.place = [plane, layers = s.layers, depth = s.depth](Index i, Index j, Index k, Index) {
    Vec3 x = plane(i, j);
    if (layers > 0) x.z = between(0, depth, k, layers);
    return x;
  };
  return lattice;
}

constexpr std::array<std::string_view, detail::kSides> kChannelZones{"inlet", "outlet", "wall", "upper",
                                                                     "zmin",  "zmax",   "wall", "wall"};

/// Creates the lattice of each spec, whose fields are in range.
struct Planner {
  Lattice operator()(const BoxSpec& s) const {
    require(s.xmin < s.xmax, "xmax", fmt::format("{} is not above xmin = {}", s.xmax, s.xmin), "exchange them");
    require(s.ymin < s.ymax, "ymax", fmt::format("{} is not above ymin = {}", s.ymax, s.ymin), "exchange them");
    require(s.nz == 0 || s.zmin < s.zmax, "zmax", fmt::format("{} is not above zmin = {}", s.zmax, s.zmin), "exchange them");
    require(s.nz == 0 || s.jitter <= 0.1, "jitter", fmt::format("{} would fold three-dimensional cells", s.jitter),
            "choose at most 0.1");
    Lattice lattice{.cells = {s.nx, s.ny, s.nz}, .elements = s.elements, .diagonal = s.diagonal, .seed = s.seed};
    lattice.side_zone = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax", "", ""};
    lattice.place = [s](Index i, Index j, Index k, Index id) { return box_node(s, {i, j, k}, id); };
    return lattice;
  }

  Lattice operator()(const VortexBoxSpec& s) const {
    BoxSpec box{.nx = s.n, .ny = s.n, .xmax = s.size, .ymax = s.size};
    box.elements = s.elements;
    box.diagonal = s.diagonal;
    box.warp = s.warp;
    box.jitter = s.jitter;
    box.seed = s.seed;
    return (*this)(box);
  }

  Lattice operator()(const WedgeSpec& s) const { return corner(s, s.angle); }
  Lattice operator()(const ExpansionSpec& s) const { return corner(s, -s.angle); }

  Lattice operator()(const ForwardStepSpec& s) const {
    require(s.step_x < s.length, "step_x", fmt::format("{} is not below length = {}", s.step_x, s.length), "move the step");
    require(s.step_height < s.height, "step_height", fmt::format("{} is not below height = {}", s.step_height, s.height),
            "lower the step");
    const Index ni = cells_in(s, "length", s.length), nj = cells_in(s, "height", s.height);
    const Index step_i = cells_in(s, "step_x", s.step_x), step_j = cells_in(s, "step_height", s.step_height);
    const TwoSpacings along =
        around_step(s, s.step_x, step_i, s.length, ni, {"from the inlet to the step", "from the step to the outlet"});
    const TwoSpacings up =
        around_step(s, s.step_height, step_j, s.height, nj, {"from the floor to the step", "from the step to the ceiling"});
    Lattice lattice = extrude(s, ni, nj, [along, up](Index i, Index j) { return Vec3{along.node(i), up.node(j), 0}; });
    lattice.step_i = step_i;
    lattice.step_j = step_j;
    lattice.side_zone = kChannelZones;
    lattice.side_zone[detail::j_max] = "wall";
    return lattice;
  }

  Lattice operator()(const BumpSpec& s) const {
    Lattice lattice = extrude(s, s.nx, s.ny, [s](Index i, Index j) {
      const double x = between(-1.5, 1.5, i, s.nx);
      return Vec3{x, between(0.0625 * std::exp(-25 * x * x), 0.8, j, s.ny), 0};
    });
    lattice.side_zone = kChannelZones;
    return lattice;
  }

  Lattice operator()(const NozzleSpec& s) const {
    const double share = s.converging / (s.converging + s.diverging);
    const Index before = s.diverging > 0 ? std::clamp<Index>(std::llround(share * static_cast<double>(s.nx)), 1, s.nx - 1) : s.nx;
    Lattice lattice = extrude(s, s.nx, s.ny, [s, before](Index i, Index j) {
      const double along = i < before ? fraction(before - i, before) : (i > before ? fraction(i - before, s.nx - before) : 0.0);
      const double x = (i < before ? -s.converging : s.diverging) * along;
      const double end = i < before ? s.inlet : s.exit;
      const double height = std::lerp(s.throat, end, 0.5 - 0.5 * std::cos(std::numbers::pi * along));
      return Vec3{x, between(0, height, j, s.ny), 0};
    });
    lattice.side_zone = kChannelZones;
    lattice.side_zone[detail::j_min] = "axis";
    lattice.side_zone[detail::j_max] = "wall";
    return lattice;
  }

  Lattice operator()(const ShockReflectionSpec& s) const {
    Lattice lattice = extrude(s, s.nx, s.ny, [s](Index i, Index j) {
      return Vec3{between(0, 4, i, s.nx), between(0, 1, j, s.ny), 0};
    });
    lattice.side_zone = kChannelZones;
    return lattice;
  }

  Lattice operator()(const NacaSpec& s) const {
    const detail::NacaGrid grid(s);
    Lattice lattice = extrude(s, s.around, s.radial, [grid](Index i, Index j) { return grid.node(i, j); });
    lattice.ring = true;
    lattice.side_zone = {"", "", "airfoil", "farfield", "zmin", "zmax", "", ""};
    return lattice;
  }

  Lattice operator()(const RinglebSpec& s) const {
    require(s.k_inner > s.k_outer, "k_inner", fmt::format("{} is not above k_outer = {}", s.k_inner, s.k_outer), "exchange them");
    require(s.q0 < s.k_outer, "q0", fmt::format("{} is not below k_outer = {}", s.q0, s.k_outer), "lower q0 or raise k_outer");
    Lattice lattice =
        extrude(s, s.nx, s.ny, [s](Index i, Index j) { return detail::ringleb_node(s, fraction(i, s.nx), fraction(j, s.ny)); });
    lattice.side_zone = {"outlet", "inlet", "wall_inner", "wall_outer", "zmin", "zmax", "", ""};
    return lattice;
  }

  Lattice operator()(const CylinderSpec& s) const {
    Lattice lattice = extrude(s, s.around, s.radial, [s](Index i, Index j) {
      const double angle = between(-0.5, 0.5, i, s.around) * std::numbers::pi;  // measured from the upstream direction
      const double along_x = s.radius * between(1, 1 + s.front, j, s.radial),
                   along_y = s.radius * between(1, 1 + s.side, j, s.radial);
      return Vec3{i == 0 || i == s.around ? 0 : -along_x * std::cos(angle), along_y * std::sin(angle), 0};
    });
    lattice.side_zone = {"outflow", "outflow", "cylinder", "inflow", "zmin", "zmax", "", ""};
    return lattice;
  }

 private:
  static Lattice corner(const CornerSpec& s, double angle) {
    const double slope = std::tan(angle * std::numbers::pi / 180);
    require(s.downstream * slope < s.height, "angle",
            fmt::format("at {} degrees the floor rises {:.6g} m and meets the ceiling at {} m", s.angle, s.downstream * slope,
                        s.height),
            "choose a smaller angle, a shorter downstream or a larger height");
    const double share = s.upstream / (s.upstream + s.downstream);
    const Index before = std::clamp<Index>(std::llround(share * static_cast<double>(s.nx)), 1, s.nx - 1);
    const Index after = s.nx - before;
    TwoSpacings along{{.lower = -s.upstream, .upper = 0, .cells = before, .corner_last = true},
                      {.upper = s.downstream, .cells = after}};
    Spacing up{.cells = s.ny};
    if (s.corner_size != 0) {
      along.first.log_growth =
          detail::log_growth({s.upstream, before, "from the inlet to the corner", "a larger nx"}, s.corner_size);
      along.second.log_growth =
          detail::log_growth({s.downstream, after, "from the corner to the outlet", "a larger nx"}, s.corner_size);
      up.log_growth = detail::log_growth({s.height, s.ny, "from the floor to the ceiling", "a larger ny"}, s.corner_size);
    }
    Lattice lattice = extrude(s, s.nx, s.ny, [along, up, slope, height = s.height](Index i, Index j) {
      const double x = along.node(i);
      return Vec3{x, std::lerp(std::max(x, 0.0) * slope, height, up.node(j)), 0};
    });
    lattice.side_zone = kChannelZones;
    return lattice;
  }

  /// Returns the nodes in one direction of a step's channel, of `cells` cells from 0 to `end`: the corner is node `at` at
  /// `corner`.
  static TwoSpacings around_step(const ForwardStepSpec& s, double corner, Index at, double end, Index cells,
                                 const std::array<const char*, 2>& names) {
    if (s.corner_size == 0) return {{.upper = end, .cells = cells}, {.cells = 0}};
    TwoSpacings line{{.upper = corner, .cells = at, .corner_last = true}, {.lower = corner, .upper = end, .cells = cells - at}};
    line.first.log_growth = detail::log_growth({corner, at, names[0], "a smaller h"}, s.corner_size);
    line.second.log_growth = detail::log_growth({end - corner, cells - at, names[1], "a smaller h"}, s.corner_size);
    return line;
  }

  /// Returns the number of cells of size h in a length that h must divide.
  static Index cells_in(const ForwardStepSpec& s, const char* name, double length) {
    require(length / s.h < 1e6, "h", fmt::format("{} gives more than a million cells along {}", s.h, name), "choose a larger h");
    require(divides(s.h, length), "h", fmt::format("{} does not divide {} = {}", s.h, name, length), better_step(s));
    return std::llround(length / s.h);
  }
  static bool divides(double h, double length) {
    const double cells = length / h;
    return cells > 0.5 && std::abs(cells - std::round(cells)) < 1e-6 * cells;
  }
  /// Suggests the sizes nearest to h that divide all lengths.
  static std::string better_step(const ForwardStepSpec& s) {
    const Index wanted = std::max<Index>(std::llround(s.step_height / s.h), 1);
    std::string found;
    int count = 0;
    for (Index away = 0; away < 1000 && count < 2; ++away) {
      for (const Index cells : {wanted - away, wanted + away}) {
        const double h = cells > 0 ? s.step_height / static_cast<double>(cells) : 0;
        if (cells < 1 || (away == 0 && count > 0) || count == 2) continue;
        if (!divides(h, s.length) || !divides(h, s.height) || !divides(h, s.step_x)) continue;
        found += fmt::format("{}{:.9g}", count++ == 0 ? "choose " : " or ", h);
      }
    }
    return count > 0 ? found : "choose lengths with a common divisor";
  }
};

}  // namespace

MeshBlock generate(Share share, const GeneratorSpec& spec, Team& team) {
  GeneratorSpec checked = spec;
  detail::check(detail::fields(checked));
  Lattice lattice = std::visit(Planner{}, checked);
  lattice.source = fmt::format("generator {}", detail::label(spec).name);
  return detail::make_share(share, lattice, team);
}

MeshBlock generate(const Communicator& comm, const GeneratorSpec& spec, Team& team) {
  return generate(Share{comm.rank(), comm.size()}, spec, team);
}

}  // namespace weft::mesh
