#pragma once
/// The Euler flux through a face, exact and numerical; includes all numerical fluxes.
///
/// A numerical flux is a functor `Conserved operator()(gas, left, right, unit_normal)` for one face or for a SIMD vector of faces
/// (BasicConserved<T>): per unit area, positive from left to right. Each is consistent, f(W, W, n) = physical_flux(W, n), and
/// conservative, f(L, R, n) = -f(R, L, -n). HllcHlleFlux also takes the ShockSensor of the two cells. `kFlops` is the number of
/// operations of a call without one, as flow/scheme/operation_counts.hpp counts them.
#include "weft/base/registry.hpp"
#include "weft/flow/physics/ausm_plus_up.hpp"
#include "weft/flow/physics/hllc.hpp"
#include "weft/flow/physics/hllc_hlle.hpp"
#include "weft/flow/physics/hlle.hpp"
#include "weft/flow/physics/physical_flux.hpp"
#include "weft/flow/physics/roe.hpp"
#include "weft/flow/physics/rusanov.hpp"

namespace weft::flow {

/// True for a flux that takes the ShockSensor of the two cells.
template <class Flux>
inline constexpr bool kTakesSensor = requires { requires Flux::kTakesSensor; };

enum class FluxKind : int { hllc, roe, rusanov, hlle, ausm_plus_up, hllc_hlle };

/// Parameters of all fluxes.
struct FluxParams {
  double cutoff_mach = 1;                      ///< for AusmPlusUpFlux
  double entropy_fix = RoeFlux{}.entropy_fix;  ///< for RoeFlux
};

template <class Flux>
using FluxRow = TypeRow<FluxKind, FluxParams, Flux>;

inline constexpr TypeRegistry kFluxes{
    "flux",
    FluxRow<HllcFlux>{FluxKind::hllc, "hllc", "two acoustic waves and the contact, unstable along strong shocks (carbuncles)",
                      [](const FluxParams& /*params*/) { return HllcFlux{}; }},
    FluxRow<RoeFlux>{FluxKind::roe, "roe", "Roe's linearised Riemann problem with Harten's entropy fix",
                     [](const FluxParams& params) { return RoeFlux{params.entropy_fix}; }},
    FluxRow<RusanovFlux>{FluxKind::rusanov, "rusanov", "one wave (local Lax-Friedrichs), the most dissipative and robust",
                         [](const FluxParams& /*params*/) { return RusanovFlux{}; }},
    FluxRow<HlleFlux>{FluxKind::hlle, "hlle", "two acoustic waves, smears contacts and shear layers",
                      [](const FluxParams& /*params*/) { return HlleFlux{}; }},
    FluxRow<AusmPlusUpFlux>{FluxKind::ausm_plus_up, "ausm_plus_up",
                            "AUSM+-up, convection and pressure split, accurate at low Mach numbers",
                            [](const FluxParams& params) { return AusmPlusUpFlux{params.cutoff_mach}; }},
    FluxRow<HllcHlleFlux>{FluxKind::hllc_hlle, "hllc_hlle", "HLLC, and HLLE in shocks, where HLLC is unstable",
                          [](const FluxParams& /*params*/) { return HllcHlleFlux{}; }}};
[[nodiscard]] constexpr const auto& registry_of(FluxKind /*tag*/) { return kFluxes; }
static_assert(is_complete<FluxKind>());

/// One of the fluxes; loops and kernels are instantiated for each type.
using FluxChoice = decltype(kFluxes)::Choice;

[[nodiscard]] constexpr bool takes_sensor(FluxKind kind) {
  return kFluxes.visit<bool>(kind, []<class Flux>(const FluxRow<Flux>&) { return kTakesSensor<Flux>; });
}

/// Calls f(HllcFlux{}), f(RoeFlux{}) and so on: turns the flux of a case into a template argument.
/// @param cutoff_mach  of AusmPlusUpFlux.  @param entropy_fix  of RoeFlux.
template <class F>
decltype(auto) visit_flux(FluxKind kind, double cutoff_mach, double entropy_fix, F&& f) {
  return std::visit(std::forward<F>(f), kFluxes.make(kind, {.cutoff_mach = cutoff_mach, .entropy_fix = entropy_fix}));
}

}  // namespace weft::flow
