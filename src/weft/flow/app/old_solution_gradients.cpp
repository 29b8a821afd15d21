// Gradients of an old solution: least squares over the neighbours of each cell, which other ranks may hold.
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "weft/base/mix.hpp"
#include "weft/flow/app/old_solution.hpp"
#include "weft/mesh/cell_type.hpp"
#include "weft/mesh/geometry.hpp"

namespace weft::flow::detail {
namespace {

using io::VtkHdfReader;

/// Names a face by its corners, whatever their order: 128 bits, which two faces share by chance alone.
using FaceKey = std::array<std::uint64_t, 2>;

struct FaceSide {
  FaceKey key;
  std::size_t cell;
  int face;
};

FaceKey key_of(std::span<const Vec3> corners) {
  FaceKey key{};
  for (const Vec3& x : corners) {
    std::uint64_t hash = 0;
    for (int d = 0; d < 3; ++d) hash = hash_with(hash, std::bit_cast<std::uint64_t>(x[d] + 0.0));  // -0 as 0
    key[0] += hash;
    key[1] += mix_bits(hash ^ kGoldenRatioBits);
  }
  return key;
}

/// A face whose other side is on another rank, or nowhere.
struct OpenFace {
  FaceKey key;
  std::int64_t side;  ///< side of the rank that asks
  Vec3 centroid;      ///< centroid of its cell
  SolutionValues values;
};

/// The cell on the other side of a face.
struct Neighbour {
  std::int64_t side;
  Vec3 centroid;
  SolutionValues values;
};

/// The corners of a face of a cell, whose own corners are in our order.
struct FaceCorners {
  std::array<Vec3, mesh::kMaxFaceNodes> x{};
  std::size_t size = 0;
  FaceCorners(const mesh::CellFace& face, std::span<const Vec3> corners) : size(face.size) {
    for (std::size_t k = 0; k < size; ++k) x[k] = corners[face.node[k]];
  }
  [[nodiscard]] std::span<const Vec3> span() const { return {x.data(), size}; }
};

/// Finds the other sides of faces that are on other ranks. Returns those of this rank's faces, ordered by `side`.  @collective
std::vector<Neighbour> neighbours_elsewhere(const Communicator& comm, std::vector<std::vector<OpenFace>>& to) {
  struct Asked {
    const OpenFace* face;
    std::size_t rank;
  };
  const std::size_t ranks = comm.size();
  const std::vector<std::vector<OpenFace>> came = comm.all_to_all(to);
  to.clear();
  std::vector<Asked> asked;
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const OpenFace& face : came[r]) asked.push_back({&face, r});
  }
  std::sort(asked.begin(), asked.end(), [](const Asked& a, const Asked& b) {
    return std::tie(a.face->key, a.rank, a.face->side) < std::tie(b.face->key, b.rank, b.face->side);
  });
  std::vector<std::vector<Neighbour>> back(ranks);
  for (std::size_t i = 0; i + 1 < asked.size(); ++i) {
    if (asked[i].face->key != asked[i + 1].face->key) continue;
    const Asked &a = asked[i], &b = asked[i + 1];
    back[a.rank].push_back({a.face->side, b.face->centroid, b.face->values});
    back[b.rank].push_back({b.face->side, a.face->centroid, a.face->values});
    ++i;
  }
  std::vector<Neighbour> away = comm.all_to_all_joined(back);
  std::sort(away.begin(), away.end(), [](const Neighbour& a, const Neighbour& b) { return a.side < b.side; });
  return away;
}

}  // namespace

