// Tiles hold the data of Discretization for the rank's cells, in tile numbers.
#include "weft/flow/cuda/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "weft/base/error.hpp"

#include "flow/solver_settings.hpp"

namespace weft::flow::tiles_test {
namespace {

using detail::fit_tiles;
using detail::TilePartition;
using detail::Tiles;
using detail::TileSize;
using test::generated;
using test::Setting;

class TilesOf : public ::testing::TestWithParam<Setting> {};

/// Compares tiles with the mesh and the discretization that they were made from.
class TileCheck {
 public:
  TileCheck(const mesh::Mesh& mesh, const Discretization& discretization, const TilePartition& partition, const Tiles& tiles)
      : m_(mesh), d_(discretization), partition_(partition), t_(tiles) {}

  /// Expects the data of tile `number`. @param first  its first cell: the end of the one before.
  void check_tile(std::int32_t number, std::int32_t first) {
    tile_ = &t_.tile[number];
    faces_.clear();
    check_sizes(number, first);
    ASSERT_GT(tile_->cells, 0);
    ASSERT_LE(tile_->cells, 12);
    check_rows();
    for (std::int32_t c = 0; c < tile_->cells; ++c) check_cell(c);
    EXPECT_EQ(std::ssize(faces_), tile_->faces) << "each face once";
  }
  /// Expects each face between two tiles in both, and no other ghost sides than those of the tiles.
  void check_slots() const {
    EXPECT_EQ(t_.ghost_sides.size(), ghost_sides_);
    for (const auto& [face, both] : slots_) {
      ASSERT_EQ(both.size(), 2U) << "two tiles have it";
      EXPECT_EQ(opposite_.at(*both.begin()), *both.rbegin());
      EXPECT_EQ(opposite_.at(*both.rbegin()), *both.begin());
    }
  }

 private:
  [[nodiscard]] bool own(std::int32_t row) const { return row >= tile_->first_cell && row < tile_->first_cell + tile_->cells; }
  [[nodiscard]] std::int32_t row_of(std::uint32_t local) const {
    const auto row = static_cast<std::int32_t>(local);
    return row < tile_->cells ? tile_->first_cell + row : t_.halo_row[tile_->halo + row - tile_->cells];
  }
  [[nodiscard]] std::uint32_t topology(std::int32_t i) const { return t_.topology[tile_->first_topology() + i]; }
  /// Returns entry k of a face in blocks of faces with so many columns.
  [[nodiscard]] double entry(std::span<const double> list, int columns, int k, std::int32_t face) const {
    return list[detail::in_face_blocks(std::int64_t{tile_->first_face} + face, columns) + k * detail::kFaceBlock];
  }

  void check_sizes(std::int32_t number, std::int32_t first) const {
    const TileSize& size = partition_.of_tile[number];
    const TileSize& most = number < t_.inner ? t_.largest_inner : t_.largest_border;
    EXPECT_EQ(tile_->first_cell, first);
    EXPECT_EQ(first % detail::kTileUnit, 0) << "so that rows begin at a multiple of 16 bytes";
    if (number < t_.inner) {
      EXPECT_LE(first + tile_->cells, m_.inner_cells) << "needs no ghosts";
    } else {
      EXPECT_GT(first, m_.inner_cells - detail::kTileUnit);
      EXPECT_LT(m_.inner_cells, m_.owned_cells);
    }
    EXPECT_EQ(size.cells, tile_->cells);
    EXPECT_EQ(size.rows, tile_->rows);
    EXPECT_EQ(size.faces, tile_->faces);
    EXPECT_EQ(size.entries, tile_->entries);
    EXPECT_EQ(tile_->entries, d_.cell_face_offset[first + tile_->cells] - d_.cell_face_offset[first]);
    EXPECT_LE(tile_->cells, most.cells);
    EXPECT_LE(tile_->rows, most.rows);
    EXPECT_LE(tile_->faces, most.faces);
    EXPECT_EQ(tile_->first_row % detail::kTileUnit, 0);
    EXPECT_EQ(tile_->first_face % detail::kFaceBlock, 0);
  }

