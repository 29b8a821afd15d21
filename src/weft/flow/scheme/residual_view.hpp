#pragma once
/// The View of the residual on the host.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/base/vec3.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/scheme/kernels.hpp"

namespace weft::flow::detail {

/// The View of the CPU's loops: all rows in one array, AoS. Meanings as in Discretization and Residual. kernels.hpp
/// states what its functions are for.
struct ResidualView {
  using Real = double;
  using Group = double;
  static constexpr int kGroups = kVars;
  static constexpr bool kFlow = true;  ///< the rows are flow variables, not transported scalars

  const std::int32_t* stencil_offset;
  const std::int32_t* stencil_rows;
  const std::int32_t* cell_face_offset;
  const std::int32_t* state_slots;  ///< for each face of each cell: as slots_of_states()
  const std::int32_t* left_row;
  const std::int32_t* right_row;
  const Vec3* centroids;
  const Vec3* face_centroids;
  const Vec3* face_normals;
  const double* face_areas;
  const double* inverse_volumes;
  const double* gradient_weights;  ///< Dim for each entry of stencil_rows: how much of a difference is the cell's gradient
  const double* cell_to_face;      ///< Dim for each face of each cell: from the cell's centroid to the face's
  const double*
      half_ways;  ///< Dim for each face of each cell: half-way to the centroid of the neighbour; null: no limiter evaluates there
  double* values;       ///< rows x kVars
  double* gradients;    ///< (owned + ghost) x Dim x kVars, limited
  double* sensors;      ///< owned + ghost: ShockSensor; null: the flux takes none
  double* residual;     ///< owned x kVars: minus the sum of the fluxes out of the cell
  double* mass_fluxes;  ///< by face, out of the left cell; null: not wanted
  IdealGas gas;
  Primitive scale;          ///< magnitudes of the variables, to which Venkatakrishnan's parameter is relative
  double reference_length;  ///< m
  double order;             ///< upper bound of the limiter: 1, or less while the order is ramped up
  double jump_damping;      ///< factor of damp_jump(), at faces between two cells; 0: none
  double shock_threshold;   ///< threshold of ShockSensor
  bool axisymmetric;        ///< as in Mesh

  // Stencil and faces of cell c: ranges of list entries, and the entries.
  [[nodiscard]] WEFT_HD std::int32_t stencil_begin(std::int32_t c) const { return stencil_offset[c]; }
  [[nodiscard]] WEFT_HD std::int32_t stencil_end(std::int32_t c) const { return stencil_offset[c + 1]; }
  [[nodiscard]] WEFT_HD std::int32_t stencil_row(std::int32_t s) const { return stencil_rows[s]; }
  [[nodiscard]] WEFT_HD std::int32_t face_begin(std::int32_t c) const { return cell_face_offset[c]; }
  [[nodiscard]] WEFT_HD std::int32_t face_end(std::int32_t c) const { return cell_face_offset[c + 1]; }

  [[nodiscard]] WEFT_HD std::int32_t left(std::int32_t f) const { return left_row[f]; }
  [[nodiscard]] WEFT_HD std::int32_t right(std::int32_t f) const { return right_row[f]; }
  [[nodiscard]] WEFT_HD Vec3 face_centroid(std::int32_t f) const { return face_centroids[f]; }
  [[nodiscard]] WEFT_HD Vec3 face_normal(std::int32_t f) const { return face_normals[f]; }
  [[nodiscard]] WEFT_HD double face_area(std::int32_t f) const { return face_areas[f]; }

  [[nodiscard]] WEFT_HD Vec3 centroid(std::int32_t row) const { return centroids[row]; }
  [[nodiscard]] WEFT_HD double radius(std::int32_t c) const { return centroids[c].y; }
  [[nodiscard]] WEFT_HD double inverse_volume(std::int32_t c) const { return inverse_volumes[c]; }
  template <int Dim>
  [[nodiscard]] WEFT_HD Vec3 gradient_weight(std::int32_t /*c*/, std::int32_t s) const {
    return vector<Dim>(gradient_weights, s);
  }
  /// Completes a sum of weighted differences to a gradient; without effect, since gradient_weights include the matrix.
  template <int Dim, class Group>
  WEFT_HD void complete(std::int32_t /*c*/, Group (& /*sum*/)[Dim]) const {}
  // Cell-to-face vectors: of cell c, and of the rows on the sides of face f.
  template <int Dim>
  [[nodiscard]] WEFT_HD Vec3 to_face(std::int32_t /*c*/, std::int32_t s) const {
    return vector<Dim>(cell_to_face, s);
  }
  /// Returns whether the points of a limiter with kMovesPoints move.
  [[nodiscard]] WEFT_HD bool moves_points() const { return half_ways != nullptr; }
  /// Returns the vector from the centroid of cell c half-way to that of the neighbour across a face. @pre moves_points()
  template <int Dim>
  [[nodiscard]] WEFT_HD Vec3 half_way(std::int32_t /*c*/, std::int32_t s) const {
    return vector<Dim>(half_ways, s);
  }
  [[nodiscard]] WEFT_HD Vec3 left_to_face(std::int32_t f) const { return face_centroids[f] - centroids[left_row[f]]; }
  [[nodiscard]] WEFT_HD Vec3 right_to_face(std::int32_t f) const { return face_centroids[f] - centroids[right_row[f]]; }
  [[nodiscard]] WEFT_HD double value(std::int32_t row, int k) const { return values[static_cast<std::int64_t>(row) * kVars + k]; }
  template <int Dim>
  [[nodiscard]] WEFT_HD double gradient(std::int32_t row, int k, int d) const {
    return gradients[static_cast<std::int64_t>(row) * (kVars * Dim) + gradient_index(k, d)];
  }
  template <int Dim>
  WEFT_HD void set_gradient(std::int32_t c, int k, int d, double slope) const {
    gradients[static_cast<std::int64_t>(c) * (kVars * Dim) + gradient_index(k, d)] = slope;
  }
  [[nodiscard]] WEFT_HD double scale_of(int k) const { return scale[k]; }
  [[nodiscard]] WEFT_HD bool takes_sensors() const { return sensors != nullptr; }

 private:
  template <int Dim>
  [[nodiscard]] WEFT_HD static Vec3 vector(const double* components, std::int32_t s) {
    const double* const v = components + static_cast<std::int64_t>(s) * Dim;
    return {v[0], v[1], Dim == 3 ? v[2] : 0};
  }
};

}  // namespace weft::flow::detail