void OldSolution::find_neighbours(const VtkHdfReader::Cells& cells, std::span<const Vec3> corners) {
  gradients_.resize(values_.size());
  matrix_.resize(centroid_.size());
  const auto shape_of = [&](std::size_t c) -> const mesh::CellShape& { return mesh::shape(*mesh::vtk_type(cells.types[c])); };
  const auto face_of = [&](const FaceSide& side) {
    const mesh::CellShape& shape = shape_of(side.cell);
    return FaceCorners(shape.face[side.face], corners.subspan(cells.begin[side.cell], shape.nodes));
  };
  std::vector<FaceSide> sides;
  for (std::size_t c = 0; c < centroid_.size(); ++c) {
    for (int f = 0; f < shape_of(c).faces; ++f) {
      FaceSide side{{}, c, f};
      side.key = key_of(face_of(side).span());
      sides.push_back(side);
    }
  }
  const auto by_key = [](const FaceSide& a, const FaceSide& b) {
    return std::tie(a.key, a.cell, a.face) < std::tie(b.key, b.cell, b.face);
  };
  std::sort(sides.begin(), sides.end(), by_key);
  const auto pad = [&](std::size_t cell) {
    SolutionValues values{};
    std::copy_n(&values_[cell * vars_], vars_, values.begin());
    return values;
  };
  // The cells opposite the sides of faces: of this rank, of another, or none. Each cell then adds its neighbours in the order
  // of its faces, so that sums do not depend on the ranks of these.
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> opposite(sides.size(), kNone);
  const std::size_t ranks = comm_.size();
  std::vector<std::vector<OpenFace>> to(ranks);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (i + 1 < sides.size() && sides[i].key == sides[i + 1].key) {
      opposite[i] = sides[i + 1].cell;
      opposite[i + 1] = sides[i].cell;
      ++i;
    } else if (ranks > 1) {
      to[sides[i].key[0] % ranks].push_back(
          {sides[i].key, static_cast<std::int64_t>(i), centroid_[sides[i].cell], pad(sides[i].cell)});
    }
  }
  std::vector<Neighbour> away;
  if (ranks > 1) away = neighbours_elsewhere(comm_, to);
  std::vector<std::size_t> by_cell(sides.size());
  std::iota(by_cell.begin(), by_cell.end(), std::size_t{0});
  std::sort(by_cell.begin(), by_cell.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(sides[a].cell, sides[a].face) < std::tie(sides[b].cell, sides[b].face);
  });
  for (const std::size_t i : by_cell) {
    const std::size_t c = sides[i].cell;
    if (opposite[i] != kNone) {
      add_neighbour(c, centroid_[opposite[i]], &values_[opposite[i] * vars_]);
      continue;
    }
    const auto found = std::lower_bound(away.begin(), away.end(), static_cast<std::int64_t>(i),
                                        [](const Neighbour& a, std::int64_t side) { return a.side < side; });
    if (found != away.end() && found->side == static_cast<std::int64_t>(i)) {
      add_neighbour(c, found->centroid, found->values.data());
    } else {
      const mesh::FaceGeometry face = mesh::face_geometry(face_of(sides[i]).span());
      const double area = norm(face.area);
      if (area > 0) walls_.push_back({c, face.centroid, (1 / area) * face.area});
    }
  }
}

void OldSolution::add_neighbour(std::size_t c, Vec3 centroid, const double* values) {
  const Vec3 d = centroid - centroid_[c];
  const double weight = 1 / dot(d, d);
  std::array<double, 6>& m = matrix_[c];
  m[0] += weight * d.x * d.x, m[1] += weight * d.y * d.y, m[2] += weight * d.z * d.z;
  m[3] += weight * d.x * d.y, m[4] += weight * d.x * d.z, m[5] += weight * d.y * d.z;
  for (std::size_t k = 0; k < vars_; ++k) gradients_[c * vars_ + k] += (weight * (values[k] - values_[c * vars_ + k])) * d;
}

void OldSolution::fit_gradients() {
  constexpr double kFlat = 1e-6;  // directions in which a cell has no neighbours, as across a layer of cells, have no gradient
  for (std::size_t c = 0; c < centroid_.size(); ++c) {
    const auto& [xx, yy, zz, xy, xz, yz] = matrix_[c];
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(Eigen::Matrix3d{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}});
    Eigen::Vector3d inverse = Eigen::Vector3d::Zero();
    for (int d = 0; d < 3; ++d) {
      if (eigen.eigenvalues()[d] > kFlat) inverse[d] = 1 / eigen.eigenvalues()[d];
    }
    const Eigen::Matrix3d solve = eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
    for (std::size_t k = 0; k < vars_; ++k) {
      Vec3& g = gradients_[c * vars_ + k];
      const Eigen::Vector3d fitted = solve * Eigen::Vector3d(g.x, g.y, g.z);
      g = {fitted[0], fitted[1], fitted[2]};
    }
  }
  matrix_ = {};
}

}  // namespace weft::flow::detail
