// The operations of operation_counts.hpp, compared with those that the templates of the physics execute; and the bytes of the
// kernels of a GPU, compared with its counters.
#include "weft/flow/scheme/operation_counts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "weft/flow/physics/boundary.hpp"
#include "weft/flow/physics/jump_damping.hpp"
#include "weft/flow/physics/runge_kutta.hpp"
#include "weft/flow/physics/state_limits.hpp"
#include "weft/flow/scheme/extrapolation.hpp"
#include "weft/flow/scheme/kernels.hpp"

#include "flow/counted_double.hpp"  // before the templates

namespace weft::flow::test::operation_counts_test {
namespace {

using namespace weft::flow::detail;
using Number = CountedDouble;
using State = BasicPrimitive<Number>;
using Vector = BasicVec3<Number>;

const State kLeft{1.0, {0.3, 0.1, 0.05}, 1.0}, kRight{1.02, {0.31, 0.12, 0.06}, 1.01};  // no sonic point, no shock
const Vector kNormal{0.8, 0.6, 0.0};

TEST(OperationCounts, NumericalFunctionsOfAFace) {
  for (const auto& row : kFluxes.rows) {
    const double expected = flux_flops(row.value);
    visit_flux(row.value, 1.0, RoeFlux{}.entropy_fix, [&](const auto& flux) {
      EXPECT_EQ(operations_of([&] { (void)flux(IdealGas{}, kLeft, kRight, kNormal); }), expected) << row.name;
    });
  }
  EXPECT_EQ(operations_of([] {
              State left = kLeft, right = kRight;
              damp_jump(0.3, left, right);
            }),
            kJumpDampingFlops);
  EXPECT_EQ(operations_of([] {
              BasicConserved<Number> through;
              through += exchange_flux(IdealGas{}, Number(0.3), kLeft, kRight);
            }),
            kExchangeFlops);
  BasicConserved<Number> flux{1.0, {2.0, 3.0, 4.0}, 5.0};
  std::array<Number, kVars> residual;
  EXPECT_EQ(operations_of([&] { flux *= Number(0.5); }), kScaleFluxFlops);
  EXPECT_EQ(operations_of([&] { accumulate(residual.data(), flux, -1.0); }), kAddFluxFlops);
}

template <int Dim>
[[nodiscard]] long operations_of_state() {
  Number gradient[kVars][Dim];
  return operations_of([&] { (void)reconstruct<Dim>(kLeft, gradient, kNormal); });
}

TEST(OperationCounts, StatesOnTheSidesOfAFace) {
  EXPECT_EQ(operations_of_state<2>(), state_flops(2));
  EXPECT_EQ(operations_of_state<3>(), state_flops(3));
}

/// A cell with its neighbours in a linear flow.
struct CellView {
  using Real = Number;
  using Group = Number;
  static constexpr bool kFlow = true;
  std::int32_t neighbours = 6;
  bool sensors = true, moves = false;
  double reference_length = 1, shock_threshold = 0;
  Number order = 1;
  bool axisymmetric = false;

  [[nodiscard]] std::int32_t stencil_begin(std::int32_t) const { return 0; }
  [[nodiscard]] std::int32_t stencil_end(std::int32_t) const { return neighbours; }
  [[nodiscard]] std::int32_t stencil_row(std::int32_t s) const { return s + 1; }
  [[nodiscard]] std::int32_t face_begin(std::int32_t) const { return 0; }
  [[nodiscard]] std::int32_t face_end(std::int32_t) const { return neighbours; }
  [[nodiscard]] Number value(std::int32_t row, int k) const {
    return 1.0 + 0.001 * (k + 1) * ((row % 2) - 0.5) * (row > 0 ? 1 : 0);
  }
  template <int>
  [[nodiscard]] Vector gradient_weight(std::int32_t, std::int32_t s) const {
    return along(s, 0.1);
  }
  template <int Dim>
  void complete(std::int32_t, Number (&)[Dim]) const {}
  template <int>
  [[nodiscard]] Vector to_face(std::int32_t, std::int32_t s) const {
    return along(s, 0.01);
  }
  [[nodiscard]] bool moves_points() const { return moves; }
  template <int>
  [[nodiscard]] Vector half_way(std::int32_t, std::int32_t s) const {
    return along(s, 0.01);
  }
  [[nodiscard]] Number inverse_volume(std::int32_t) const { return 1.0; }
  [[nodiscard]] Number radius(std::int32_t) const { return 1.0; }
  [[nodiscard]] Number scale_of(int) const { return 1.0; }
  [[nodiscard]] bool takes_sensors() const { return sensors; }

