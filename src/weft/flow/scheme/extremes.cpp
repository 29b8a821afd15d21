#include "weft/flow/scheme/extremes.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace weft::flow {

void Extremes::add(const IdealGas& gas, const Primitive& w) {
  if (!gas.physical(w)) return;
  const double pressure = w.pressure + w.density * dot(w.velocity, w.velocity);
  const double speed = norm(w.velocity) + gas.sound_speed(w);
  add({{w.density, pressure, speed, -w.density, -w.pressure}});
}

void Extremes::add(const Extremes& other) {
  for (std::size_t k = 0; k < largest.size(); ++k) largest[k] = std::max(largest[k], other.largest[k]);
}

void Extremes::add(const mesh::Mesh& mesh, const IdealGas& gas, mesh::BoundaryZoneId zone, const BoundaryCondition& condition,
                   double time) {
  if (condition.prescribed) {
    const std::span<const Vec3> faces = centroids(mesh, mesh.boundary[zone].faces);
    std::vector<Primitive> states(faces.size());
    condition.prescribed(faces, time, states);
    for (const Primitive& state : states) add(gas, state);
    return;
  }
  const GasOutside given = row_of(condition.params.kind).outside(gas, condition.params);
  if (given.state) add(gas, *given.state);
  if (given.reservoir) add(gas, *given.reservoir);
  if (given.pressure) add({{kNone, *given.pressure, kNone, kNone, -*given.pressure}});
}

void Extremes::reduce(const Communicator& comm) { comm.max(std::span<double>(largest)); }

}  // namespace weft::flow
