// Rows, stencils and boundary rows of a discretization.
#include "weft/flow/discretization.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"

#include "flow/solver_support.hpp"

namespace weft::flow {
namespace {

using test::generated;

TEST(Discretization, PutsRowsOfWallsAndOutletsAtTheMirrorImageAndOthersOnTheFace) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}});
  std::vector<BoundaryKind> kinds;
  for (const mesh::BoundaryZone& zone : m.boundary)
    kinds.push_back(zone.name == "ymin"   ? BoundaryKind::slip_wall
                    : zone.name == "xmax" ? BoundaryKind::supersonic_outflow
                                          : BoundaryKind::far_field);
  const Discretization d(m, kinds);
  EXPECT_EQ(static_cast<std::size_t>(d.rows), d.centroid.size());
  for (std::size_t z = 0; z < m.boundary.size(); ++z) {
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      const Vec3 inside = d.centroid[static_cast<std::size_t>(d.face_left[face.index()])];
      const Vec3 behind = d.centroid[static_cast<std::size_t>(d.face_right[face.index()])];
      const double steps = kinds[z] == BoundaryKind::far_field ? 1 : 2;
      EXPECT_LE(norm(behind - inside - steps * 0.125 * m.face_normal[face.index()]), 1e-15);
    }
  }
}

TEST(Discretization, StencilsByNodeHoldTheFaceNeighbours) {
  mesh::BuildOptions options;
  options.ghosts = mesh::Neighbours::node;
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{5}}, {"ny", std::int64_t{5}}}, options);
  const Discretization d(m, std::vector<BoundaryKind>(m.boundary.size(), BoundaryKind::slip_wall), mesh::Neighbours::node);
  for (std::int32_t c = 0; c < m.owned_cells; ++c) {
    const auto i = static_cast<std::size_t>(c);
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
  const Discretization d(m, std::vector<BoundaryKind>(m.boundary.size(), BoundaryKind::far_field));
  for (const Vec3 s : d.projected_area) EXPECT_LE(norm(s - Vec3{0.5, 0.25, 0}), 1e-15);
  for (const double v : d.inverse_volume) EXPECT_DOUBLE_EQ(v, 8);
}

}  // namespace
}  // namespace weft::flow
