#include "weft/flow/app/locate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace weft::flow {
namespace {

constexpr double kRounding = 1e-12, kNowhere = std::numeric_limits<double>::infinity();
constexpr std::int64_t kNoCell = std::numeric_limits<std::int64_t>::max();

double size_of(const mesh::Mesh& mesh, mesh::LocalCellId cell) {
  const double turn = mesh.axisymmetric ? 2 * std::numbers::pi * mesh.cell_centroid[cell].y : 1;
  return std::pow(mesh.cell_volume[cell] / turn, 1.0 / mesh.dim);
}

/// The best cells of this rank for some points, and then of all ranks.
class Best {
 public:
  explicit Best(std::size_t points) : outside_(points, kNowhere), id_(points, kNoCell), cell_(points) {}

  void consider(const mesh::Mesh& mesh, std::size_t point, mesh::LocalCellId cell, double outside) {
    const std::int64_t id = mesh.cell_file_id[cell];
    if (outside > outside_[point] || (outside == outside_[point] && id >= id_[point])) return;
    outside_[point] = outside;
    id_[point] = id;
    cell_[point] = cell;
  }

  /// Returns the best cells of all ranks. @collective
  [[nodiscard]] std::vector<Location> of_all(const Communicator& comm) {
    std::vector<double> least = outside_;
    comm.min(std::span<double>(least));
    for (std::size_t i = 0; i < least.size(); ++i) {
      if (outside_[i] > least[i]) id_[i] = kNoCell;
    }
    std::vector<std::int64_t> lowest = id_;
    comm.min(std::span<std::int64_t>(lowest));
    std::vector<std::int32_t> owner(least.size(), 0);
    for (std::size_t i = 0; i < least.size(); ++i) {
      const bool mine = cell_[i].valid() && id_[i] == lowest[i] && outside_[i] == least[i];
      if (mine) owner[i] = comm.rank().value();
      if (!mine) cell_[i] = mesh::LocalCellId::invalid();
    }
    comm.max(std::span<std::int32_t>(owner));
    std::vector<Location> all;
    for (std::size_t i = 0; i < least.size(); ++i) {
      const Rank rank(owner[i]);
      all.push_back({rank, rank == comm.rank() ? cell_[i] : mesh::LocalCellId::invalid(), least[i]});
    }
    return all;
  }

 private:
  std::vector<double> outside_;
  std::vector<std::int64_t> id_;
  std::vector<mesh::LocalCellId> cell_;
};

}  // namespace

double distance_outside(const mesh::Mesh& mesh, mesh::LocalCellId cell, Vec3 x) {
  const double size = size_of(mesh, cell);
  double outside = 0;
  for (const mesh::LocalFaceId f : mesh.cell_faces.row(cell)) {
    const double out = dot(x - mesh.face_centroid[f], mesh.face_normal[f]);
    outside = std::max(outside, (mesh.face_left[f] == cell ? out : -out) / size);
  }
  return outside <= kRounding ? 0 : outside;
}

std::vector<Location> locate(const mesh::Mesh& mesh, std::span<const Vec3> points) {
  Best best(points.size());
  for (const mesh::LocalCellId c : mesh.owned()) {
    for (std::size_t i = 0; i < points.size(); ++i) best.consider(mesh, i, c, distance_outside(mesh, c, points[i]));
  }
  return best.of_all(mesh.comm);
}

std::vector<Location> locate_on_line(const mesh::Mesh& mesh, Vec3 from, Vec3 to, std::int64_t count) {
  Best best(count);
  const Vec3 along = to - from;
  const double squared = dot(along, along), last = static_cast<double>(count - 1);
  for (const mesh::LocalCellId c : mesh.owned()) {
    // The points within a sphere around the cell, a little larger than it.
    double radius = 0;
    for (const mesh::LocalNodeId node : mesh.cell_nodes.row(c)) {
      radius = std::max(radius, norm(mesh.node_coord[node] - mesh.cell_centroid[c]));
    }
    radius += kNearlyInside * size_of(mesh, c);
    const double middle = squared > 0 ? dot(mesh.cell_centroid[c] - from, along) / squared : 0;
    const double distance = norm(mesh.cell_centroid[c] - (from + middle * along));
    if (distance > radius * (1 + kRounding)) continue;
    const double half = squared > 0 ? radius / std::sqrt(squared) : 1;
    const auto first = static_cast<std::int64_t>(std::clamp(std::floor((middle - half) * last), 0.0, last));
    const auto end = static_cast<std::int64_t>(std::clamp(std::ceil((middle + half) * last), 0.0, last));
    for (std::int64_t k = first; k <= end; ++k) {
      const double outside = distance_outside(mesh, c, point_on_line(from, to, count, k));
      if (outside <= kNearlyInside) best.consider(mesh, k, c, outside);
    }
  }
  return best.of_all(mesh.comm);
}

}  // namespace weft::flow
