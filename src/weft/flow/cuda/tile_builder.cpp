#include "weft/flow/cuda/tile_builder.hpp"

#include <algorithm>
#include <limits>

#include "weft/base/error.hpp"

namespace weft::flow::detail {
namespace {

void raise_to(TileSize& most, const TileSize& size) {
  most.cells = std::max(most.cells, size.cells);
  most.rows = std::max(most.rows, size.rows);
  most.faces = std::max(most.faces, size.faces);
  most.entries = std::max(most.entries, size.entries);
}

}  // namespace

TileBuilder::TileBuilder(const mesh::Mesh& mesh, const Discretization& d, const TilePartition& partition, Tiles& tiles)
    : mesh_(mesh),
      d_(d),
      partition_(partition),
      tiles_(tiles),
      by_node_(has_stencils_by_node(d)),
      rows_(d.rows),
      faces_(mesh.faces()),
      first_slot_(mesh.faces(), -1),
      tile_of_unit_(round_up_to_unit(mesh.owned_cells) / kTileUnit) {}

void TileBuilder::build() {
  reserve();
  find_tiles_of_units();
  for (std::int32_t number = 0; number < partition_.size(); ++number) {
    begin(number);
    collect_faces();
    collect_rows();
    number_faces();
    append_topology();
    append_face_geometry();
    connect_faces();
    next_face_ += face_blocks(tile_.faces) * kFaceBlock;
    if (by_node_) append_stencils();
    raise_to(number < partition_.inner ? tiles_.largest_inner : tiles_.largest_border, partition_.of_tile[number]);
    tiles_.tile.push_back(tile_);
  }
}

void TileBuilder::reserve() {
  std::int64_t halos = 0, all_rows = 0, slots = 0, eights = 0;
  for (const TileSize& size : partition_.of_tile) {
    halos += size.rows - size.cells;
    all_rows += round_up_to_unit(size.rows);
    slots += std::int64_t{face_blocks(size.faces)} * kFaceBlock;
    eights += (std::int64_t{round_up_to_eight(size.cells + 1 + size.entries)} + round_up_to_eight(size.entries)) / 8;
  }
  tiles_.tile.reserve(partition_.of_tile.size());
  tiles_.halo_row.reserve(to_index(checked_local(halos, "rows around tiles")));
  tiles_.topology.reserve(to_index(checked_local(eights, "topology of tiles")) * 8);
  tiles_.opposite_slot.reserve(to_index(checked_local(slots, "faces of tiles")));
  tiles_.cell_to_face.reserve(tiles_.opposite_slot.capacity() * to_index(cell_to_face_columns(mesh_.dim)));
  tiles_.areas.reserve(tiles_.opposite_slot.capacity() * to_index(area_columns(mesh_.dim)));
  if (!by_node_) return;
  tiles_.stencil_row.resize(d_.stencil_row.size());
  tiles_.centroids.reserve(to_index(checked_local(all_rows, "rows of tiles")) * to_index(mesh_.dim));
}

void TileBuilder::find_tiles_of_units() {
  for (std::int32_t t = 0; t < partition_.size(); ++t) {
    const std::int32_t end = partition_.cell_offset[t + 1];
    for (std::int32_t c = partition_.cell_offset[t]; c < end; c += kTileUnit) {
      tile_of_unit_[c / kTileUnit] = t;
    }
  }
}

void TileBuilder::begin(std::int32_t number) {
  first_ = partition_.cell_offset[number];
  last_ = partition_.cell_offset[number + 1];
  tile_ = {.first_cell = first_,
           .cells = last_ - first_,
           .halo = static_cast<std::int32_t>(tiles_.halo_row.size()),
           .first_row = next_row_,
           .first_face = next_face_,
           .topology = static_cast<std::int32_t>(tiles_.topology.size() / 8)};
  rows_.begin(number);
  faces_.begin(number);
  for (std::int32_t c = first_; c < last_; ++c) rows_.add(c);
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
  if (rows_.add(row)) tiles_.halo_row.push_back(row);
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
      add_halo(opposite);
      if (opposite >= first_ && opposite < last_) {
        inner_faces_.push_back(face);
        return;
      }
      const bool to_the_right = d_.face_right[face] == c;
      interface_faces_.emplace_back(to_the_right != reversed(face),
                                    opposite < mesh_.owned_cells ? tile_of(opposite) : partition_.size(), face);
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
  tile_.rows = rows_.count();
}

void TileBuilder::number_faces() {
  const auto add = [&](mesh::LocalFaceId face) {
    if (faces_.add(face.value())) face_list_.push_back(face);
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
  if (rows_.count() > kMost || faces_.count() >= static_cast<int>(kRightSide)) {
    throw LimitError("a tile has more than 65535 rows or 32767 faces", "make tiles of fewer cells");
  }
}

void TileBuilder::append_topology() {
  std::vector<std::uint16_t>& topology = tiles_.topology;
  // A face has at most two sides, so indices of sides also fit into 16 bits.
  for (std::int32_t c = first_; c <= last_; ++c) {
    topology.push_back(static_cast<std::uint16_t>(d_.cell_face_offset[c] - d_.cell_face_offset[first_]));
  }
  for (std::int32_t c = first_; c < last_; ++c) {
    each_side(c, [&](std::size_t s) {
      const mesh::LocalFaceId f = d_.cell_face[s];
      const std::uint16_t side = (d_.face_left[f] == c) == reversed(f) ? kRightSide : 0;
      topology.push_back(static_cast<std::uint16_t>(faces_[f.value()] | side));
    });
  }
  topology.resize(tile_.first_topology() + tile_.opposite_rows());
  for (std::int32_t c = first_; c < last_; ++c) {
    each_side(c, [&](std::size_t s) { topology.push_back(rows_[d_.cell_face_row[s]]); });
  }
  topology.resize(tile_.first_topology() + tile_.topology_size());
}

void TileBuilder::append_face_geometry() {
  const std::int32_t slots = face_blocks(tile_.faces) * kFaceBlock;
  tiles_.opposite_slot.resize(next_face_ + slots);
  tiles_.cell_to_face.resize(tiles_.opposite_slot.size() * cell_to_face_columns(mesh_.dim));
  tiles_.areas.resize(tiles_.opposite_slot.size() * area_columns(mesh_.dim));
  for (std::int32_t i = 0; i < tile_.faces; ++i) {
    const mesh::LocalFaceId f = face_list_[i];
    const auto put = [&](std::vector<double>& list, int list_columns, int column, double value) {
      const std::int64_t row = in_face_blocks(std::int64_t{next_face_} + i, list_columns);
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

void TileBuilder::connect_faces() {
  for (std::int32_t i = tile_.inner_faces; i < tile_.faces; ++i) {
    const mesh::LocalFaceId f = face_list_[i];
    const std::int32_t right = d_.face_right[f], slot = next_face_ + i;
    std::int32_t& opposite = tiles_.opposite_slot[slot];
    if (i >= tile_.cell_faces) {
      opposite = right - mesh_.cells();
      continue;
    }
    if (right >= mesh_.owned_cells) {  // a ghost is never on the left of a face of the mesh
      opposite = slot;
      tiles_.ghost_sides.push_back({.row = right, .slot = slot, .right = !reversed(f), .to_face = to_face(f, right)});
      continue;
    }
    std::int32_t& first_slot = first_slot_[f];
    if (first_slot < 0) {
      first_slot = slot;
    } else {
      opposite = first_slot;
      tiles_.opposite_slot[first_slot] = slot;
    }
  }
}

void TileBuilder::append_stencils() {
  std::vector<std::int32_t> all_rows;
  for (std::int32_t c = first_; c < last_; ++c) all_rows.push_back(c);
  all_rows.insert(all_rows.end(), tiles_.halo_row.begin() + tile_.halo, tiles_.halo_row.end());
  const Vec3 origin = d_.centroid[LocalRow(first_)];
  std::vector<double>& centroids = tiles_.centroids;
  for (int k = 0; k < mesh_.dim; ++k) {
    for (const std::int32_t row : all_rows) centroids.push_back((d_.centroid[LocalRow(row)] - origin)[k]);
    centroids.resize(centroids.size() + (tile_.row_stride() - tile_.rows));
  }
  next_row_ += tile_.row_stride();
  for (auto s = static_cast<std::size_t>(d_.stencil_offset[first_]); s < static_cast<std::size_t>(d_.stencil_offset[last_]);
       ++s) {
    tiles_.stencil_row[s] = rows_[d_.stencil_row[s]];
  }
}

}  // namespace weft::flow::detail
