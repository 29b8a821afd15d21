#pragma once
/// The Euler flux through a face, exact and numerical. Include this for all of them.
///
/// A numerical flux is a functor `Conserved operator()(gas, left, right, unit_normal)`, for one face or for a pack of them
/// (BasicConserved<T>): per unit area, positive from left to right. Each is consistent, f(W, W, n) = physical_flux(W, n), and
/// conservative, f(L, R, n) = -f(R, L, -n). HllcHlleFlux also takes a number that the cells beside the face determine.
#include <type_traits>

#include "weft/flow/physics/ausm_plus_up.hpp"
#include "weft/flow/physics/hllc.hpp"
#include "weft/flow/physics/hllc_hlle.hpp"
#include "weft/flow/physics/hlle.hpp"
#include "weft/flow/physics/physical_flux.hpp"
#include "weft/flow/physics/roe.hpp"
#include "weft/flow/physics/rusanov.hpp"

namespace weft::flow {

/// Whether a flux takes the ShockSensor of the cells beside a face.
template <class Flux>
inline constexpr bool kTakesSensor = std::is_same_v<Flux, HllcHlleFlux>;

enum class FluxKind : int { hllc, roe, rusanov, hlle, ausm_plus_up, hllc_hlle };

[[nodiscard]] constexpr bool takes_sensor(FluxKind kind) { return kind == FluxKind::hllc_hlle; }

/// Calls f(HllcFlux{}), f(RoeFlux{}) and so on: turns the choice of a case into a template argument.
/// @param cutoff_mach  of AusmPlusUpFlux.  @param entropy_fix  of RoeFlux.
template <class F>
decltype(auto) visit_flux(FluxKind kind, double cutoff_mach, double entropy_fix, F&& f) {
  switch (kind) {
    case FluxKind::roe:
      return f(RoeFlux{entropy_fix});
    case FluxKind::rusanov:
      return f(RusanovFlux{});
    case FluxKind::hlle:
      return f(HlleFlux{});
    case FluxKind::ausm_plus_up:
      return f(AusmPlusUpFlux{cutoff_mach});
    case FluxKind::hllc_hlle:
      return f(HllcHlleFlux{});
    case FluxKind::hllc:
      break;
  }
  return f(HllcFlux{});
}

}  // namespace weft::flow