  void check_rows() const {
    std::set<std::int32_t> rows;
    const std::int32_t halos = tile_->rows - tile_->cells, boundary_faces = tile_->faces - tile_->cell_faces;
    for (std::int32_t h = 0; h < halos; ++h) {
      const std::int32_t row = t_.halo_row[tile_->halo + h];
      EXPECT_FALSE(own(row));
      EXPECT_TRUE(rows.insert(row).second) << "twice";
      EXPECT_TRUE(row < m_.cells() || h >= halos - boundary_faces);
    }
    const Vec3 origin = d_.centroid[LocalRow(tile_->first_cell)];
    for (std::int32_t row = 0; row < tile_->rows && !t_.stencil_row.empty(); ++row) {
      for (int k = 0; k < m_.dim; ++k) {
        const double there = t_.centroids[std::int64_t{tile_->first_row} * m_.dim + k * tile_->row_stride() + row];
        EXPECT_EQ(there, (d_.centroid[LocalRow(row_of(static_cast<std::uint32_t>(row)))] - origin)[k]);
      }
    }
  }

  void check_cell(std::int32_t c) {
    const std::int32_t cell = tile_->first_cell + c, s0 = d_.cell_face_offset[cell];
    const std::int32_t faces_of_cell = d_.cell_face_offset[cell + 1] - s0;
    const auto begin = static_cast<std::int32_t>(topology(c));
    ASSERT_EQ(static_cast<std::int32_t>(topology(c + 1)) - begin, faces_of_cell);
    for (std::int32_t s = 0; s < faces_of_cell; ++s) {
      EXPECT_EQ(row_of(topology(tile_->opposite_rows() + begin + s)), d_.cell_face_row[s0 + s]);
      check_side(cell, topology(tile_->cell_sides() + begin + s), d_.cell_face[s0 + s]);
    }
    for (std::int32_t s = d_.stencil_offset[cell]; s < d_.stencil_offset[cell + 1] && !t_.stencil_row.empty(); ++s) {
      EXPECT_EQ(row_of(t_.stencil_row[s]), d_.stencil_row[s]);
    }
  }

  /// @param side  of face f, in the numbers of the tile.
  void check_side(std::int32_t cell, std::uint32_t side, mesh::LocalFaceId f) {
    const auto face = static_cast<std::int32_t>(side & (detail::kRightSide - 1));
    ASSERT_LT(face, tile_->faces);
    faces_.insert(f.value());
    const bool is_right = (side & detail::kRightSide) != 0, turned = is_right != (d_.face_right[f] == cell);
    const std::int32_t left = turned ? d_.face_right[f] : d_.face_left[f], right = turned ? d_.face_left[f] : d_.face_right[f];
    EXPECT_EQ(is_right ? right : left, cell);
    if (right < m_.cells()) {
      const bool falls = m_.cell_global[mesh::LocalCellId(left)] > m_.cell_global[mesh::LocalCellId(right)];
      EXPECT_FALSE(falls && (left >= m_.owned_cells || right >= m_.owned_cells)) << "the other rank turns it otherwise";
    }
    EXPECT_EQ(face < tile_->inner_faces, own(left) && own(right));
    EXPECT_EQ(face >= tile_->cell_faces, d_.face_right[f] >= m_.cells());
    check_slot(face, f, is_right, left, right);

    const Vec3 area = (turned ? -1 : 1) * (m_.face_area[f] * m_.face_normal[f]);
    const int to_face = detail::cell_to_face_columns(m_.dim), areas = detail::area_columns(m_.dim);
    for (int k = 0; k < m_.dim; ++k) {
      EXPECT_EQ(entry(t_.cell_to_face, to_face, k, face), (m_.face_centroid[f] - d_.centroid[LocalRow(left)])[k]);
      EXPECT_EQ(entry(t_.cell_to_face, to_face, m_.dim + k, face), (m_.face_centroid[f] - d_.centroid[LocalRow(right)])[k]);
      EXPECT_EQ(entry(t_.areas, areas, k, face), area[k]);
    }
  }

