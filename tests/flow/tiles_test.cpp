// Tiles hold the data of Discretization for the rank's cells, in tile numbers.
#include "weft/flow/cuda/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "weft/base/error.hpp"

#include "flow/solver_settings.hpp"

namespace weft::flow {
namespace {

using detail::fit_tiles;
using detail::TilePartition;
using detail::Tiles;
using detail::TileSize;
using test::generated;
using test::Setting;

class TilesOf : public ::testing::TestWithParam<Setting> {};

TEST_P(TilesOf, HoldTheDiscretization) {
  const mesh::Mesh m = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  const std::vector<BoundaryKind> kinds(m.boundary.size(), BoundaryKind::slip_wall);
  const Discretization d(m, kinds, GetParam().options.ghosts, false);
  const TilePartition partition(m, d, TileSize{12, 1000, 1000, 1000});
  const Tiles t(m, d, partition);
  const auto at = [](const auto& list, std::int64_t i) { return list[static_cast<std::size_t>(i)]; };

  const bool border = m.inner_cells < m.owned_cells;
  std::int32_t cells_before = 0;
  std::size_t ghost_sides = 0;
  std::map<std::int32_t, std::set<std::int32_t>> places;  // slots of faces between two tiles
  std::map<std::int32_t, std::int32_t> across_of;         // by slot
  for (std::int32_t number = 0; number < t.size(); ++number) {
    const detail::Tile& tile = at(t.tile, number);
    const TileSize& most = number < t.inner ? t.largest_inner : t.largest_border;
    const std::int32_t halos = tile.rows - tile.cells, first = tile.first_cell;
    const auto row_of = [&](std::uint32_t local) {
      return static_cast<std::int32_t>(local) < tile.cells
                 ? first + static_cast<std::int32_t>(local)
                 : at(t.halo_row, tile.halo + static_cast<std::int32_t>(local) - tile.cells);
    };
    const TileSize& size = at(partition.of_tile, number);
    EXPECT_EQ(first, cells_before);
    EXPECT_EQ(first % detail::kTileUnit, 0) << "so that rows begin at a multiple of 16 bytes";
    cells_before += tile.cells;
    if (number < t.inner) {
      EXPECT_LE(first + tile.cells, m.inner_cells) << "needs no ghosts";
    } else {
      EXPECT_GT(first, m.inner_cells - detail::kTileUnit);
      EXPECT_TRUE(border);
    }
    EXPECT_EQ(size.cells, tile.cells);
    EXPECT_EQ(size.rows, tile.rows);
    EXPECT_EQ(size.faces, tile.faces);
    EXPECT_EQ(size.entries, tile.entries);
    EXPECT_EQ(tile.entries, at(d.cell_face_offset, first + tile.cells) - at(d.cell_face_offset, first));
    ASSERT_GT(tile.cells, 0);
    ASSERT_LE(tile.cells, 12);
    EXPECT_LE(tile.cells, most.cells);
    EXPECT_LE(tile.rows, most.rows);
    EXPECT_LE(tile.faces, most.faces);
    EXPECT_EQ(tile.first_row % detail::kTileUnit, 0);
    EXPECT_EQ(tile.first_face % detail::kFaceBlock, 0);

    std::set<std::int32_t> rows, faces;
    const std::int32_t boundary_faces = tile.faces - tile.cell_faces;
    for (std::int32_t h = 0; h < halos; ++h) {
      const std::int32_t row = at(t.halo_row, tile.halo + h);
      EXPECT_TRUE(row < first || row >= first + tile.cells);
      EXPECT_TRUE(rows.insert(row).second) << "twice";
      EXPECT_TRUE(row < m.cells() || h >= halos - boundary_faces);
    }
    const auto topology = [&](std::int32_t i) -> std::uint32_t { return at(t.topology, tile.first_topology() + i); };
    const Vec3 origin = at(d.centroid, first);
    for (std::int32_t row = 0; row < tile.rows && !t.stencil_row.empty(); ++row) {
      for (int k = 0; k < m.dim; ++k) {
        const double there = at(t.centroids, std::int64_t{tile.first_row} * m.dim + k * tile.row_stride() + row);
        EXPECT_EQ(there, (at(d.centroid, row_of(static_cast<std::uint32_t>(row))) - origin)[k]);
      }
    }
    const auto column = [&](const std::vector<double>& list, int columns, int k, std::int32_t face) {
      return at(list, detail::in_face_blocks(std::int64_t{tile.first_face} + face, columns) + k * detail::kFaceBlock);
    };
    const int cell_to_face = detail::cell_to_face_columns(m.dim), areas = detail::area_columns(m.dim);
    for (std::int32_t c = 0; c < tile.cells; ++c) {
      const std::int32_t s0 = at(d.cell_face_offset, first + c), faces_of_cell = at(d.cell_face_offset, first + c + 1) - s0;
      ASSERT_EQ(static_cast<std::int32_t>(topology(c + 1) - topology(c)), faces_of_cell);
      for (std::int32_t s = 0; s < faces_of_cell; ++s) {
        const std::uint32_t side = topology(tile.cell_sides() + static_cast<std::int32_t>(topology(c)) + s);
        const auto face = static_cast<std::int32_t>(side & (detail::kRightSide - 1));
        const std::int32_t f = at(d.cell_face, s0 + s);
        EXPECT_EQ(row_of(topology(tile.opposite_rows() + static_cast<std::int32_t>(topology(c)) + s)),
                  at(d.cell_face_row, s0 + s));
        ASSERT_LT(face, tile.faces);
        faces.insert(f);
        const bool is_right = (side & detail::kRightSide) != 0, turned = is_right != (at(d.face_right, f) == first + c);
        const std::int32_t left = turned ? at(d.face_right, f) : at(d.face_left, f),
                           right = turned ? at(d.face_left, f) : at(d.face_right, f);
        EXPECT_EQ(is_right ? right : left, first + c);
        if (right < m.cells()) {
          const bool falls = at(m.cell_global, left) > at(m.cell_global, right);
          EXPECT_FALSE(falls && (left >= m.owned_cells || right >= m.owned_cells)) << "the other rank turns it otherwise";
        }
        const auto own = [&](std::int32_t row) { return row >= first && row < first + tile.cells; };
        const std::int32_t slot = tile.first_face + face, behind = is_right ? left : right;
        const std::int32_t opposite_slot = at(t.opposite_slot, slot);
        EXPECT_EQ(face < tile.inner_faces, own(left) && own(right));
        if (face >= tile.cell_faces) {
          EXPECT_EQ(opposite_slot, right - m.cells());
        } else if (face >= tile.inner_faces) {
          EXPECT_EQ(face >= tile.left_faces, is_right);
          if (behind < m.owned_cells) {
            places[f].insert(slot);
            EXPECT_TRUE(across_of.emplace(slot, opposite_slot).second);
          } else {
            EXPECT_EQ(opposite_slot, slot);
            const auto ghost =
                std::find_if(t.ghost_sides.begin(), t.ghost_sides.end(), [&](const auto& g) { return g.slot == slot; });
            ASSERT_NE(ghost, t.ghost_sides.end());
            EXPECT_EQ(ghost->row, behind);
            EXPECT_EQ(ghost->right, !is_right);
            EXPECT_EQ(ghost->to_face, at(m.face_centroid, f) - at(d.centroid, behind));
            ++ghost_sides;
          }
        }
        EXPECT_EQ(face >= tile.cell_faces, at(d.face_right, f) >= m.cells());
        const Vec3 area = (turned ? -1 : 1) * (at(m.face_area, f) * at(m.face_normal, f));
        for (int k = 0; k < m.dim; ++k) {
          EXPECT_EQ(column(t.cell_to_face, cell_to_face, k, face), (at(m.face_centroid, f) - at(d.centroid, left))[k]);
          EXPECT_EQ(column(t.cell_to_face, cell_to_face, m.dim + k, face), (at(m.face_centroid, f) - at(d.centroid, right))[k]);
          EXPECT_EQ(column(t.areas, areas, k, face), area[k]);
        }
      }
      for (std::int32_t s = at(d.stencil_offset, first + c); s < at(d.stencil_offset, first + c + 1) && !t.stencil_row.empty();
           ++s) {
        EXPECT_EQ(row_of(at(t.stencil_row, s)), at(d.stencil_row, s));
      }
    }
    EXPECT_EQ(static_cast<std::int32_t>(faces.size()), tile.faces) << "each face once";
  }
  EXPECT_EQ(cells_before, m.owned_cells);
  EXPECT_EQ(t.ghost_sides.size(), ghost_sides);
  for (const auto& [face, both] : places) {
    ASSERT_EQ(both.size(), 2U) << "two tiles have it";
    EXPECT_EQ(across_of.at(*both.begin()), *both.rbegin());
    EXPECT_EQ(across_of.at(*both.rbegin()), *both.begin());
  }
}

TEST_P(TilesOf, ObeyTheirLimits) {
  const mesh::Mesh m = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  const std::vector<BoundaryKind> kinds(m.boundary.size(), BoundaryKind::slip_wall);
  const Discretization d(m, kinds, GetParam().options.ghosts, false);
  const TilePartition whole(m, d, {12, 1000, 1000, 1000});
  const TileSize limit = whole.quantile(0.5), most = whole.quantile(1);
  EXPECT_LE(limit.rows, most.rows);
  if (2 * whole.inner <= whole.size()) {
    for (const TileSize& size : whole.of_tile) EXPECT_LE(size.rows, most.rows) << "a few inner cells decide nothing";
  }
  const TilePartition partition(m, d, limit);
  EXPECT_EQ(partition.cell_offset.back(), m.owned_cells);
  for (std::int32_t tile = 0; tile < partition.size(); ++tile) {
    const TileSize& size = partition.of_tile[static_cast<std::size_t>(tile)];
    if (size.cells <= detail::kTileUnit) continue;
    EXPECT_LE(size.rows, limit.rows);
    EXPECT_LE(size.faces, limit.faces);
    EXPECT_LE(size.entries, limit.entries);
  }
}

TEST_P(TilesOf, AreAsLargeAsSharedMemoryAllows) {
  const mesh::Mesh m = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  const std::vector<BoundaryKind> kinds(m.boundary.size(), BoundaryKind::slip_wall);
  const Discretization d(m, kinds, GetParam().options.ghosts, false);
  const auto cells_and_rows = [](const TileSize& most) { return most.cells + most.rows; };
  constexpr int kMost = std::numeric_limits<int>::max(), kMuch = 100'000;
  const auto whole = [&](int cells) { return TilePartition(m, d, {cells, kMost, kMost, kMost}); };
  if (m.owned_cells == 0) return;

  // Border tiles take no more memory than inner ones.
  EXPECT_EQ(fit_tiles(m, d, cells_and_rows, kMuch, kMuch).size(), TilePartition(m, d, whole(128).quantile(1)).size());
  // A fourth holds any tile of 48 cells, and no more.
  const int four = 4 * cells_and_rows(whole(48).quantile(1));
  const Tiles fitted = fit_tiles(m, d, cells_and_rows, four, kMuch);
  EXPECT_TRUE(fitted.inner == 0 || 4 * cells_and_rows(fitted.largest_inner) <= four);
  EXPECT_THROW((void)fit_tiles(m, d, cells_and_rows, kMuch, 9), DeviceError);
}

TEST(Tiles, RefuseMoreThan32BitsCanNumber) {
  const mesh::Mesh m = generated("box", {{"nx", "8"}, {"ny", "8"}}, {});
  const Discretization d(m, std::vector<BoundaryKind>(m.boundary.size(), BoundaryKind::slip_wall));
  for (const TileSize& huge :
       {TileSize{.rows = 1'000'000'000}, TileSize{.faces = 1'000'000'000}, TileSize{.entries = 1'000'000'000}}) {
    TilePartition partition(m, d, {8, 1000, 1000, 1000});
    partition.of_tile.insert(partition.of_tile.end(), 20, huge);
    EXPECT_THROW((void)Tiles(m, d, partition), LimitError);
  }
}

TEST(Tiles, ExampleOfTheHeader) {
  const Communicator self = Communicator::self();
  mesh::BuildOptions options;
  options.order = mesh::CellOrdering::as_read;
  const mesh::Mesh m =
      mesh::build(self, mesh::generate(self, "box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{1}}}), options);
  const Discretization d(m, std::vector<BoundaryKind>(m.boundary.size(), BoundaryKind::far_field));
  const Tiles tiles(m, d, TilePartition(m, d, {4, 1000, 1000, 1000}));
  ASSERT_EQ(tiles.size(), 2);
  const detail::Tile& t = tiles.tile[0];
  EXPECT_EQ(t.rows, 14);
  EXPECT_EQ(t.faces, 13);
  EXPECT_EQ(t.inner_faces, 3);
  EXPECT_EQ(t.left_faces, 4);
  EXPECT_EQ(t.cell_faces, 4);
  const std::vector<std::int32_t> halo{4, 10, 18, 8, 11, 19, 12, 20, 13, 21};
  EXPECT_TRUE(std::equal(halo.begin(), halo.end(), tiles.halo_row.begin()));
  const std::vector<std::uint16_t> sides{0, 4, 8, 12, 16, 4, 0, 5, 6, 7, 1, 8, detail::kRightSide};
  EXPECT_TRUE(std::equal(sides.begin(), sides.end(), tiles.topology.begin()));
  const std::vector<std::uint16_t> rows{5, 1, 6, 7, 8, 2, 9, 0};
  EXPECT_TRUE(std::equal(rows.begin(), rows.end(), tiles.topology.begin() + t.opposite_rows()));
  EXPECT_EQ(tiles.tile[1].first_face, 32);
  EXPECT_EQ(tiles.opposite_slot[3], 35);
  EXPECT_EQ(tiles.opposite_slot[35], 3);
  EXPECT_EQ(tiles.opposite_slot[4], 2);
}

INSTANTIATE_TEST_SUITE_P(Flow, TilesOf, ::testing::ValuesIn(test::settings()), [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(Surrounded, TilesOf, ::testing::ValuesIn(test::surrounded_settings()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace weft::flow
