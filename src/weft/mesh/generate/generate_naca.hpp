#pragma once
/// The nodes of an O-grid around a NACA 4-digit aerofoil.
///
/// The Karman-Trefftz transformation (z - z_te) / (z - z_n) = ((w - b) / (w + b))^n maps the exterior of the aerofoil to that
/// of a curve that is nearly a circle, with the trailing edge z_te (n = 2 - edge angle / pi) at w = b and z_n half way
/// between the leading edge and its centre of curvature. Rays and circles in that plane are the grid lines, which are nearly
/// orthogonal. Sources: Milne-Thomson, Theoretical Aerodynamics, 4th ed., ch. 7; thickness and camber: Abbott, von Doenhoff,
/// NACA R-824, 1945.
#include <complex>
#include <vector>

#include "weft/mesh/generate/generate.hpp"

namespace weft::mesh::detail {

class NacaGrid {
 public:
  /// Computes the grid. @throws InputError: digits, an odd number of cells around, a wall spacing that is not possible with
  /// the number of cells.
  /// @cost O(around + radial)
  explicit NacaGrid(const NacaSpec& spec);

  /// Returns a node; i is clockwise from the trailing edge, j outwards from the surface.
  [[nodiscard]] Vec3 node(std::int64_t i, std::int64_t j) const;

 private:
  using Complex = std::complex<double>;

  [[nodiscard]] Complex surface(double s) const;
  [[nodiscard]] Complex to_circle(double s) const;
  [[nodiscard]] Complex from_circle(Complex w) const;
  void find_rays(std::int64_t around);
  void find_levels(const NacaSpec& spec);

  double chord_, camber_ = 0, camber_place_ = 0, thickness_ = 0;
  double exponent_ = 2, far_log_radius_;
  Complex edge_{1, 0}, nose_, b_, centre_;
  std::vector<Complex> surface_;            ///< the nodes on the aerofoil, of chord 1
  std::vector<double> angle_, log_radius_;  ///< polar coordinates of these nodes about centre_ in the plane of the circle
  std::vector<double> level_;               ///< 0 at the aerofoil, 1 at the far field
};

}  // namespace weft::mesh::detail
