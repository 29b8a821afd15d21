#include "weft/flow/app/zone_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace weft::flow::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Vec3> centroids(const mesh::Mesh& mesh, const std::string& name) {
  std::vector<Vec3> mine;
  for (const mesh::BoundaryZone& zone : mesh.boundary) {
    if (zone.name != name) continue;
    for (const mesh::LocalFaceId face : zone.faces) mine.push_back(mesh.face_centroid[face]);
  }
  return mesh.comm.all_gather(std::span<const Vec3>(mine));
}

/// Returns whether every face of one zone, moved by t, is at a face of the other.
bool faces_match(std::vector<Vec3> from, std::vector<Vec3> to, Vec3 t, double tolerance) {
  const Vec3 along{0.6, 0.64, 0.48};  // in general position, so that few points are at one place along it
  std::sort(to.begin(), to.end(), [&](Vec3 a, Vec3 b) { return dot(a, along) < dot(b, along); });
  return std::all_of(from.begin(), from.end(), [&](Vec3 x) {
    const Vec3 at = x + t;
    const double least = dot(at, along) - tolerance;
    auto candidate = std::lower_bound(to.begin(), to.end(), least, [&](Vec3 a, double value) { return dot(a, along) < value; });
    for (; candidate != to.end() && dot(*candidate, along) <= least + 2 * tolerance; ++candidate) {
      if (norm(*candidate - at) <= tolerance) return true;
    }
    return false;
  });
}

}  // namespace

std::vector<ZoneShape> measure_zones(const mesh::Mesh& mesh) {
  std::vector<ZoneShape> shapes;
  for (const mesh::BoundaryZone& zone : mesh.boundary) {
    std::array<double, 5> sums{};  // area, integral of the normal, faces
    std::array<double, 6> box;     // -low, high
    box.fill(-kInfinity);
    for (const mesh::LocalFaceId face : zone.faces) {
      const double area = mesh.face_area[face];
      sums[0] += area;
      for (std::size_t k = 0; k < 3; ++k) sums[k + 1] += area * mesh.face_normal[face][static_cast<int>(k)];
      sums[4] += 1;
      for (const mesh::LocalNodeId node : mesh.face_nodes.row(face.value())) {
        for (std::size_t k = 0; k < 3; ++k) {
          const double x = mesh.node_coord[node][static_cast<int>(k)];
          box[k] = std::max(box[k], -x);
          box[k + 3] = std::max(box[k + 3], x);
        }
      }
    }
    mesh.comm.sum(std::span<double>(sums));
    mesh.comm.max(std::span<double>(box));
    ZoneShape shape;
    shape.name = zone.name;
    shape.faces = std::llround(sums[4]);
    shape.area = sums[0];
    const Vec3 normal{sums[1], sums[2], sums[3]};
    shape.flatness = norm(normal) / shape.area;
    constexpr double kClosed = 1e-6;
    shape.normal = shape.flatness > kClosed ? normal / norm(normal) : Vec3{};
    shape.low = {-box[0], -box[1], -box[2]};
    shape.high = {box[3], box[4], box[5]};
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

bool is_flat(const ZoneShape& shape) { return shape.flatness > 1 - 1e-6; }
bool is_closed(const ZoneShape& shape) { return shape.flatness < 1e-3; }

std::pair<Vec3, Vec3> box_of(const std::vector<ZoneShape>& shapes) {
  Vec3 low{kInfinity, kInfinity, kInfinity}, high = -low;
  for (const ZoneShape& shape : shapes) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], shape.low[k]);
      high[k] = std::max(high[k], shape.high[k]);
    }
  }
  return {low, high};
}

bool are_translated(const mesh::Mesh& mesh, const ZoneShape& a, const ZoneShape& b) {
  const Vec3 t = b.low - a.low, size = a.high - a.low;
  constexpr double kSame = 1e-3;
  if (a.faces != b.faces || norm(t) == 0 || norm(b.high - a.high - t) > kSame * norm(size)) return false;
  if (std::abs(a.area - b.area) > kSame * a.area) return false;
  const double face = std::pow(a.area / static_cast<double>(a.faces), 1.0 / (mesh.dim - 1));
  return faces_match(centroids(mesh, a.name), centroids(mesh, b.name), t, 0.01 * face);
}

}  // namespace weft::flow::detail
