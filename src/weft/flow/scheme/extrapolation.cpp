#include "weft/flow/scheme/extrapolation.hpp"

#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "weft/base/id.hpp"

namespace weft::flow {
namespace {

constexpr const char* kEntries = "entries of extrapolations to boundaries";

using Matrix = std::array<Vec3, 3>;

/// Diagonalizes the symmetric matrix m in place by Jacobi rotations. @return its eigenvectors.
Matrix diagonalize(Matrix& m) {
  Matrix vectors{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
  constexpr int kSweeps = 12;  // convergence is quadratic
  for (int i = 0; i < 3 * kSweeps; ++i) {
    const int p = i % 3 == 2 ? 1 : 0, q = i % 3 == 0 ? 1 : 2;
    if (m[p][q] == 0) continue;
    const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
    const double cosine = 1 / std::hypot(t, 1.0), sine = t * cosine;
    const auto rotate = [&](double& a, double& b) { std::tie(a, b) = std::pair(cosine * a - sine * b, sine * a + cosine * b); };
    for (int k = 0; k < 3; ++k) rotate(m[k][p], m[k][q]);
    for (int k = 0; k < 3; ++k) rotate(m[p][k], m[q][k]);
    for (int k = 0; k < 3; ++k) rotate(vectors[p][k], vectors[q][k]);
  }
  return vectors;
}

/// Returns the pseudoinverse of the symmetric matrix m, times v.
Vec3 solve_determined(Matrix m, const Vec3& v) {
  constexpr double kDetermined = 2e-2;  // relative to the trace: rows within 8 degrees of a plane count as coplanar
  const double trace = m[0].x + m[1].y + m[2].z;
  const Matrix vectors = diagonalize(m);
  Vec3 solution;
  for (int k = 0; k < 3; ++k) {
    if (m[k][k] > kDetermined * trace) solution += (dot(vectors[k], v) / m[k][k]) * vectors[k];
  }
  return solution;
}

}  // namespace

void Extrapolations::append(const Vec3& from, const Vec3& to, std::span<const std::int32_t> rows,
                            const IdVector<LocalRow, Vec3>& centroid, const WallMomentum& wall) {
  constexpr double kMargin = 2;  // the bound shall not reduce the gradient on a curved wall, whose curvature is an estimate
  Matrix normal{};
  for (const std::int32_t r : rows) {
    const Vec3 d = centroid[LocalRow(r)] - from;
    for (int k = 0; k < 3; ++k) normal[k] += (d[k] / dot(d, d)) * d;
  }
  const double distance = dot(to - from, wall.normal);
  const Vec3 slope = solve_determined(normal, to - from), normal_slope = solve_determined(normal, distance * wall.normal);
  for (const std::int32_t r : rows) {
    const Vec3 d = centroid[LocalRow(r)] - from;
    row.push_back(r);
    weight.push_back(dot(slope, d) / dot(d, d));
    normal_weight.push_back(dot(normal_slope, d) / dot(d, d));
  }
  bound.push_back({.turning = kMargin * wall.curvature * distance, .force = kMargin * wall.force * distance});
  offset.push_back(checked_local(static_cast<std::int64_t>(row.size()), kEntries));
}

void Extrapolations::append(const Extrapolations& others) {
  const std::int64_t before = offset.back();
  (void)checked_local(before + others.offset.back(), kEntries);
  for (std::size_t i = 1; i < others.offset.size(); ++i) {
    offset.push_back(static_cast<std::int32_t>(before + others.offset[i]));
  }
  row.insert(row.end(), others.row.begin(), others.row.end());
  weight.insert(weight.end(), others.weight.begin(), others.weight.end());
  normal_weight.insert(normal_weight.end(), others.normal_weight.begin(), others.normal_weight.end());
  bound.insert(bound.end(), others.bound.begin(), others.bound.end());
}

}  // namespace weft::flow
