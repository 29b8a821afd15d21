#include <algorithm>

#include "weft/flow/detail/device_boundary.hpp"

namespace weft::flow::detail {

DeviceBoundary::DeviceBoundary(const Residual& residual)
    : residual_(residual), first_(residual.discretization().first_boundary_face) {
  const mesh::Mesh& m = residual.mesh();
  const auto faces = static_cast<std::size_t>(m.faces() - first_);
  std::vector<ZoneArgs> zones;
  std::vector<std::int32_t> zone(faces), left(faces);
  std::vector<Vec3> normal(faces), arm(faces);
  bool prescribes = false;
  for (std::size_t z = 0; z < m.boundary.size(); ++z) {
    const BoundaryCondition& condition = residual.boundary()[z];
    zones.push_back({condition.params, static_cast<bool>(condition.prescribed)});
    prescribes = prescribes || condition.prescribed;
    varies_ = varies_ || (condition.prescribed && condition.of_time);
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      const auto i = static_cast<std::size_t>(face.value() - first_);
      zone[i] = static_cast<std::int32_t>(z);
      left[i] = m.face_left[face.index()].value();
      normal[i] = m.face_normal[face.index()];
      arm[i] = m.face_centroid[face.index()] - residual.discretization().centroid[static_cast<std::size_t>(left[i])];
    }
  }
  zones_ = copy_of(zones);
  zone_ = copy_of(zone);
  left_ = copy_of(left);
  normal_ = copy_of(normal);
  arm_ = copy_of(arm);
  if (prescribes) {
    prescribed_ = DeviceArray<Primitive>(faces);
    prescribed_on_host_ = PinnedBuffer<Primitive>(faces);
    std::fill_n(prescribed_on_host_.data(), faces, Primitive{});
    ask(false, 0);
    prescribed_.put(prescribed_on_host_.span());
  }
  fluxes_ = DeviceArray<Conserved>(faces);
  fluxes_on_host_.resize(faces);
}

BoundaryArgs DeviceBoundary::args() const {
  return {.zones = zones_.data(),
          .zone = zone_.data(),
          .left = left_.data(),
          .normal = normal_.data(),
          .arm = arm_.data(),
          .prescribed = prescribed_.data(),
          .faces = static_cast<std::int32_t>(fluxes_.size())};
}

void DeviceBoundary::prescribe(Stream& stream, double time) {
  if (!varies_) return;
  stream.wait();  // the buffer may still be read
  ask(true, time);
  copy_bytes(stream, prescribed_.data(), prescribed_on_host_.data(), prescribed_.size() * sizeof(Primitive));
}

/// The states of zones where they change with time, or of the others.
void DeviceBoundary::ask(bool of_time, double time) {
  const mesh::Mesh& m = residual_.mesh();
  for (std::size_t z = 0; z < m.boundary.size(); ++z) {
    const BoundaryCondition& condition = residual_.boundary()[z];
    if (!condition.prescribed || condition.of_time != of_time) continue;
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      prescribed_on_host_.data()[face.value() - first_] = condition.prescribed(m.face_centroid[face.index()], time);
    }
  }
}

}  // namespace weft::flow::detail
