#pragma once
/// The nodes of an O-grid around a NACA 4-digit aerofoil.
///
/// The Karman-Trefftz transformation (z - z_te) / (z - z_n) = ((w - b) / (w + b))^n takes the plane outside of the aerofoil to
/// the plane outside of a curve that is nearly a circle, with the trailing edge z_te (n = 2 - edge angle / pi) at w = b and z_n
/// half way between the leading edge and its centre of curvature. Rays and circles there are the grid lines here, nearly
/// orthogonal. Source: Milne-Thomson, Theoretical Aerodynamics, 4th ed., ch. 7; thickness and camber: Abbott, von Doenhoff, NACA
/// R-824, 1945.
#include <complex>
#include <vector>

#include "weft/mesh/generate/generate.hpp"

namespace weft::mesh::detail {

class NacaGrid {
 public:
  /// @throws InputError: digits, an odd number of cells around, a wall spacing that the number of cells cannot give.
  /// @cost O(around + radial)
  explicit NacaGrid(const NacaSpec& spec);

  /// i runs clockwise from the trailing edge, j outwards from the surface.
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
  std::vector<double> angle_, log_radius_;  ///< of the same nodes about centre_ in the plane of the circle
  std::vector<double> level_;               ///< 0 at the aerofoil, 1 at the far field
};

}  // namespace weft::mesh::detail
