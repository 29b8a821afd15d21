// Rows, stencils and boundary rows of a discretization.
#include "weft/flow/scheme/discretization.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "weft/base/error.hpp"

#include "flow/solver_support.hpp"

namespace weft::flow::discretization_test {
namespace {

using test::generated;

TEST(Discretization, PutsRowsOfWallsAndOutletsAtTheMirrorImageAndOthersOnTheFace) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}});
  BoundaryKinds kinds;
  for (const mesh::BoundaryZone& zone : m.boundary)
    kinds.push_back(zone.name == "ymin"   ? BoundaryKind::slip_wall
                    : zone.name == "xmax" ? BoundaryKind::supersonic_outflow
                                          : BoundaryKind::far_field);
  const Discretization d(m, kinds);
  EXPECT_EQ(static_cast<std::size_t>(d.rows), d.centroid.size());
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      const Vec3 inside = d.centroid[LocalRow(d.face_left[face])];
      const Vec3 behind = d.centroid[LocalRow(d.face_right[face])];
      const double steps = kinds[z] == BoundaryKind::far_field ? 1 : 2;
      EXPECT_LE(norm(behind - inside - steps * 0.125 * m.face_normal[face]), 1e-15);
    }
  }
}

TEST(Discretization, StencilsByNodeHoldTheFaceNeighbours) {
  mesh::BuildOptions options;
  options.stencil = mesh::Neighbours::node;
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{5}}, {"ny", std::int64_t{5}}}, options);
  const Discretization d(m, BoundaryKinds(m.boundary.size(), BoundaryKind::slip_wall), mesh::Neighbours::node);
  for (const mesh::LocalCellId c : m.owned()) {
    const auto i = c.index();
    const std::vector<std::int32_t> rows(d.stencil_row.begin() + d.stencil_offset[i],
                                         d.stencil_row.begin() + d.stencil_offset[i + 1]);
    int across_boundary = 0;
    for (std::int32_t s = d.cell_face_offset[i]; s < d.cell_face_offset[i + 1]; ++s) {
      const std::int32_t behind = d.cell_face_row[static_cast<std::size_t>(s)];
      EXPECT_THAT(rows, ::testing::Contains(behind));
      across_boundary += behind >= m.cells() ? 1 : 0;
    }
    const std::size_t expected = across_boundary == 0 ? 8 : (across_boundary == 1 ? 5 + 1 : 3 + 2);
    EXPECT_EQ(rows.size(), expected);
  }
}

TEST(Discretization, SpectralRadiusOfASquareIsThatOfTwoDirections) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{2}}});
  const Discretization d(m, BoundaryKinds(m.boundary.size(), BoundaryKind::far_field));
  for (const Vec3 s : d.projected_area) EXPECT_LE(norm(s - Vec3{0.5, 0.25, 0}), 1e-15);
  for (const double v : d.inverse_volume) EXPECT_DOUBLE_EQ(v, 8);
}

/// Returns the largest sum of squares of a gradient's increments at the faces of a cell, for differences to its stencil's rows
/// whose sum of squares is 1: the root of the largest eigenvalue of P^T B P (P the gradient weights), by power iteration.
double worst_norm_of_increments(const mesh::Mesh& m, const Discretization& d, std::span<const double> matrices) {
  const auto multiply = [](const double* a, Vec3 v) { return Vec3{a[0] * v.x + a[1] * v.y, a[1] * v.x + a[2] * v.y, 0}; };
  double worst = 0;
  for (const mesh::LocalCellId c : m.owned()) {
    const auto i = c.index();
    const auto begin = static_cast<std::size_t>(d.stencil_offset[i]), end = static_cast<std::size_t>(d.stencil_offset[i + 1]);
    const auto arm = [&](std::size_t s) { return d.centroid[LocalRow(d.stencil_row[s])] - m.cell_centroid[c]; };
    std::vector<double> difference(end - begin);
    for (std::size_t s = begin; s < end; ++s) difference[s - begin] = 1.0 + static_cast<double>(s - begin);
    double squares = 0;
    for (int iteration = 0; iteration < 200; ++iteration) {
      double length = 0;
      for (const double x : difference) length += x * x;
      Vec3 gradient{}, pushed{};
      for (std::size_t s = begin; s < end; ++s) {
        gradient += difference[s - begin] / std::sqrt(length) * arm(s);
      }
      gradient = multiply(&matrices[3 * i], gradient);
      squares = 0;
      for (const mesh::LocalFaceId face : m.cell_faces.row(c)) {
        const Vec3 r = m.face_centroid[face] - m.cell_centroid[c];
        const std::int32_t row = face < m.interface_faces.last() ? -1 : d.face_right[face];
        const double weight = row >= 0 && norm(d.centroid[LocalRow(row)] - m.face_centroid[face]) == 0 ? 0.25 : 1;
        squares += weight * dot(gradient, r) * dot(gradient, r);
        pushed += weight * dot(gradient, r) * r;
      }
      pushed = multiply(&matrices[3 * i], pushed);
      for (std::size_t s = begin; s < end; ++s) difference[s - begin] = dot(arm(s), pushed);
    }
    worst = std::max(worst, squares);
  }
  return worst;
}

TEST(Discretization, StabilizedGradientsOfSliversAreBounded) {
  // Triangles from quads with alternating diagonals, disturbed; jitter is in cell sizes, so that thin cells have the same norms.
  for (const double height : {1.0, 0.02}) {
    const mesh::Mesh m = generated("box", {{"nx", std::int64_t{12}},
                                           {"ny", std::int64_t{12}},
                                           {"ymax", height},
                                           {"elements", std::string("triangles")},
                                           {"jitter", 0.2},
                                           {"warp", 0.08}});
    for (const BoundaryKind kind : {BoundaryKind::far_field, BoundaryKind::slip_wall, BoundaryKind::symmetry}) {
      const Discretization d(m, BoundaryKinds(m.boundary.size(), kind), mesh::Neighbours::face, true);
      EXPECT_TRUE(d.stabilized);
      EXPECT_LE(worst_norm_of_increments(m, d, least_squares_matrices(m, d)), 1 + 1e-6) << height;
    }
  }
}

TEST(Discretization, ExampleOfTheHeader) {
  const Communicator self = Communicator::self();
  mesh::BuildOptions options;
  options.order = mesh::CellOrdering::as_read;
  const mesh::Mesh m =
      mesh::build(self, mesh::generate(self, "box", {{"nx", std::int64_t{2}}, {"ny", std::int64_t{1}}}), options);
  const Discretization d(m, BoundaryKinds(m.boundary.size(), BoundaryKind::far_field));
  using ::testing::ElementsAre;
  EXPECT_EQ(d.rows, 8);
  EXPECT_EQ(d.first_boundary_face, 1);
  EXPECT_THAT(d.face_left, ElementsAre(0, 0, 1, 0, 1, 0, 1));
  EXPECT_THAT(d.face_right, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(d.cell_face_offset, ElementsAre(0, 4, 8));
  std::vector<std::int32_t> cell_face;
  for (const mesh::LocalFaceId face : d.cell_face) cell_face.push_back(face.value());
  EXPECT_THAT(cell_face, ElementsAre(3, 0, 5, 1, 4, 2, 6, 0));
  EXPECT_THAT(d.cell_face_row, ElementsAre(4, 1, 6, 2, 5, 3, 7, 0));
  EXPECT_EQ(d.stencil_offset, d.cell_face_offset);
  EXPECT_EQ(d.stencil_row, d.cell_face_row);
}

}  // namespace
}  // namespace weft::flow::discretization_test