  void check_slot(std::int32_t face, mesh::LocalFaceId f, bool is_right, std::int32_t left, std::int32_t right) {
    const std::int32_t slot = tile_->first_face + face, behind = is_right ? left : right;
    const std::int32_t opposite_slot = t_.opposite_slot[slot];
    if (face >= tile_->cell_faces) {
      EXPECT_EQ(opposite_slot, right - m_.cells());
      return;
    }
    if (face < tile_->inner_faces) return;
    EXPECT_EQ(face >= tile_->left_faces, is_right);
    if (behind < m_.owned_cells) {
      slots_[f.value()].insert(slot);
      EXPECT_TRUE(opposite_.emplace(slot, opposite_slot).second);
      return;
    }
    EXPECT_EQ(opposite_slot, slot);
    const auto ghost = std::ranges::find(t_.ghost_sides, slot, &detail::GhostSide::slot);
    ASSERT_NE(ghost, t_.ghost_sides.end());
    EXPECT_EQ(ghost->row, behind);
    EXPECT_EQ(ghost->right, !is_right);
    EXPECT_EQ(ghost->to_face, m_.face_centroid[f] - d_.centroid[LocalRow(behind)]);
    ++ghost_sides_;
  }

  const mesh::Mesh& m_;
  const Discretization& d_;
  const TilePartition& partition_;
  const Tiles& t_;
  const detail::Tile* tile_ = nullptr;                    ///< the present one
  std::set<std::int32_t> faces_;                          ///< faces of the present tile
  std::map<std::int32_t, std::set<std::int32_t>> slots_;  ///< slots of faces between two tiles
  std::map<std::int32_t, std::int32_t> opposite_;         ///< by slot
  std::size_t ghost_sides_ = 0;
};

TEST_P(TilesOf, HoldTheDiscretization) {
  const mesh::Mesh m = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  const BoundaryKinds kinds(m.boundary.size(), BoundaryKind::slip_wall);
  const Discretization d(m, kinds, GetParam().options.stencil, false);
  const TilePartition partition(m, d, TileSize{12, 1000, 1000, 1000});
  const Tiles t(m, d, partition);
  TileCheck check(m, d, partition, t);
  std::int32_t cells_before = 0;
  for (std::int32_t number = 0; number < t.size(); ++number) {
    ASSERT_NO_FATAL_FAILURE(check.check_tile(number, cells_before)) << "tile " << number;
    cells_before += t.tile[number].cells;
  }
  EXPECT_EQ(cells_before, m.owned_cells);
  check.check_slots();
}

TEST_P(TilesOf, ObeyTheirLimits) {
  const mesh::Mesh m = generated(GetParam().generator, GetParam().parameters, GetParam().options);
  const BoundaryKinds kinds(m.boundary.size(), BoundaryKind::slip_wall);
  const Discretization d(m, kinds, GetParam().options.stencil, false);
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
  const BoundaryKinds kinds(m.boundary.size(), BoundaryKind::slip_wall);
  const Discretization d(m, kinds, GetParam().options.stencil, false);
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
  const Discretization d(m, BoundaryKinds(m.boundary.size(), BoundaryKind::slip_wall));
  for (const TileSize& huge :
       {TileSize{.rows = 1'000'000'000}, TileSize{.faces = 1'000'000'000}, TileSize{.entries = 1'000'000'000}}) {
    TilePartition partition(m, d, {8, 1000, 1000, 1000});
    partition.of_tile.insert(partition.of_tile.end(), 20, huge);
    partition.cell_offset.insert(partition.cell_offset.end(), 20, m.owned_cells);
    EXPECT_THROW((void)Tiles(m, d, partition), LimitError);
  }
}

TEST(Tiles, ExampleOfTheHeader) {
  const Communicator self = Communicator::self();
  mesh::BuildOptions options;
  options.order = mesh::CellOrdering::as_read;
  const mesh::Mesh m =
      mesh::build(self, mesh::generate(self, "box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{1}}}), options);
  const Discretization d(m, BoundaryKinds(m.boundary.size(), BoundaryKind::far_field));
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
}  // namespace weft::flow::tiles_test
