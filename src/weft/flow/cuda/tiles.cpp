#include "weft/flow/cuda/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/flow/cuda/tile_builder.hpp"
#include "weft/flow/cuda/tile_numbering.hpp"

namespace weft::flow::detail {
namespace {

bool within(const TileSize& size, const TileSize& limit) {
  return size.cells <= limit.cells && size.rows <= limit.rows && size.faces <= limit.faces && size.entries <= limit.entries;
}

/// Divides a part of the cells into tiles.
class PartDivider {
 public:
  PartDivider(const Discretization& d, const TileSize& limit, bool by_node) : d_(d), limit_(limit), by_node_(by_node) {}

  std::vector<std::int32_t> ends;  ///< first cell after each tile
  std::vector<TileSize> sizes;

  /// Divides the cells first <= c < last. A tile ends at `border`.
  void divide(std::int32_t first, std::int32_t last, std::int32_t border) {
    begin(first);
    for (std::int32_t c = first; c < last; c += kTileUnit) {
      if (c == border && size_.cells > 0) end(c);
      const std::int32_t next = std::min(c + kTileUnit, last);
      const TileSize before = size_;
      for (std::int32_t i = c; i < next; ++i) add(i);
      if (!within(size_, limit_) && before.cells > 0) {
        size_ = before;
        end(c);
        for (std::int32_t i = c; i < next; ++i) add(i);
      }
    }
    if (size_.cells > 0) end(last);
  }

 private:
  void begin(std::int32_t first) {
    first_ = first;
    rows_.begin();
    size_ = {};
  }
  void end(std::int32_t cell) {
    ends.push_back(cell);
    sizes.push_back(size_);
    begin(cell);
  }
  /// Adds a cell that follows those of the tile.
  void add(std::int32_t c) {
    rows_.add(c);
    for (auto s = static_cast<std::size_t>(d_.cell_face_offset[c]); s < static_cast<std::size_t>(d_.cell_face_offset[c + 1]);
         ++s) {
      ++size_.entries;
      const std::int32_t opposite = d_.cell_face_row[s];
      if (first_ <= opposite && opposite < c) continue;  // both the row and the face are known from that cell
      rows_.add(opposite);
      ++size_.faces;
    }
    if (by_node_) {
      for (std::int32_t s = d_.stencil_offset[c]; s < d_.stencil_offset[c + 1]; ++s) rows_.add(d_.stencil_row[s]);
    }
    ++size_.cells;
    size_.rows = rows_.count();
  }

  const Discretization& d_;
  const TileSize& limit_;
  const bool by_node_;
  std::int32_t first_ = 0;  ///< first cell of the present tile
  Numbering rows_;
  TileSize size_;
};

}  // namespace

TilePartition::TilePartition(const mesh::Mesh& mesh, const Discretization& d, const TileSize& limit, Team& team) {
  constexpr std::int64_t kTilesPerPart = 512, kMostCells = 1 << 16;
  const std::int64_t per_part = kTilesPerPart * round_up_to_unit(static_cast<std::int32_t>(std::clamp<std::int64_t>(
                                                    limit.cells / kTileUnit * kTileUnit, kTileUnit, kMostCells)));
  const std::int32_t border = mesh.inner_cells == mesh.owned_cells ? mesh.owned_cells : mesh.inner_cells / kTileUnit * kTileUnit;
  std::vector<PartDivider> dividers(static_cast<std::size_t>(shares_of(team, mesh.owned_cells)),
                                    PartDivider(d, limit, d.stencils_by_node));
  for_shares(team, mesh.owned_cells, [&](LoopShare share) {  // each thread divides the parts that begin within its share
    for (std::int64_t first = (share.begin + per_part - 1) / per_part * per_part; first < share.end; first += per_part) {
      const std::int64_t last = std::min<std::int64_t>(first + per_part, mesh.owned_cells);
      dividers[share.number].divide(static_cast<std::int32_t>(first), static_cast<std::int32_t>(last), border);
    }
  });
  for (const PartDivider& divider : dividers) {
    cell_offset.insert(cell_offset.end(), divider.ends.begin(), divider.ends.end());
    of_tile.insert(of_tile.end(), divider.sizes.begin(), divider.sizes.end());
  }
  inner =
      static_cast<std::int32_t>(std::upper_bound(cell_offset.begin() + 1, cell_offset.end(), border) - cell_offset.begin()) - 1;
}

TileSize TilePartition::quantile(double part) const {
  const std::int32_t tiles = 2 * inner > size() ? inner : size();
  if (tiles == 0) return {};
  std::vector<int> values(tiles);
  const auto of = [&](int TileSize::*number) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = of_tile[i].*number;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(tiles - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  return {of(&TileSize::cells), of(&TileSize::rows), of(&TileSize::faces), of(&TileSize::entries)};
}

Tiles::Tiles(const mesh::Mesh& mesh, const Discretization& d, const TilePartition& partition, Team& team)
    : inner(partition.inner) {
  TilesBuilder(mesh, d, partition, *this, team).build();
}

Tiles fit_tiles(const mesh::Mesh& mesh, const Discretization& d, const std::function<int(const TileSize&)>& bytes_of_block,
                int per_multiprocessor, int per_block, Team& team) {
  constexpr int kBlocks = 4;
  constexpr int kMost = std::numeric_limits<int>::max();
  for (const int cells : {128, 124, 120, 116, 112, 104, 96, 80, 64, 48, 32, 16, 8}) {
    const TilePartition whole(mesh, d, {.cells = cells, .rows = kMost, .faces = kMost, .entries = kMost}, team);
    for (const double part : {1.0, 0.98, 0.95, 0.9, 0.8}) {
      const TileSize limit = whole.quantile(part);
      const bool good = bytes_of_block(limit) <= per_multiprocessor / kBlocks || cells <= 32;
      if (!good || bytes_of_block(limit) > per_block) continue;
      const bool all_within = part == 1.0 && (whole.inner == 0 || whole.inner == whole.size());
      Tiles tiles(mesh, d, all_within ? whole : TilePartition(mesh, d, limit, team), team);
      if (bytes_of_block(tiles.largest_inner) <= per_block && bytes_of_block(tiles.largest_border) <= per_block) return tiles;
    }
  }
  throw DeviceError("cells of this mesh have so many neighbours that not even eight fit into a block's shared memory",
                    fmt::format("use stencil = \"{}\"", name_of(mesh::Neighbours::face)));
}

}  // namespace weft::flow::detail