 private:
  /// Returns a vector to one side or the other, by the parity of the entry.
  [[nodiscard]] static Vector along(std::int32_t s, double length) {
    const double x = s % 2 == 0 ? length : -length;
    return {x, x, x};
  }
};

/// Compares limited_gradient() with the sum of the parts of a cell.
template <int Dim>
void compare_gradients(LimiterKind kind, int neighbours, bool moves_points) {
  const CellView view{.neighbours = neighbours, .moves = moves_points};
  visit_limiter(kind, 5.0, [&](const auto& limiter) {
    Number gradient[kVars][Dim];
    const double expected =
        gradient_flops(Dim) * neighbours + limiter_flops(kind, Dim, neighbours, moves_points) + limit_flops(Dim) + kSensorFlops;
    EXPECT_EQ(operations_of([&] { (void)limited_gradient<Dim>(view, 0, limiter, gradient); }), expected)
        << name_of(kind) << ' ' << Dim << ' ' << neighbours;
  });
}

TEST(OperationCounts, LimitedGradientsOfACell) {
  for (const auto kind : {LimiterKind::none, LimiterKind::barth_jespersen, LimiterKind::venkatakrishnan}) {
    compare_gradients<2>(kind, 4, false);
    compare_gradients<2>(kind, 3, kind == LimiterKind::venkatakrishnan);
    compare_gradients<3>(kind, 6, false);
    compare_gradients<3>(kind, 4, kind == LimiterKind::venkatakrishnan);
  }
}

template <int Dim>
void compare_weights() {
  const Number matrix[6] = {1, 2, 3, 4, 5, 6};
  Number sum[Dim];
  EXPECT_EQ(kVars * operations_of([&] { multiply<Dim>(matrix, sum); }), matrix_flops(Dim));
  for (const bool stabilized : {false, true}) {
    const Vector left{0.1, 0.2, 0.3}, right{-0.1, 0.0, 0.2};
    EXPECT_EQ(operations_of([&] { (void)unscaled_gradient_weight<Dim>(left - right, stabilized); }),
              weight_flops(Dim, stabilized));
  }
}

TEST(OperationCounts, WeightsOfGradients) {
  compare_weights<2>();
  compare_weights<3>();
  const Vector near{0.1, 0.2, 0.3}, area{1.0, 2.0, 3.0};
  EXPECT_EQ(operations_of([&] { (void)face_interpolation_weight(near, near); }), kInterpolationFlops);
  const long left = operations_of([&] { (void)(Number(0.5) * area); }), right = 1 + left;  // minus 1 on the right
  EXPECT_EQ(0.5 * static_cast<double>(left + right), kAreaWeightFlops);
}

/// Bytes per cell of the kernels on a GPU by its counters: bench/results/2026-11-22-3e1332e-h200.json, table kernel-counts, inner
/// and border tiles, read and written. What was written last is in part still in the cache when a kernel ends, and rows of
/// neighbouring tiles have left it.
TEST(OperationCounts, BytesOfTheKernelsOfAGpu) {
  struct Row {
    int dim;
    double sides;
    bool stabilized;
    double gradients, fluxes;
  };
  constexpr double kLeast = 0.75, kMost = 1.05;
  for (const Row& row : {Row{2, 4, false, 163 + 1 + 140, 295 + 2 + 70}, Row{2, 3, true, 141 + 117, 245 + 1 + 77},
                         Row{3, 6, false, 381 + 20 + 220 + 6, 424 + 25 + 80}, Row{3, 4, true, 261 + 12 + 148, 322 + 14 + 77}}) {
    const Numerics numerics;
    const DeviceCounts counts(numerics, row.dim, row.stabilized, false);
    const KernelSize cell{.cells = 1, .stencil = row.sides, .sides = row.sides, .faces = row.sides / 2};
    for (const auto& [counted, measured] :
         {std::pair(counts.gradients(cell, false).bytes, row.gradients), std::pair(counts.fluxes(cell).bytes, row.fluxes)}) {
      EXPECT_GT(counted, kLeast * measured) << row.dim << ' ' << row.sides;
      EXPECT_LT(counted, kMost * measured) << row.dim << ' ' << row.sides;
    }
  }
}

TEST(OperationCounts, StageOfACell) {
  const IdealGas gas;
  BasicConserved<Number> u{1.0, {0.1, 0.2, 0.3}, 3.0};
  EXPECT_EQ(kVars * operations_of([&] {
              const Number rate = 2.0, inverse_volume = 3.0, step = 0.1, now = 1.0;
              (void)(now + step * (rate * inverse_volume));
            }),
            kStageFlops);
  EXPECT_EQ(kVars * operations_of([] { (void)runge_kutta_value<Number>(0.5, 1.0, 2.0); }), kBlendFlops);
  EXPECT_EQ(kVars * operations_of([] {
              Number sum = 0.0;
              sum += Number(2.0) * Number(3.0);
            }),
            kSquaredRateFlops);
  EXPECT_EQ(operations_of([&] { (void)StateLimits{}.hold(gas.primitive(u)); }), kPrimitiveFlops);
  EXPECT_EQ(operations_of([&] { (void)stable_dt_of_cell(gas, kLeft, kNormal, Number(2.0)); }), kStableStepFlops);
}

TEST(OperationCounts, BoundaryRowsAndFluxesAtWalls) {
  const BasicIdealGas<Number> gas;
  const BasicBoundaryParams<Number> wall{.kind = BoundaryKind::slip_wall};
  const std::array<std::int32_t, 2> offset{0, 3};
  const std::array<std::int32_t, 3> row{0, 1, 2};
  const std::array<double, 3> weight{0.1, 0.2, 0.3};
  const std::array<PressureBound, 1> bound{};
  const ExtrapolationView view{offset.data(), row.data(), weight.data(), weight.data(), bound.data()};
  const std::vector<Number> values(3 * kVars, 1.0);
  Increments<Number> sums;
  EXPECT_EQ(operations_of([&] { sums = increments(view, 0, kLeft, values.data()); }), 3 * kExtrapolationFlops);
  sums = {};
  EXPECT_EQ(operations_of([&] {
              const State extrapolation = extrapolated(view, 0, gas, kLeft, sums);
              (void)boundary_ghost_state(gas, wall, kLeft, extrapolation, kNormal);
            }),
            kWallRowFlops);
  EXPECT_EQ(operations_of([&] { (void)boundary_flux(gas, wall, kLeft, kNormal); }), kWallFluxFlops);
}

}  // namespace
}  // namespace weft::flow::test::operation_counts_test
