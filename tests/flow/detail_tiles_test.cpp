// Tiles hold, in numbers of their own, what Discretization says of the rank's cells.
#include <gtest/gtest.h>

#include <set>

#include "weft/flow/detail/tiles.hpp"

#include "flow/solver_settings.hpp"

namespace weft::flow {
namespace {

using detail::TileCut;
using detail::Tiles;
using detail::TileSize;
using test::generated;
using test::Setting;

class TilesOf : public ::testing::TestWithParam<Setting> {};

TEST_P(TilesOf, SayWhatTheDiscretizationSays) {
  const mesh::Mesh m = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  const std::vector<BoundaryKind> kinds(m.boundary.size(), BoundaryKind::slip_wall);
  const Discretization d(m, kinds, GetParam().options.ghosts, false);
  const TileCut cut(m, d, TileSize{12, 1000, 1000, 1000, 1000});
  const Tiles t(m, d, cut);
  const auto at = [](const auto& list, std::int64_t i) { return list[static_cast<std::size_t>(i)]; };

  ASSERT_EQ(t.cell_offset.front(), 0);
  ASSERT_EQ(t.cell_offset.back(), m.owned_cells);
  EXPECT_EQ(at(t.cell_offset, t.inner), m.inner_cells);
  for (std::int32_t tile = 0; tile < t.size(); ++tile) {
    const std::int32_t first = at(t.cell_offset, tile), cells = at(t.cell_offset, tile + 1) - first;
    const std::int32_t halo = at(t.halo_offset, tile), halos = at(t.halo_offset, tile + 1) - halo;
    const std::int32_t begin = at(t.face_offset, tile), end = at(t.face_end, tile);
    const TileSize& most = tile < t.inner ? t.of_inner : t.of_border;
    const auto row_of = [&](std::uint32_t local) {
      return static_cast<std::int32_t>(local) < cells ? first + static_cast<std::int32_t>(local)
                                                      : at(t.halo_row, halo + static_cast<std::int32_t>(local) - cells);
    };
    const TileSize& size = at(cut.of_tile, tile);
    EXPECT_EQ(size.cells, cells);
    EXPECT_EQ(size.rows, cells + halos);
    EXPECT_EQ(size.flux_rows, cells + at(t.face_halo, tile));
    EXPECT_EQ(size.faces, end - begin);
    EXPECT_EQ(size.entries, at(d.cell_face_offset, first + cells) - at(d.cell_face_offset, first));
    ASSERT_GT(cells, 0);
    ASSERT_LE(cells, 12);
    EXPECT_LE(cells, most.cells);
    EXPECT_LE(cells + halos, most.rows);
    EXPECT_LE(cells + at(t.face_halo, tile), most.flux_rows);
    EXPECT_LE(end - begin, most.faces);
    EXPECT_EQ(begin % 2, 0);

    std::set<std::int32_t> rows, faces;
    for (std::int32_t h = halo; h < halo + halos; ++h) {
      EXPECT_TRUE(at(t.halo_row, h) < first || at(t.halo_row, h) >= first + cells);
      EXPECT_TRUE(rows.insert(at(t.halo_row, h)).second) << "twice";
      EXPECT_EQ(h < halo + at(t.face_halo, tile) || at(t.halo_row, h) < m.cells() ||
                    h >= halo + halos - (end - at(t.face_boundary, tile)),
                true);
    }
    for (std::int32_t c = first; c < first + cells; ++c) {
      for (std::int32_t s = at(d.cell_face_offset, c); s < at(d.cell_face_offset, c + 1); ++s) {
        const std::uint32_t face = at(t.cell_sides, s) & 0xffffU;
        const std::int32_t f = at(d.cell_face, s), i = begin + static_cast<std::int32_t>(face);
        EXPECT_EQ(row_of(at(t.cell_sides, s) >> 16U), at(d.cell_face_row, s));
        ASSERT_LT(i, end);
        faces.insert(f);
        EXPECT_EQ(row_of(at(t.sides, i) & 0xffffU), at(d.face_left, f));
        EXPECT_EQ(row_of(at(t.sides, i) >> 16U), at(d.face_right, f));
        EXPECT_EQ(i >= at(t.face_boundary, tile), at(d.face_right, f) >= m.cells());
        EXPECT_EQ((Vec3{at(t.normal_x, i), at(t.normal_y, i), at(t.normal_z, i)}), at(m.face_normal, f));
        EXPECT_EQ((Vec3{at(t.centroid_x, i), at(t.centroid_y, i), at(t.centroid_z, i)}), at(m.face_centroid, f));
        EXPECT_EQ(at(t.area, i), at(m.face_area, f));
      }
      for (std::int32_t s = at(d.stencil_offset, c); s < at(d.stencil_offset, c + 1) && !t.stencil_row.empty(); ++s) {
        EXPECT_EQ(row_of(at(t.stencil_row, s)), at(d.stencil_row, s));
      }
    }
    EXPECT_EQ(static_cast<std::int32_t>(faces.size()), end - begin) << "each face once";
  }
}

TEST_P(TilesOf, HeedTheirLimits) {
  const mesh::Mesh m = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  const std::vector<BoundaryKind> kinds(m.boundary.size(), BoundaryKind::slip_wall);
  const Discretization d(m, kinds, GetParam().options.ghosts, false);
  const TileCut whole(m, d, {12, 1000, 1000, 1000, 1000});
  const TileSize limit = whole.quantile(0.5), most = whole.quantile(1);
  EXPECT_LE(limit.rows, most.rows);
  const TileCut cut(m, d, limit);
  EXPECT_EQ(cut.cell_offset.back(), m.owned_cells);
  EXPECT_EQ(cut.cell_offset[static_cast<std::size_t>(cut.inner)], m.inner_cells);
  for (std::int32_t tile = 0; tile < cut.inner; ++tile) {
    const TileSize& size = cut.of_tile[static_cast<std::size_t>(tile)];
    if (size.cells == 1) continue;
    EXPECT_LE(size.rows, limit.rows);
    EXPECT_LE(size.flux_rows, limit.flux_rows);
    EXPECT_LE(size.faces, limit.faces);
    EXPECT_LE(size.entries, limit.entries);
  }
}

INSTANTIATE_TEST_SUITE_P(Flow, TilesOf, ::testing::ValuesIn(test::settings()), [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace weft::flow
