#pragma once
/// The results of a run on another mesh, for interpolation of the flow at any point: this rank's share of its cells.
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/scalar.hpp"
#include "weft/io/vtk/vtkhdf_reader.hpp"

namespace weft::flow::detail {

/// Primitive variables, then scalars.
using SolutionValues = std::array<double, Primitive::kVars + kMostScalars>;

/// The answer of a rank's share of the old cells for a point.
struct SolutionAnswer {
  double squared_distance = 0;  ///< to the nearest centroid, m^2
  std::int64_t cell = -1;       ///< its number in the file; -1: the share has no cells
  bool outside = false;         ///< the point is outside the old mesh
  SolutionValues values{};
};

/// The old solution; see Start for the interpolation. The cells are distributed evenly, in the order of the file.
class OldSolution {
 public:
  /// @param scalars  names of the fields of the scalars, in the order of the case's.
  /// @throws InputError on every rank: a file of cells of another dimension, or without a field that is needed.
  /// @collective
  OldSolution(const Communicator& comm, const io::VtkHdfReader& file, int dim, std::span<const std::string> scalars);

  /// Returns the flow at each point, from the cell of all ranks whose centroid is nearest. Each rank has its own points.
  /// @collective
  [[nodiscard]] std::vector<SolutionAnswer> at(std::span<const Vec3> points) const;

 private:
  struct Box {
    Vec3 low, high;
    bool empty = true;
    [[nodiscard]] double squared_distance(Vec3 x) const;
  };
  /// A face of the boundary of the old mesh.
  struct Wall {
    std::size_t cell;
    Vec3 centroid, normal;  ///< unit, out of the cell
  };

  void read(const io::VtkHdfReader& file, std::span<const std::string> scalars);
  void find_neighbours(const io::VtkHdfReader::Cells& cells, std::span<const Vec3> corners);
  /// Adds a neighbour to the sums of cell c, from which fit_gradients() computes gradients.
  void add_neighbour(std::size_t c, Vec3 centroid, const double* values);
  void fit_gradients();
  void sort(std::size_t first, std::size_t last);
  void nearest(Vec3 x, std::size_t first, std::size_t last, double& squared, std::size_t& best) const;
  [[nodiscard]] SolutionAnswer answer(Vec3 x) const;

  const Communicator& comm_;
  std::filesystem::path path_;
  int dim_;
  std::size_t vars_;
  std::int64_t first_ = 0;  ///< number of this rank's first cell
  std::vector<Vec3> centroid_;
  std::vector<double> size_;                   ///< m, of the cells
  std::vector<double> values_;                 ///< cells x vars_
  std::vector<Vec3> gradients_;                ///< cells x vars_; before they are fitted, sums of (value difference) d / d^2
  std::vector<std::array<double, 6>> matrix_;  ///< sums of d d^T / d^2: xx yy zz xy xz yz; before the fit
  std::vector<Wall> walls_;                    ///< boundary faces by cell
  std::vector<std::size_t> order_;             ///< order of the cells as a balanced tree: the middle of a range splits it
  std::vector<std::uint8_t> axis_;             ///< axis along which the cell at this position of order_ splits its range
  std::vector<Box> boxes_;                     ///< box around the centroids of each rank
};

}  // namespace weft::flow::detail
