#include "weft/flow/scheme/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "weft/base/compensated_sum.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/physics/source.hpp"
#include "weft/flow/scheme/boundary_condition.hpp"
#include "weft/flow/scheme/extremes.hpp"

namespace weft::flow {
namespace {

/// The weighted mean of points over all ranks, which depends on the number of ranks in the last digits only.
class WeightedMean {
 public:
  void add(double weight, Vec3 x) {
    weight_ += weight;
    for (int axis = 0; axis < 3; ++axis) sum_[axis] += weight * x[axis];
  }
  void add(const WeightedMean& other) {
    weight_ += other.weight_;
    for (int axis = 0; axis < 3; ++axis) sum_[axis] += other.sum_[axis];
  }
  /// Returns the mean. @collective
  [[nodiscard]] Vec3 value(const Communicator& comm) const {
    std::array<double, 4> sums{sum_[0].value(), sum_[1].value(), sum_[2].value(), weight_.value()};
    comm.sum(std::span<double>(sums));
    return sums[3] > 0 ? Vec3{sums[0], sums[1], sums[2]} / sums[3] : Vec3{};
  }

 private:
  CompensatedSum sum_[3], weight_;
};

/// Calls visit(face) for every face of the solid walls.
template <class Visit>
void each_wall_face(const mesh::Mesh& mesh, const BoundaryKinds& kinds, const Visit& visit) {
  for (const mesh::BoundaryZoneId z : kinds.ids()) {
    if (!is_solid(kinds[z])) continue;
    for (const mesh::LocalFaceId face : mesh.boundary[z].faces) visit(face);
  }
}

/// Returns twice the largest distance of any cell's node from the centroid of all cells. @collective
double mesh_length(const mesh::Mesh& mesh) {
  WeightedMean mean;
  for (const mesh::LocalCellId c : mesh.owned()) {
    mean.add(mesh.cell_volume[c], mesh.cell_centroid[c]);
  }
  Vec3 centre = mean.value(mesh.comm);
  if (mesh.axisymmetric) centre.y = 0;
  double farthest = 0;
  for (const mesh::LocalCellId c : mesh.owned()) {
    for (const mesh::LocalNodeId node : mesh.cell_nodes.row(c)) {
      farthest = std::max(farthest, norm(mesh.node_coord[node] - centre));
    }
  }
  return 2 * mesh.comm.max(farthest);
}

/// Mean of (density, pressure) and extrema of cells.
struct CellStates {
  WeightedMean mean;
  Extremes extremes;
};

/// Returns those of the owned cells. The sums of a fixed number of cells are added in their order, so that the result is the same
/// on any number of threads.
CellStates states_of_cells(const mesh::Mesh& mesh, const IdealGas& gas, const std::function<Primitive(mesh::LocalCellId)>& start,
                           Team& team) {
  constexpr std::int64_t kCellsPerSum = 1 << 16;
  std::vector<CellStates> sums((mesh.owned_cells + kCellsPerSum - 1) / kCellsPerSum);
  for_shares(team, mesh.owned_cells, [&](LoopShare share) {  // each thread computes the sums that begin within its share
    for (std::int64_t s = (share.begin + kCellsPerSum - 1) / kCellsPerSum; s * kCellsPerSum < share.end; ++s) {
      const std::int64_t last = std::min<std::int64_t>((s + 1) * kCellsPerSum, mesh.owned_cells);
      for (std::int64_t c = s * kCellsPerSum; c < last; ++c) {
        const Primitive w = start(mesh::LocalCellId(c));
        sums[s].extremes.add(gas, w);
        if (gas.physical(w)) sums[s].mean.add(mesh.cell_volume[mesh::LocalCellId(c)], {w.density, w.pressure, 0});
      }
    }
  });
  CellStates all;
  for (const CellStates& sum : sums) {
    all.mean.add(sum.mean);
    all.extremes.add(sum.extremes);
  }
  return all;
}

}  // namespace

double reference_length(const mesh::Mesh& mesh, const BoundaryKinds& kinds) {
  WeightedMean mean;
  each_wall_face(mesh, kinds, [&](mesh::LocalFaceId face) { mean.add(mesh.face_area[face], mesh.face_centroid[face]); });
  Vec3 centre = mean.value(mesh.comm);
  if (mesh.axisymmetric) centre.y = 0;
  double farthest = 0;
  each_wall_face(mesh, kinds, [&](mesh::LocalFaceId face) {
    for (const mesh::LocalNodeId node : mesh.face_nodes.row(face.value())) {
      farthest = std::max(farthest, norm(mesh.node_coord[node] - centre));
    }
  });
  const double length = 2 * mesh.comm.max(farthest);
  return length > 0 ? length : mesh_length(mesh);
}

ReferenceStates reference_states(const mesh::Mesh& mesh, const IdealGas& gas, const BoundaryConditions& boundary,
                                 const SourceTerm& source, const std::function<Primitive(mesh::LocalCellId)>& start, double time,
                                 Team& team) {
  CellStates cells;
  Extremes& extremes = cells.extremes;
  bool unknown = static_cast<bool>(source.function);
  agreed(mesh.comm, [&] {
    cells = states_of_cells(mesh, gas, start, team);
    for (const mesh::BoundaryZoneId z : boundary.ids()) {
      extremes.add(mesh, gas, z, boundary[z], time);
      unknown = unknown || (boundary[z].prescribed && boundary[z].depends_on_time);
    }
  });
  std::array<double, 5>& largest = extremes.largest;
  extremes.reduce(mesh.comm);
  const Vec3 average = cells.mean.value(mesh.comm);
  if (!(source.acceleration == Vec3{})) {  // adds the energy of a fall through the whole mesh
    largest[2] = std::sqrt(largest[2] * largest[2] + 2 * norm(source.acceleration) * mesh_length(mesh));
    largest[1] = std::max(largest[1], largest[0] * largest[2] * largest[2]);
  }
  const double speed = kMostGrowth * largest[2];
  return {.mean = {average.x, {}, average.y},
          .limits = {.least_density = -kLeastRemainder * largest[3],
                     .most_density = kMostGrowth * largest[0],
                     .least_pressure = -kLeastRemainder * largest[4],
                     .most_pressure = kMostGrowth * largest[1],
                     .most_speed_squared = speed * speed},
          .unknown = unknown};
}

}  // namespace weft::flow
