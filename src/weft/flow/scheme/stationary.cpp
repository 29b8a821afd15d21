#include "weft/flow/scheme/stationary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/scheme/kernels.hpp"
#include "weft/flow/scheme/unphysical_state.hpp"

namespace weft::flow {
namespace {

/// Largest change of the state by a stable time step, relative to density, density times the fastest wave, or the total enthalpy
/// per volume. Columns of gas with 4 to 10 cells per scale height: 0.05 by truncation errors in second order, 0.1 in first; a
/// uniform stream at Mach 0.5 at the nose of an airfoil with 72 cells around it: 0.2.
constexpr double kMostStationaryChange = 0.1;

std::string place_of(const mesh::Mesh& m, mesh::LocalCellId cell) {
  const Vec3 x = m.cell_centroid[cell];
  return fmt::format("in the cell at ({:.6g}, {:.6g}, {:.6g})", x.x, x.y, x.z);
}

Where where_of(const mesh::Mesh& m, mesh::LocalCellId cell) { return Where{.file = m.source, .element = m.cell_file_id[cell]}; }

}  // namespace

void check_stationary_state(const Scheme& scheme, const std::function<Conserved(mesh::LocalCellId)>& state) {
  const mesh::Mesh& m = scheme.mesh();
  const IdealGas& gas = scheme.gas();
  agreed(m.comm, [&] {
    for (const mesh::LocalCellId c : m.owned()) {
      const Primitive w = gas.primitive(state(c));
      if (!gas.physical(w)) throw unphysical_state(m, c, w, "the state that numerics.well_balanced keeps");
    }
  });
}

void check_stationary_rates(const Scheme& scheme, const std::function<Conserved(mesh::LocalCellId)>& state,
                            std::span<const double> rates) {
  const mesh::Mesh& m = scheme.mesh();
  const IdealGas& gas = scheme.gas();
  const Discretization& d = scheme.discretization();
  agreed(m.comm, [&] {
    for (const mesh::LocalCellId c : m.owned()) {
      const Primitive w = gas.primitive(state(c));
      Conserved rate;
      for (int k = 0; k < Scheme::kVars; ++k) rate[k] = d.inverse_volume[c] * rates[c.index() * Scheme::kVars + k];
      const double speed = norm(w.velocity) + gas.sound_speed(w), momentum = w.density * speed;
      const double change = detail::stable_dt_of_cell(gas, w, d.projected_area[c], d.inverse_volume[c]) *
                            std::max({std::abs(rate.density) / w.density, norm(rate.momentum) / momentum,
                                      std::abs(rate.energy) / (momentum * speed)});
      if (change <= kMostStationaryChange) continue;
      throw PhysicsError(fmt::format("the state that numerics.well_balanced keeps is not stationary (a stable time step would "
                                     "change it by {:.2g} of its size {})",
                                     change, place_of(m, c)),
                         "give one whose forces balance, on a mesh that resolves it, or leave well_balanced out", where_of(m, c));
    }
  });
}

}  // namespace weft::flow
