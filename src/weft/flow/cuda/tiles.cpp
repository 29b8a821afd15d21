#include "weft/flow/cuda/tiles.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/flow/cuda/tile_builder.hpp"
#include "weft/flow/cuda/tile_numbering.hpp"

namespace weft::flow::detail {
namespace {

bool within(const TileSize& size, const TileSize& limit) {
  return size.cells <= limit.cells && size.rows <= limit.rows && size.faces <= limit.faces && size.entries <= limit.entries;
}

}  // namespace

bool has_stencils_by_node(const Discretization& d) { return d.stencil_row != d.cell_face_row; }

TilePartition::TilePartition(const mesh::Mesh& mesh, const Discretization& d, const TileSize& limit) {
  const bool by_node = has_stencils_by_node(d);
  Numbering rows(d.rows), faces(mesh.faces());
  TileSize size;
  const auto begin = [&] {
    const auto tile = static_cast<std::int32_t>(of_tile.size());
    rows.begin(tile);
    faces.begin(tile);
    size = {};
  };
  const auto end = [&](std::int32_t cell) {
    cell_offset.push_back(cell);
    of_tile.push_back(size);
    begin();
  };
  const auto add = [&](std::int32_t c) {
    rows.add(c);
    for (auto s = static_cast<std::size_t>(d.cell_face_offset[c]); s < static_cast<std::size_t>(d.cell_face_offset[c + 1]); ++s) {
      rows.add(d.cell_face_row[s]);
      faces.add(d.cell_face[s].value());
      ++size.entries;
    }
    if (by_node) {
      for (std::int32_t s = d.stencil_offset[c]; s < d.stencil_offset[c + 1]; ++s) rows.add(d.stencil_row[s]);
    }
    ++size.cells;
    size.rows = rows.count();
    size.faces = faces.count();
  };
  begin();
  const std::int32_t border = mesh.inner_cells == mesh.owned_cells ? mesh.owned_cells : mesh.inner_cells / kTileUnit * kTileUnit;
  for (std::int32_t c = 0; c < mesh.owned_cells; c += kTileUnit) {
    if (c == border) {
      if (size.cells > 0) end(c);
      inner = this->size();
    }
    const auto add_unit = [&] {
      for (std::int32_t i = c; i < std::min(c + kTileUnit, mesh.owned_cells); ++i) add(i);
    };
    const TileSize before = size;
    add_unit();
    if (!within(size, limit) && before.cells > 0) {
      size = before;
      end(c);
      add_unit();
    }
  }
  if (size.cells > 0) end(mesh.owned_cells);
  if (border == mesh.owned_cells) inner = this->size();
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

Tiles::Tiles(const mesh::Mesh& mesh, const Discretization& d, const TilePartition& partition) : inner(partition.inner) {
  TileBuilder(mesh, d, partition, *this).build();
}

Tiles fit_tiles(const mesh::Mesh& mesh, const Discretization& d, const std::function<int(const TileSize&)>& bytes_of_block,
                int per_multiprocessor, int per_block) {
  constexpr int kBlocks = 4;
  constexpr int kMost = std::numeric_limits<int>::max();
  for (const int cells : {128, 124, 120, 116, 112, 104, 96, 80, 64, 48, 32, 16, 8}) {
    const TilePartition whole(mesh, d, {.cells = cells, .rows = kMost, .faces = kMost, .entries = kMost});
    for (const double part : {1.0, 0.98, 0.95, 0.9, 0.8}) {
      const TileSize limit = whole.quantile(part);
      const bool good = bytes_of_block(limit) <= per_multiprocessor / kBlocks || cells <= 32;
      if (!good || bytes_of_block(limit) > per_block) continue;
      const bool all_within = part == 1.0 && (whole.inner == 0 || whole.inner == whole.size());
      Tiles tiles(mesh, d, all_within ? whole : TilePartition(mesh, d, limit));
      if (bytes_of_block(tiles.largest_inner) <= per_block && bytes_of_block(tiles.largest_border) <= per_block) return tiles;
    }
  }
  throw DeviceError("cells of this mesh have so many neighbours that not even eight fit into a block's shared memory",
                    "use stencil = \"face\"");
}

}  // namespace weft::flow::detail
