#pragma once
/// The numerical choices of a run: gradients, limiters, fluxes and time steps.
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "weft/base/registry.hpp"
#include "weft/flow/physics/flux.hpp"
#include "weft/flow/physics/limiter.hpp"

namespace weft::flow {

/// A factor that grows linearly from `start` to 1 in the first steps of a run, for initial states far from the solution.
struct Ramp {
  double start = 1;
  std::int64_t steps = 0;
  /// Returns the factor of the step that follows `step` others.
  [[nodiscard]] double at(std::int64_t step) const {
    return step >= steps ? 1 : start + (1 - start) * static_cast<double>(step) / static_cast<double>(steps);
  }
};

enum class GradientKind { none, green_gauss, least_squares };

class Scheme;
namespace detail {
// Each function returns the gradient weights of all owned cells, mesh.dim components per entry of Discretization::stencil_row: a
// gradient is the sum of weight * (value of the entry's row - value of the cell).
// @throws MeshError on every rank where the neighbours of a cell do not determine a gradient. @collective
[[nodiscard]] std::vector<double> green_gauss_weights(const Scheme& scheme);
[[nodiscard]] std::vector<double> least_squares_weights(const Scheme& scheme);
}  // namespace detail

struct GradientRow {
  GradientKind value;
  std::string_view name, doc;
  bool over_faces;     ///< true where the stencil is the faces of a cell, also on meshes that list neighbours by node
  bool with_matrices;  ///< true where the weights are products with least_squares_matrices()
  std::vector<double> (*weights)(const Scheme& scheme);  ///< null: first order in space
};

inline constexpr Registry kGradients{
    "gradient", std::array{GradientRow{GradientKind::none, "none", "first order in space", false, false, nullptr},
                           GradientRow{GradientKind::green_gauss, "green_gauss", "of second order on orthogonal meshes only",
                                       true, false, detail::green_gauss_weights},
                           GradientRow{GradientKind::least_squares, "least_squares", "of second order on every mesh", false, true,
                                       detail::least_squares_weights}}};
[[nodiscard]] constexpr const auto& registry_of(GradientKind /*tag*/) { return kGradients; }
static_assert(is_complete<GradientKind>());

/// The scalar types in which a GPU computes.
enum class Precision {
  fp64,
  mixed,  ///< gradients and fluxes in float; the conserved variables, their update and boundary conditions in double
  fp32    ///< all in float except boundary conditions
};

inline constexpr Registry kPrecisions{
    "precision", std::array{Row{Precision::fp64, "fp64", "everything in 64 bits"},
                            Row{Precision::mixed, "mixed", "gradients and fluxes in 32 bits, the state and its update in 64"},
                            Row{Precision::fp32, "fp32", "everything in 32 bits"}}};
[[nodiscard]] constexpr const auto& registry_of(Precision /*tag*/) { return kPrecisions; }
static_assert(is_complete<Precision>());

struct Numerics {
  FluxKind flux = FluxKind::hllc_hlle;
  double cutoff_mach = 1;                               ///< for AusmPlusUpFlux
  double entropy_fix = RoeFlux{}.entropy_fix;           ///< for RoeFlux
  GradientKind gradient = GradientKind::least_squares;  ///< none: first order in space
  /// Returns false where no gradients are computed: first order in space.
  [[nodiscard]] bool second_order() const { return row_of(gradient).weights != nullptr; }
  /// Least squares over face neighbours is stabilized on meshes with cells other than quads and hexahedra: the weights are 1 and
  /// the gradients bounded (Discretization), and small jumps at faces are damped (jump_damping.hpp).
  bool stabilize_simplices = true;
  LimiterKind limiter = LimiterKind::barth_jespersen;
  /// Venkatakrishnan's K: differences below (K h / reference_length)^1.5 of the reference state are not limited.
  double venkatakrishnan_k = 5.0;
  std::optional<double> reference_length{};  ///< m; none: flow::reference_length() of the mesh
  int rk_stages = 3;                         ///< order of the strong-stability-preserving Runge-Kutta scheme: 1, 2 or 3
  double cfl = 0.8;
  Ramp order_ramp{};                      ///< upper bound of the limiters, from first order to second
  Ramp cfl_ramp{};                        ///< factor of cfl
  Precision precision = Precision::fp64;  ///< on the host only fp64
  bool local_time_step = false;           ///< each cell has its own step: steady flows only
  /// Preserves the initial state, which must be stationary, to rounding: the solver subtracts from every rate the rate of the
  /// initial state at full order, du/dt = R(u) - R(u_start) (Berberich, Chandrashekar & Klingenberg, Computers & Fluids 219,
  /// 104858, 2021). Excludes order_ramp.
  bool well_balanced = false;
};

}  // namespace weft::flow
