#pragma once
/// Meshes from a few parameters: boxes, channels and grids around an aerofoil or a cylinder.
///
/// Each rank creates its contiguous share of nodes and cells from a closed-form numbering, without communication, and the
/// mesh does not depend on the number of ranks. docs/guide/generators.md shows each generator; generate_by_name.hpp provides
/// them by name for case files and the command line.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/base/registry.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft {
class Communicator;
}

namespace weft::mesh {

/// Element types of a generated mesh. In a mesh with layers in z, `quads` are hexahedra and `triangles` are prisms.
enum class CellMix : std::uint8_t { quads, triangles, mixed, hexahedra, prisms, hex_prism, tetrahedra, tetrahedra_5, pyramids };

struct CellMixRow {
  CellMix value;
  std::string_view name, doc;
  bool flat;  ///< true where two-dimensional meshes can have it
};

inline constexpr Registry kCellMixes{
    "element type",
    std::array{
        CellMixRow{CellMix::quads, "quads", "2-D: quads; 3-D: hexahedra", true},
        CellMixRow{CellMix::triangles, "triangles", "2-D: triangles; 3-D: prisms", true},
        CellMixRow{CellMix::mixed, "mixed",
                   "2-D: quads and triangles in patches; 3-D: bands in z of hexahedra, tetrahedra, prisms and pyramids", true},
        CellMixRow{CellMix::hexahedra, "hexahedra", "hexahedra", false},
        CellMixRow{CellMix::prisms, "prisms", "triangles extruded in z", false},
        CellMixRow{CellMix::hex_prism, "hex_prism", "the 2-D mix extruded in z", false},
        CellMixRow{CellMix::tetrahedra, "tetrahedra", "six per hexahedron around the same diagonal: opposite sides match", false},
        CellMixRow{CellMix::tetrahedra_5, "tetrahedra_5",
                   "five per hexahedron, mirrored in neighbours: opposite sides match for even counts", false},
        CellMixRow{CellMix::pyramids, "pyramids", "six per hexahedron around a central node", false}}};
[[nodiscard]] constexpr const auto& registry_of(CellMix /*tag*/) { return kCellMixes; }
static_assert(is_complete<CellMix>());

/// Returns the names of the element types, or of those of two-dimensional meshes.
[[nodiscard]] std::vector<std::string_view> cell_mixes(bool flat);

/// Diagonal that splits a quad into two triangles.
enum class Diagonal : std::uint8_t { alternating, same, random };

inline constexpr Registry kDiagonals{
    "diagonal", std::array{Row{Diagonal::alternating, "alternating", "changes from each quad to its neighbours"},
                           Row{Diagonal::same, "same", "from the lower left corner everywhere"},
                           Row{Diagonal::random, "random", "chosen at random for each quad"}}};
[[nodiscard]] constexpr const auto& registry_of(Diagonal /*tag*/) { return kDiagonals; }
static_assert(is_complete<Diagonal>());

/// A box of nx * ny * nz hexahedra, or of nx * ny quads if nz = 0, split according to `elements`. Zones: xmin, xmax, ymin,
/// ymax, and zmin, zmax in 3-D. Opposite sides match, also with warp and jitter, which do not move the boundary.
struct BoxSpec {
  std::int64_t nx = 32, ny = 32, nz = 0;
  double xmin = 0, xmax = 1, ymin = 0, ymax = 1, zmin = 0, zmax = 1;  ///< m
  CellMix elements = CellMix::quads;
  Diagonal diagonal = Diagonal::alternating;
  double warp = 0;        ///< each coordinate moves by warp * length * product of sin(2 pi x / length) over the directions
  double jitter = 0;      ///< random displacement of interior nodes, in cell sizes
  std::int64_t seed = 1;  ///< for random displacements and diagonals
};

/// The square [0, size]^2 of the isentropic vortex: n * n quads. Zones: xmin, xmax, ymin, ymax, intended to be periodic.
struct VortexBoxSpec {
  std::int64_t n = 64;
  double size = 10;  ///< m
  CellMix elements = CellMix::quads;
  Diagonal diagonal = Diagonal::alternating;
  double warp = 0, jitter = 0;
  std::int64_t seed = 1;
};

/// A channel with a plane upper wall, whose lower wall turns at x = 0 by `angle`: up in a wedge, down in an expansion. The
/// corner is a node. Zones: inlet, outlet, wall (the lower wall), upper, and zmin, zmax in 3-D.
struct CornerSpec {
  std::int64_t nx = 48, ny = 32;
  double angle = 10;       ///< degrees
  double upstream = 0.5;   ///< m, along x from the inlet to the corner
  double downstream = 1;   ///< m, along x from the corner to the outlet
  double height = 1;       ///< m, at the inlet
  double corner_size = 0;  ///< m, length of the cells at the corner, which grow geometrically from it; 0: uniform cells
  CellMix elements = CellMix::quads;
  Diagonal diagonal = Diagonal::alternating;
  std::int64_t layers = 0;
  double depth = 1;  ///< m, in z
};
struct WedgeSpec : CornerSpec {};
struct ExpansionSpec : CornerSpec {};

/// The channel of Woodward and Colella (1984): a forward step, with as many cells as if all had the size h. Zones: inlet,
/// outlet, wall (lower wall, step and upper wall), and zmin, zmax in 3-D.
struct ForwardStepSpec {
  double h = 0.05;                                                 ///< m; must divide the four lengths below
  double length = 3, height = 1, step_x = 0.6, step_height = 0.2;  ///< m
  double corner_size = 0;  ///< m, length of the cells at the corner, which grow geometrically from it; 0: all have the size h
  CellMix elements = CellMix::quads;
  Diagonal diagonal = Diagonal::alternating;
  std::int64_t layers = 0;
  double depth = 0.2;  ///< m, in z
};

/// The channel [-1.5, 1.5] x [0, 0.8] m with the lower wall y = 0.0625 exp(-25 x^2). Zones: inlet, outlet, wall, upper, and
/// zmin, zmax in 3-D.
struct BumpSpec {
  std::int64_t nx = 96, ny = 32;
  CellMix elements = CellMix::quads;
  Diagonal diagonal = Diagonal::alternating;
  std::int64_t layers = 0;
  double depth = 0.2;  ///< m, in z
};

/// The upper half of a nozzle, symmetric about y = 0, with its throat at x = 0: the wall follows half a cosine from the
/// height of the inlet to that of the throat, and another to that of the exit, with zero slope at all three. With the slender
/// default the flow is nearly one-dimensional. Zones: inlet, outlet, wall (the upper contour), axis (y = 0), and zmin, zmax
/// in 3-D.
struct NozzleSpec {
  std::int64_t nx = 96, ny = 8;
  double inlet = 0.15, throat = 0.1, exit = 0.15;  ///< m, half heights; exit: with a diverging part only
  double converging = 1;                           ///< m, from the inlet to the throat
  double diverging = 1;                            ///< m, from the throat to the exit; 0: the throat is the exit
  CellMix elements = CellMix::quads;
  Diagonal diagonal = Diagonal::alternating;
  std::int64_t layers = 0;
  double depth = 0.1;  ///< m, in z
};

/// The box [0, 4] x [0, 1] m in which an oblique shock that enters through the upper boundary is reflected by the lower wall.
/// Zones: inlet, outlet, wall, upper, and zmin, zmax in 3-D.
struct ShockReflectionSpec {
  std::int64_t nx = 120, ny = 40;
  CellMix elements = CellMix::quads;
  Diagonal diagonal = Diagonal::alternating;
  std::int64_t layers = 0;
  double depth = 0.2;  ///< m, in z
};

/// An O-grid around a NACA 4-digit aerofoil with closed trailing edge (last thickness coefficient -0.1036). The leading edge
/// is at the origin, the trailing edge at (chord, 0). A Karman-Trefftz transformation makes the grid nearly orthogonal.
/// Zones: airfoil, farfield, and zmin, zmax in 3-D.
struct NacaSpec {
  std::string digits = "0012";
  std::int64_t around = 256;  ///< cells around the aerofoil; even
  std::int64_t radial = 128;  ///< cells from the aerofoil to the far field
  double chord = 1;           ///< m
  double radius = 50;         ///< distance of the far field, in chords
  double wall_spacing = 0;    ///< height of the first cell at mid-chord, in chords; 0: half its length
  CellMix elements = CellMix::quads;
  std::int64_t layers = 0;
  double depth = 1;  ///< m, in z
};

/// Ringleb's flow between two of its streamlines, from the line of speed q0 above to that below, symmetric about y = 0.
/// Stream functions are 1/k, speeds are in units of the stagnation speed of sound, lengths are those of the exact solution.
/// Zones: inlet, outlet, wall_inner (k_inner), wall_outer (k_outer), and zmin, zmax in 3-D.
struct RinglebSpec {
  std::int64_t nx = 64;  ///< cells along the streamlines
  std::int64_t ny = 32;  ///< cells across
  double k_inner = 0.8;  ///< the faster streamline
  double k_outer = 0.5;
  double q0 = 0.3;  ///< speed at inlet and outlet
  CellMix elements = CellMix::quads;
  Diagonal diagonal = Diagonal::alternating;
  std::int64_t layers = 0;
  double depth = 1;  ///< in z
};

/// The front half of a circular cylinder about the origin with its axis along z, in a stream along x: grid lines are straight
/// from the surface to an ellipse. Zones: cylinder, inflow (the ellipse), outflow (above and below the axis, at x = 0), and
/// zmin, zmax in 3-D.
struct CylinderSpec {
  std::int64_t around = 80;  ///< cells along the half circle
  std::int64_t radial = 40;  ///< cells from the cylinder to the inflow, equally spaced
  double radius = 1;         ///< m
  double front = 1;          ///< from the cylinder to the inflow ahead of it, in radii
  double side = 3.5;         ///< from the cylinder to the inflow at x = 0, in radii
  CellMix elements = CellMix::quads;
  Diagonal diagonal = Diagonal::alternating;
  std::int64_t layers = 0;
  double depth = 1;  ///< m, in z
};

using GeneratorSpec = std::variant<BoxSpec, VortexBoxSpec, WedgeSpec, ExpansionSpec, ForwardStepSpec, BumpSpec, NozzleSpec,
                                   ShockReflectionSpec, NacaSpec, RinglebSpec, CylinderSpec>;

/// The share of a mesh to create: that of `rank` among `size` ranks.
struct Share {
  Rank rank{0};
  int size = 1;
};

/// Creates this rank's share of the mesh: nodes and cells [total * rank / size, total * (rank + 1) / size), and the boundary
/// elements of those cells. The file_id of a boundary element is 6 * its cell + its face in the cell. No communication; all
/// ranks throw the same error for the same spec.
/// @throws InputError with the parameter that is out of range; LimitError beyond 10^12 cells.
/// @param team  threads that create the share, which is the same on any number of them.
/// @cost O(share + nx + ny + nz); several threads take twice the memory of the share for a moment.
[[nodiscard]] MeshBlock generate(const Communicator& comm, const GeneratorSpec& spec, Team& team = kernels::calling_thread());
[[nodiscard]] MeshBlock generate(Share share, const GeneratorSpec& spec, Team& team = kernels::calling_thread());

}  // namespace weft::mesh
