#include <algorithm>
#include <numeric>

#include "weft/device/parallel_for.cuh"
#include "weft/flow/cuda/device_boundary.hpp"
#include "weft/flow/scheme/integrals.hpp"

namespace weft::flow::detail {
namespace {

struct ForceOnFaces {
  const Conserved* fluxes;
  const Vec3 *normal, *centroid;
  const double* area;
  std::int32_t first;
  double pressure;
  Vec3 centre;
  WEFT_HD ForceAndMoment operator()(std::int32_t i) const {
    const std::int32_t face = first + i;
    return force_on_face(fluxes[face], normal[face], area[face], centroid[face] - centre, pressure);
  }
};

}  // namespace

DeviceBoundary::DeviceBoundary(const Scheme& scheme) : scheme_(scheme), first_(scheme.discretization().first_boundary_face) {
  for (const BoundaryCondition& condition : scheme.boundary()) {
    params_.push_back(condition.params);
    varies_ = varies_ || (condition.prescribed && condition.depends_on_time);
  }
}

template <class Visit>
void DeviceBoundary::each_array(Visit&& visit) {
  const auto faces = static_cast<std::size_t>(scheme_.mesh().faces() - first_);
  visit(zones_, scheme_.mesh().boundary.size());
  visit(zone_, faces);
  visit(left_, faces);
  visit(order_, faces);
  const Extrapolations& boundary_extrapolation = scheme_.discretization().boundary_extrapolation;
  visit(extrapolation_offset_, boundary_extrapolation.offset);
  visit(extrapolation_row_, boundary_extrapolation.row);
  visit(extrapolation_weight_, boundary_extrapolation.weight);
  visit(normal_, faces);
  visit(to_face_, faces);
  visit(centroid_, faces);
  visit(area_, faces);
  visit(outside_, faces);
  visit(fluxes_, faces);
}

std::size_t DeviceBoundary::bytes() {
  CountBytes count;
  each_array(count);
  return count.bytes;
}

void DeviceBoundary::allocate() {
  each_array(Allocate());
  const mesh::Mesh& m = scheme_.mesh();
  const std::size_t faces = fluxes_.size();
  std::vector<ZoneArgs> zones;
  std::vector<std::int32_t> zone(faces), left(faces);
  std::vector<Vec3> normal(faces), to_face(faces), centroid(faces);
  std::vector<double> area(faces);
  for (std::size_t z = 0; z < m.boundary.size(); ++z) {
    const BoundaryCondition& condition = scheme_.boundary()[z];
    zones.push_back({condition.params, static_cast<bool>(condition.prescribed)});
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      const auto i = static_cast<std::size_t>(face.value() - first_);
      zone[i] = static_cast<std::int32_t>(z);
      left[i] = m.face_left[face.index()].value();
      normal[i] = m.face_normal[face.index()];
      centroid[i] = m.face_centroid[face.index()];
      area[i] = m.face_area[face.index()];
      to_face[i] = m.face_centroid[face.index()] - scheme_.discretization().centroid[static_cast<std::size_t>(left[i])];
    }
  }
  zones_.put(zones);
  zone_.put(zone);
  left_.put(left);
  std::vector<std::int32_t> order(faces);
  std::iota(order.begin(), order.end(), 0);
  const auto border = std::stable_partition(
      order.begin(), order.end(), [&](std::int32_t face) { return left[static_cast<std::size_t>(face)] < m.inner_cells; });
  inner_faces_ = static_cast<std::int32_t>(border - order.begin());
  order_.put(order);
  normal_.put(normal);
  to_face_.put(to_face);
  centroid_.put(centroid);
  area_.put(area);
  outside_on_host_ = PinnedBuffer<Primitive>(faces);
  std::fill_n(outside_on_host_.data(), faces, Primitive{});
  for (std::size_t z = 0; z < m.boundary.size(); ++z) {
    if (!scheme_.boundary()[z].prescribed || !scheme_.boundary()[z].depends_on_time) find_outside(z, 0);
  }
  outside_.put(outside_on_host_.span());
  fluxes_on_host_.resize(faces);
}

BoundaryArgs DeviceBoundary::args() const {
  return {.zones = zones_.data(),
          .zone = zone_.data(),
          .left = left_.data(),
          .normal = normal_.data(),
          .to_face = to_face_.data(),
          .outside = outside_.data(),
          .order = order_.data(),
          .boundary_extrapolation = {.offset = extrapolation_offset_.data(),
                                     .row = extrapolation_row_.data(),
                                     .weight = extrapolation_weight_.data()},
          .faces = static_cast<std::int32_t>(fluxes_.size()),
          .inner_faces = inner_faces_};
}

void DeviceBoundary::prescribe(Stream& stream, double time) {
  if (!varies_) return;
  stream.wait();  // the buffer may still be read
  for (std::size_t z = 0; z < scheme_.boundary().size(); ++z) {
    if (scheme_.boundary()[z].prescribed && scheme_.boundary()[z].depends_on_time) find_outside(z, time);
  }
  copy_bytes(stream, outside_.data(), outside_on_host_.data(), outside_.size() * sizeof(Primitive));
}

void DeviceBoundary::set_circulation(Stream& stream, std::size_t zone, double circulation) {
  params_[zone].vortex.circulation = circulation;
  if (scheme_.boundary()[zone].prescribed) return;
  stream.wait();  // as above
  find_outside(zone, 0);
  copy_bytes(stream, outside_.data(), outside_on_host_.data(), outside_.size() * sizeof(Primitive));
}

void DeviceBoundary::find_outside(std::size_t zone, double time) {
  const mesh::Mesh& m = scheme_.mesh();
  const BoundaryCondition& condition = scheme_.boundary()[zone];
  for (const mesh::LocalFaceId face : m.boundary[zone].faces) {
    const Vec3 x = m.face_centroid[face.index()];
    outside_on_host_.data()[face.value() - first_] =
        condition.prescribed ? condition.prescribed(x, time) : outside_state(scheme_.gas(), params_[zone], x);
  }
}

void DeviceBoundary::computed(Stream& stream) {
  computed_ = stream.record();
  on_host_ = false;
}

Conserved DeviceBoundary::flux(std::int32_t face) const {
  if (!on_host_) fluxes_.get(0, fluxes_on_host_, After(computed_));
  on_host_ = true;
  return fluxes_on_host_[static_cast<std::size_t>(face - first_)];
}

ForceAndMoment DeviceBoundary::force_on(Stream& stream, mesh::FaceRange faces, double pressure, Vec3 centre) const {
  const ForceOnFaces map{fluxes_.data(), normal_.data(), centroid_.data(), area_.data(), faces.first().value() - first_,
                         pressure,       centre};
  const std::int32_t count = faces.last().value() - faces.first().value();
  return reduce(space::cuda{}, stream, count, ForceAndMoment{}, map, Add{});
}

}  // namespace weft::flow::detail
