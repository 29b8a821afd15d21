#include <algorithm>
#include <numeric>
#include <span>

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

/// Returns whether the states outside a zone are evaluated on the GPU in every stage.
bool varies_on_device(const BoundaryCondition& condition) {
  return condition.prescribed.on_device() && condition.depends_on_time;
}

}  // namespace

DeviceBoundary::DeviceBoundary(const Scheme& scheme) : scheme_(scheme), first_(scheme.discretization().first_boundary_face) {
  for (const BoundaryCondition& condition : scheme.boundary()) {
    params_.push_back(condition.params);
    const bool varies = condition.prescribed && condition.depends_on_time;
    varies_ = varies_ || varies;
    varies_on_host_ = varies_on_host_ || (varies && !varies_on_device(condition));
  }
}

template <class Visit>
void DeviceBoundary::each_array(Visit&& visit) {
  const std::size_t faces = scheme_.mesh().faces() - first_;
  visit(zones_, scheme_.mesh().boundary.size());
  visit(zone_, faces);
  visit(left_, faces);
  visit(order_, faces);
  const Extrapolations& boundary_extrapolation = scheme_.discretization().boundary_extrapolation;
  visit(extrapolation_offset_, boundary_extrapolation.offset);
  visit(extrapolation_row_, boundary_extrapolation.row);
  visit(extrapolation_weight_, boundary_extrapolation.weight);
  visit(extrapolation_normal_weight_, boundary_extrapolation.normal_weight);
  visit(pressure_bound_, boundary_extrapolation.bound);
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
  for (const mesh::BoundaryZoneId z : scheme_.boundary().ids()) {
    if (!varies_on_device(scheme_.boundary()[z])) continue;
    count.bytes += DeviceTables::bytes(scheme_.mesh().boundary[z].faces.size(), false);
  }
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
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    const BoundaryCondition& condition = scheme_.boundary()[z];
    zones.push_back({condition.params, static_cast<bool>(condition.prescribed)});
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      const std::size_t i = face.value() - first_;
      zone[i] = z.value();
      left[i] = m.face_left[face].value();
      normal[i] = scheme_.discretization().face_normal[face];
      centroid[i] = m.face_centroid[face];
      area[i] = scheme_.discretization().face_area[face];
      to_face[i] = m.face_centroid[face] - m.cell_centroid[m.face_left[face]];
    }
  }
  zones_.put(zones);
  zone_.put(zone);
  left_.put(left);
  std::vector<std::int32_t> order(faces);
  std::iota(order.begin(), order.end(), 0);
  const auto border =
      std::stable_partition(order.begin(), order.end(), [&](std::int32_t face) { return left[face] < m.inner_cells; });
  inner_faces_ = static_cast<std::int32_t>(border - order.begin());
  order_.put(order);
  normal_.put(normal);
  to_face_.put(to_face);
  centroid_.put(centroid);
  area_.put(area);
  outside_on_host_ = PinnedBuffer<Primitive>(faces);
  std::fill_n(outside_on_host_.data(), faces, Primitive{});
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    if (!scheme_.boundary()[z].prescribed || !scheme_.boundary()[z].depends_on_time) find_outside(z, 0);
  }
  outside_.put(outside_on_host_.span());
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    const bool on_device = varies_on_device(scheme_.boundary()[z]);
    tables_.push_back(on_device ? std::make_shared<DeviceTables>(centroids(m, m.boundary[z].faces), false) : nullptr);
  }
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
                                     .weight = extrapolation_weight_.data(),
                                     .normal_weight = extrapolation_normal_weight_.data(),
                                     .bound = pressure_bound_.data()},
          .faces = static_cast<std::int32_t>(fluxes_.size()),
          .inner_faces = inner_faces_};
}

void DeviceBoundary::prescribe(Stream& stream, double time) {
  if (varies_on_host_) {
    stream.wait();  // the buffer may still be read
    for (const mesh::BoundaryZoneId z : scheme_.boundary().ids()) {
      const BoundaryCondition& condition = scheme_.boundary()[z];
      if (condition.prescribed && condition.depends_on_time && tables_[z] == nullptr) find_outside(z, time);
    }
    copy_bytes(stream, outside_.data(), outside_on_host_.data(), outside_.size() * sizeof(Primitive));
  }
  for (const mesh::BoundaryZoneId z : tables_.ids()) {
    if (tables_[z] == nullptr) continue;
    DeviceTables::call(tables_[z], scheme_.boundary()[z].prescribed.on_device(), stream, time);
    const std::int32_t first = scheme_.mesh().boundary[z].faces.first().value() - first_;
    copy_bytes(stream, outside_.data() + first, tables_[z]->results.data(), tables_[z]->results.bytes());
  }
}

void DeviceBoundary::set_circulation(Stream& stream, mesh::BoundaryZoneId zone, double circulation) {
  params_[zone].vortex.circulation = circulation;
  if (scheme_.boundary()[zone].prescribed) return;
  stream.wait();  // as above
  find_outside(zone, 0);
  copy_bytes(stream, outside_.data(), outside_on_host_.data(), outside_.size() * sizeof(Primitive));
}

void DeviceBoundary::find_outside(mesh::BoundaryZoneId zone, double time) {
  const mesh::Mesh& m = scheme_.mesh();
  const BoundaryCondition& condition = scheme_.boundary()[zone];
  const mesh::FaceRange faces = m.boundary[zone].faces;
  const std::span<const Vec3> points = centroids(m, faces);
  const std::span<Primitive> outside(outside_on_host_.data() + (faces.first().value() - first_), points.size());
  if (condition.prescribed) return condition.prescribed(points, time, outside);
  for (std::size_t i = 0; i < points.size(); ++i) outside[i] = outside_state(scheme_.gas(), params_[zone], points[i]);
}

void DeviceBoundary::computed(Stream& stream) {
  computed_ = stream.record();
  on_host_ = false;
}

Conserved DeviceBoundary::flux(mesh::LocalFaceId face) const {
  if (!on_host_) fluxes_.get(0, fluxes_on_host_, After(computed_));
  on_host_ = true;
  return fluxes_on_host_[face.value() - first_];
}

ForceAndMoment DeviceBoundary::force_on(Stream& stream, mesh::FaceRange faces, double pressure, Vec3 centre) const {
  const ForceOnFaces map{fluxes_.data(), normal_.data(), centroid_.data(), area_.data(), faces.first().value() - first_,
                         pressure,       centre};
  const std::int32_t count = faces.last().value() - faces.first().value();
  return reduce(space::cuda{}, stream, count, ForceAndMoment{}, map, Add{});
}

}  // namespace weft::flow::detail
