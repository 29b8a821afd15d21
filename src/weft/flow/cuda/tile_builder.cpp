#include "weft/flow/cuda/tile_builder.hpp"

#include <algorithm>
#include <limits>

#include "weft/base/error.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"

namespace weft::flow::detail {
namespace {

void raise_to(TileSize& most, const TileSize& size) {
  most.cells = std::max(most.cells, size.cells);
  most.rows = std::max(most.rows, size.rows);
  most.faces = std::max(most.faces, size.faces);
  most.entries = std::max(most.entries, size.entries);
}

}  // namespace

void TilesBuilder::place_tiles() {
  std::int64_t halos = 0, all_rows = 0, slots = 0, eights = 0;
  const bool by_node = d_.stencils_by_node;
  tiles_.tile.reserve(partition_.of_tile.size());
  for (std::int32_t t = 0; t < partition_.size(); ++t) {
    const TileSize& size = partition_.of_tile[t];
    tiles_.tile.push_back({.first_cell = partition_.cell_offset[t],
                           .cells = partition_.cell_offset[t + 1] - partition_.cell_offset[t],
                           .halo = checked_local(halos, "rows around tiles"),
                           .first_row = by_node ? checked_local(all_rows, "rows of tiles") : 0,
                           .first_face = checked_local(slots, "faces of tiles"),
                           .topology = checked_local(eights, "topology of tiles")});
    halos += size.rows - size.cells;
    all_rows += round_up_to_unit(size.rows);
    slots += std::int64_t{face_blocks(size.faces)} * kFaceBlock;
    eights += (std::int64_t{round_up_to_eight(size.cells + 1 + size.entries)} + round_up_to_eight(size.entries)) / 8;
    raise_to(t < partition_.inner ? tiles_.largest_inner : tiles_.largest_border, size);
  }
  const std::size_t sides = to_index(checked_local(slots, "faces of tiles"));
  const std::size_t rows = by_node ? to_index(checked_local(all_rows, "rows of tiles")) : 0;
  const std::size_t halo_rows = to_index(checked_local(halos, "rows around tiles"));
  const std::size_t topology = to_index(checked_local(eights, "topology of tiles")) * 8;
  resize_by_team(team_, tiles_.halo_row, halo_rows);
  resize_by_team(team_, tiles_.topology, topology);
  resize_by_team(team_, tiles_.opposite_slot, sides);
  resize_by_team(team_, tiles_.cell_to_face, sides * to_index(cell_to_face_columns(mesh_.dim)));
  resize_by_team(team_, tiles_.areas, sides * to_index(area_columns(mesh_.dim)));
  resize_by_team(team_, tiles_.centroids, rows * to_index(mesh_.dim));
  if (by_node) resize_by_team(team_, tiles_.stencil_row, d_.stencil_row.size());
}

template <class Job>
void TilesBuilder::each_tile(std::vector<TileBuilder>& builders, const Job& job) {
  for_shares(team_, mesh_.owned_cells, [&](LoopShare share) {
    const auto first = std::lower_bound(partition_.cell_offset.begin(), partition_.cell_offset.end() - 1, share.begin);
    const auto last = std::lower_bound(first, partition_.cell_offset.end() - 1, share.end);
    const auto begin = partition_.cell_offset.begin();
    for (auto t = first - begin; t < last - begin; ++t) job(builders[share.number], static_cast<std::int32_t>(t));
  });
}

void TilesBuilder::build() {
  place_tiles();
  std::vector<std::int32_t> tile_of_unit(round_up_to_unit(mesh_.owned_cells) / kTileUnit);
  for (std::int32_t t = 0; t < partition_.size(); ++t) {
    const std::int32_t end = partition_.cell_offset[t + 1];
    for (std::int32_t c = partition_.cell_offset[t]; c < end; c += kTileUnit) tile_of_unit[c / kTileUnit] = t;
  }
  IdVector<mesh::LocalFaceId, std::int32_t> first_slot;
  resize_by_team(team_, first_slot, mesh_.faces());
  std::vector<TileBuilder> builders(static_cast<std::size_t>(shares_of(team_, mesh_.owned_cells)),
                                    TileBuilder(mesh_, d_, tile_of_unit, first_slot, tiles_));
  each_tile(builders, [](TileBuilder& builder, std::int32_t t) { builder.build(t); });
  each_tile(builders, [](TileBuilder& builder, std::int32_t t) { builder.connect(t); });
  for (const TileBuilder& builder : builders) {
    tiles_.ghost_sides.insert(tiles_.ghost_sides.end(), builder.ghost_sides.begin(), builder.ghost_sides.end());
  }
}

TileBuilder::TileBuilder(const mesh::Mesh& mesh, const Discretization& d, const std::vector<std::int32_t>& tile_of_unit,
                         IdVector<mesh::LocalFaceId, std::int32_t>& first_slot, Tiles& tiles)
    : mesh_(mesh), d_(d), tile_of_unit_(tile_of_unit), first_slot_(first_slot), tiles_(tiles), by_node_(d.stencils_by_node) {}

void TileBuilder::build(std::int32_t number) {
  begin(number);
  collect_faces();
  collect_rows();
  number_faces();
  enter_topology();
  enter_face_geometry();
  enter_slots();
  if (by_node_) enter_stencils();
  tiles_.tile[number] = tile_;
}

void TileBuilder::begin(std::int32_t number) {
  tile_ = tiles_.tile[number];
  first_ = tile_.first_cell;
  last_ = first_ + tile_.cells;
  next_halo_ = tile_.halo;
  rows_.begin();
  faces_.begin();
  inner_faces_.clear();
  interface_faces_.clear();
  boundary_faces_.clear();
  face_list_.clear();
}

template <class Visit>
void TileBuilder::each_side(std::int32_t cell, const Visit& visit) const {
  for (std::int32_t s = d_.cell_face_offset[cell]; s < d_.cell_face_offset[cell + 1]; ++s) visit(static_cast<std::size_t>(s));
}

void TileBuilder::add_halo(std::int32_t row) {
  if (!is_own(row) && rows_.add(row)) tiles_.halo_row[next_halo_++] = row;
}

std::int32_t TileBuilder::tile_of(std::int32_t cell) const { return tile_of_unit_[cell / kTileUnit]; }

bool TileBuilder::reversed(mesh::LocalFaceId f) const {
  const mesh::LocalCellId right = mesh_.face_right[f];
  return right.value() >= mesh_.owned_cells && mesh_.cell_global[right] < mesh_.cell_global[mesh_.face_left[f]];
}

Vec3 TileBuilder::to_face(mesh::LocalFaceId f, std::int32_t row) const {
  return mesh_.face_centroid[f] - d_.centroid[LocalRow(row)];
}

void TileBuilder::collect_faces() {
  for (std::int32_t c = first_; c < last_; ++c) {
    each_side(c, [&](std::size_t s) {
      const std::int32_t opposite = d_.cell_face_row[s];
      const mesh::LocalFaceId face = d_.cell_face[s];
      if (opposite >= mesh_.cells()) {
        boundary_faces_.push_back(face);
        return;
      }
      if (is_own(opposite)) {
        if (opposite > c) inner_faces_.push_back(face);  // once
        return;
      }
      add_halo(opposite);
      const bool to_the_right = d_.face_right[face] == c;
      interface_faces_.emplace_back(
          to_the_right != reversed(face),
          opposite < mesh_.owned_cells ? tile_of(opposite) : static_cast<std::int32_t>(tiles_.tile.size()), face);
    });
  }
  // Two tiles have the faces between them in the same order, so that reads of opposite states are contiguous.
  std::sort(interface_faces_.begin(), interface_faces_.end());
}

void TileBuilder::collect_rows() {
  if (by_node_) {
    for (std::int32_t s = d_.stencil_offset[first_]; s < d_.stencil_offset[last_]; ++s) {
      const std::int32_t row = d_.stencil_row[s];
      if (row < mesh_.cells()) add_halo(row);
    }
  }
  for (const mesh::LocalFaceId f : boundary_faces_) add_halo(d_.face_right[f]);
  tile_.rows = tile_.cells + rows_.count();
}

void TileBuilder::number_faces() {
  const auto add = [&](mesh::LocalFaceId face) {
    (void)faces_.add(face.value());
    face_list_.push_back(face);
  };
  for (const mesh::LocalFaceId f : inner_faces_) add(f);
  tile_.inner_faces = faces_.count();
  const auto own_right =
      std::find_if(interface_faces_.begin(), interface_faces_.end(), [](const InterfaceFace& f) { return f.own_right(); });
  for (auto f = interface_faces_.begin(); f != own_right; ++f) add(f->face());
  tile_.left_faces = faces_.count();
  for (auto f = own_right; f != interface_faces_.end(); ++f) add(f->face());
  tile_.cell_faces = faces_.count();
  for (const mesh::LocalFaceId f : boundary_faces_) add(f);
  tile_.faces = faces_.count();
  tile_.entries = d_.cell_face_offset[last_] - d_.cell_face_offset[first_];
  constexpr int kMost = std::numeric_limits<std::uint16_t>::max();
  if (tile_.rows > kMost || faces_.count() >= static_cast<int>(kRightSide)) {
    throw LimitError("a tile has more than 65535 rows or 32767 faces", "make tiles of fewer cells");
  }
}

void TileBuilder::enter_topology() {
  auto next = tiles_.topology.begin() + tile_.first_topology();
  // A face has at most two sides, so indices of sides also fit into 16 bits.
  for (std::int32_t c = first_; c <= last_; ++c) {
    *next++ = static_cast<std::uint16_t>(d_.cell_face_offset[c] - d_.cell_face_offset[first_]);
  }
  for (std::int32_t c = first_; c < last_; ++c) {
    each_side(c, [&](std::size_t s) {
      const mesh::LocalFaceId f = d_.cell_face[s];
      const std::uint16_t side = (d_.face_left[f] == c) == reversed(f) ? kRightSide : 0;
      *next++ = static_cast<std::uint16_t>(faces_[f.value()] | side);
    });
  }
  next = tiles_.topology.begin() + tile_.first_topology() + tile_.opposite_rows();
  for (std::int32_t c = first_; c < last_; ++c) {
    each_side(c, [&](std::size_t s) { *next++ = number_of(d_.cell_face_row[s]); });
  }
}

void TileBuilder::enter_face_geometry() {
  for (std::int32_t i = 0; i < tile_.faces; ++i) {
    const mesh::LocalFaceId f = face_list_[i];
    const auto put = [&](TeamVector<double>& list, int list_columns, int column, double value) {
      const std::int64_t row = in_face_blocks(std::int64_t{tile_.first_face} + i, list_columns);
      list[row + column * kFaceBlock] = value;
    };
    const bool turn = reversed(f);
    const Vec3 left_to_face = to_face(f, turn ? d_.face_right[f] : d_.face_left[f]);
    const Vec3 right_to_face = to_face(f, turn ? d_.face_left[f] : d_.face_right[f]);
    const Vec3 area = (turn ? -d_.face_area[f] : d_.face_area[f]) * d_.face_normal[f];
    for (int k = 0; k < mesh_.dim; ++k) {
      put(tiles_.cell_to_face, cell_to_face_columns(mesh_.dim), k, left_to_face[k]);
      put(tiles_.cell_to_face, cell_to_face_columns(mesh_.dim), mesh_.dim + k, right_to_face[k]);
      put(tiles_.areas, area_columns(mesh_.dim), k, area[k]);
    }
  }
}

void TileBuilder::enter_slots() {
  for (std::int32_t i = tile_.inner_faces; i < tile_.faces; ++i) {
    const mesh::LocalFaceId f = face_list_[i];
    const std::int32_t right = d_.face_right[f], slot = tile_.first_face + i;
    std::int32_t& opposite = tiles_.opposite_slot[slot];
    if (i >= tile_.cell_faces) {
      opposite = right - mesh_.cells();
    } else if (right >= mesh_.owned_cells) {  // a ghost is never on the left of a face of the mesh
      opposite = slot;
      ghost_sides.push_back({.row = right, .slot = slot, .right = !reversed(f), .to_face = to_face(f, right)});
    } else if (i < tile_.left_faces) {
      first_slot_[f] = slot;
    } else {
      opposite = ~f.value();  // negative: for connect()
    }
  }
}

void TileBuilder::connect(std::int32_t number) {
  const Tile& tile = tiles_.tile[number];
  for (std::int32_t slot = tile.first_face + tile.left_faces; slot < tile.first_face + tile.cell_faces; ++slot) {
    std::int32_t& opposite = tiles_.opposite_slot[slot];
    if (opposite >= 0) continue;
    opposite = first_slot_[mesh::LocalFaceId(~opposite)];
    tiles_.opposite_slot[opposite] = slot;
  }
}

void TileBuilder::enter_stencils() {
  const Vec3 origin = d_.centroid[LocalRow(first_)];
  auto column = tiles_.centroids.begin() + std::int64_t{tile_.first_row} * mesh_.dim;
  for (int k = 0; k < mesh_.dim; ++k, column += tile_.row_stride()) {
    for (std::int32_t i = 0; i < tile_.rows; ++i) {
      const std::int32_t row = i < tile_.cells ? first_ + i : tiles_.halo_row[tile_.halo + i - tile_.cells];
      column[i] = (d_.centroid[LocalRow(row)] - origin)[k];
    }
  }
  for (auto s = static_cast<std::size_t>(d_.stencil_offset[first_]); s < static_cast<std::size_t>(d_.stencil_offset[last_]);
       ++s) {
    tiles_.stencil_row[s] = number_of(d_.stencil_row[s]);
  }
}

}  // namespace weft::flow::detail
