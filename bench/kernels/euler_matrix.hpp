#pragma once
// The matrix of an implicit step of the Euler equations, for benchmarks of solvers.
#include <cmath>
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/base/mix.hpp"
#include "weft/kernels/linear/bsr_matrix.hpp"

namespace bench {

/// Density, velocity and pressure of a perfect gas.
struct GasState {
  static constexpr double kGamma = 1.4;
  double density, velocity[3], pressure;

  [[nodiscard]] WEFT_HD double sound() const { return std::sqrt(kGamma * pressure / density); }
};

/// Returns the state of a cell: a uniform stream of Mach 0.57, of which every number is changed by up to 0.05.
WEFT_HD inline GasState perturbed_stream(std::int32_t cell) {
  const auto change = [cell](int n) {
    const std::uint64_t bits = weft::mix_bits(static_cast<std::uint64_t>(cell) * 5 + static_cast<std::uint64_t>(n));
    return 0.05 * (static_cast<double>(bits >> 11U) * 0x1p-52 - 1);
  };
  return {1 + change(0), {0.5 + change(1), 0.25 + change(2), 0.125 + change(3)}, (1 + change(4)) / GasState::kGamma};
}

/// A matrix of 5 x 5 doubles.
struct Jacobian {
  double entry[5][5] = {};

  /// Adds to the diagonal.
  WEFT_HD Jacobian plus(double diagonal) const {
    Jacobian sum = *this;
    for (int i = 0; i < 5; ++i) sum.entry[i][i] += diagonal;
    return sum;
  }
  WEFT_HD void add_product(double factor, const Jacobian& a, const Jacobian& b) {
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 5; ++j) {
        for (int k = 0; k < 5; ++k) entry[i][j] += factor * a.entry[i][k] * b.entry[k][j];
      }
    }
  }
};

/// Returns the derivative A of the flux through a face by the conserved variables. The normal is `side` (1 or -1) on `axis`.
WEFT_HD inline Jacobian flux_jacobian(const GasState& s, int axis, int side) {
  constexpr double kG = GasState::kGamma - 1;
  const double* const u = s.velocity;
  const double energy = kG / 2 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), sound = s.sound();
  const double enthalpy = (sound * sound + energy) / kG, normal = side * u[axis];
  Jacobian a;
  for (int i = 0; i < 3; ++i) {
    const double n = i == axis ? side : 0;
    a.entry[0][i + 1] = n;
    a.entry[i + 1][0] = n * energy - u[i] * normal;
    a.entry[i + 1][i + 1] = normal;
    a.entry[i + 1][4] = n * kG;
    a.entry[4][i + 1] = n * enthalpy - kG * u[i] * normal;
  }
  for (int i = 0; i < 3; ++i) {
    a.entry[i + 1][axis + 1] += side * u[i];
    a.entry[axis + 1][i + 1] -= side * kG * u[i];
  }
  a.entry[4][0] = normal * (energy - enthalpy);
  a.entry[4][4] = GasState::kGamma * normal;
  return a;
}

/// Adds to `sum` the part of A with the positive eigenvalues (`outflow`), or that with the negative ones. A has a full set of
/// eigenvectors and the eigenvalues v - c, v (three times) and v + c: a function of A is the polynomial, here in Newton's form,
/// which has the values of the function there.
WEFT_HD inline void add_split_jacobian(const GasState& s, int axis, int side, bool outflow, Jacobian& sum) {
  const Jacobian a = flux_jacobian(s, axis, side);
  const double v = side * s.velocity[axis], c = s.sound();
  const auto part = [outflow](double eigenvalue) { return (eigenvalue > 0) == outflow ? eigenvalue : 0; };
  const double low = part(v - c), middle = part(v), high = part(v + c);
  const double slope = (middle - low) / c, curvature = (high - 2 * middle + low) / (2 * c * c);
  const Jacobian from_low = a.plus(c - v), one = Jacobian{}.plus(1);
  sum = sum.plus(low);
  sum.add_product(slope, from_low, one);
  sum.add_product(curvature, from_low, a.plus(-v));
}

/// Fills the block row of a cell with the matrix V/dt + dR/dU of a first-order upwind scheme, R = sum over the faces of A+ U of
/// the cell + A- U of the neighbour, on a box of `edge`^3 unit cubes in lexicographic order. Outside is a given state, which has
/// no column. The columns are the seven cells of the stencil.
template <class T>
struct FillEuler {
  weft::kernels::BsrView<T, 5> a;
  std::int32_t edge;
  double cfl;  ///< dt = cfl / (|u| + |v| + |w| + 3 c)

  WEFT_HD void operator()(std::int32_t row) const {
    for (std::int32_t k = 0; k < a.pattern.sizes[row]; ++k) {
      const std::int64_t slot = a.pattern.slot(row, k);
      const Jacobian block = a.pattern.column[slot] == row ? diagonal(row) : neighbour(row, a.pattern.column[slot]);
      for (int e = 0; e < 25; ++e) a(slot, e / 5, e % 5) = static_cast<T>(block.entry[e / 5][e % 5]);
    }
  }

 private:
  [[nodiscard]] WEFT_HD Jacobian diagonal(std::int32_t cell) const {
    const GasState s = perturbed_stream(cell);
    const double* const u = s.velocity;
    Jacobian sum = Jacobian{}.plus((std::abs(u[0]) + std::abs(u[1]) + std::abs(u[2]) + 3 * s.sound()) / cfl);
    for (int face = 0; face < 6; ++face) add_split_jacobian(s, face / 2, face % 2 == 0 ? 1 : -1, true, sum);
    return sum;
  }
  [[nodiscard]] WEFT_HD Jacobian neighbour(std::int32_t cell, std::int32_t other) const {
    const std::int32_t apart = other > cell ? other - cell : cell - other;
    Jacobian sum;
    add_split_jacobian(perturbed_stream(other), apart == 1 ? 0 : apart == edge ? 1 : 2, other > cell ? 1 : -1, false, sum);
    return sum;
  }
};

}  // namespace bench
