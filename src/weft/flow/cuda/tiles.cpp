#include "weft/flow/cuda/tiles.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "weft/base/error.hpp"

namespace weft::flow::detail {
namespace {

/// Short numbers of one kind of thing in the tile that is being made.
class Numbering {
 public:
  explicit Numbering(std::size_t things) : of_(things) {}
  void begin(std::int32_t tile) { tile_ = tile, next_ = 0; }
  /// True if it is new.
  bool add(std::int32_t thing) {
    Entry& entry = of_[static_cast<std::size_t>(thing)];
    if (entry.tile == tile_) return false;
    entry = {tile_, next_++};
    return true;
  }
  [[nodiscard]] std::uint16_t operator[](std::int32_t thing) const {
    return static_cast<std::uint16_t>(of_[static_cast<std::size_t>(thing)].number);
  }
  [[nodiscard]] int count() const { return next_; }

 private:
  struct Entry {
    std::int32_t tile = -1, number = 0;
  };
  std::vector<Entry> of_;
  std::int32_t tile_ = -1;
  int next_ = 0;
};

/// A face to a cell of another tile or to a ghost, in one number: in the order that they have in a tile.
class CutFace {
 public:
  /// @param behind  tile; the number of tiles: a ghost.
  CutFace(bool own_right, std::int32_t behind, std::int32_t face)
      : key_(static_cast<std::uint64_t>(own_right) << 63 | static_cast<std::uint64_t>(behind) << 32 |
             static_cast<std::uint64_t>(face)) {}
  [[nodiscard]] bool own_right() const { return key_ >> 63 != 0; }
  [[nodiscard]] std::int32_t face() const { return static_cast<std::int32_t>(key_ & 0xFFFFFFFFU); }
  auto operator<=>(const CutFace&) const = default;

 private:
  std::uint64_t key_;
};

bool within(const TileSize& size, const TileSize& limit) {
  return size.cells <= limit.cells && size.rows <= limit.rows && size.faces <= limit.faces && size.entries <= limit.entries;
}

void raise_to(TileSize& most, const TileSize& size) {
  most.cells = std::max(most.cells, size.cells);
  most.rows = std::max(most.rows, size.rows);
  most.faces = std::max(most.faces, size.faces);
  most.entries = std::max(most.entries, size.entries);
}

}  // namespace

bool has_stencils_by_node(const Discretization& d) { return d.stencil_row != d.cell_face_row; }

TileCut::TileCut(const mesh::Mesh& mesh, const Discretization& d, const TileSize& limit) {
  const bool by_node = has_stencils_by_node(d);
  Numbering rows(static_cast<std::size_t>(d.rows)), faces(static_cast<std::size_t>(mesh.faces()));
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
      faces.add(d.cell_face[s]);
      ++size.entries;
    }
    if (by_node) {
      for (std::int32_t s = d.stencil_offset[c]; s < d.stencil_offset[c + 1]; ++s)
        rows.add(d.stencil_row[static_cast<std::size_t>(s)]);
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

TileSize TileCut::quantile(double part) const {
  const std::int32_t tiles = 2 * inner > size() ? inner : size();
  if (tiles == 0) return {};
  std::vector<int> values(static_cast<std::size_t>(tiles));
  const auto of = [&](int TileSize::*number) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = of_tile[i].*number;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(tiles - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  return {of(&TileSize::cells), of(&TileSize::rows), of(&TileSize::faces), of(&TileSize::entries)};
}

Tiles::Tiles(const mesh::Mesh& mesh, const Discretization& d, const TileCut& cut) : inner(cut.inner) {
  const bool by_node = has_stencils_by_node(d);
  if (by_node) stencil_row.resize(d.stencil_row.size());
  Numbering rows(static_cast<std::size_t>(d.rows)), faces(static_cast<std::size_t>(mesh.faces()));
  std::vector<std::int32_t> boundary_faces, inner_faces;
  std::vector<CutFace> cut_faces;
  std::vector<std::size_t> face_list;  // of the tile, each once
  std::vector<std::int32_t> place_elsewhere(static_cast<std::size_t>(mesh.faces()), -1);
  std::int32_t first_row = 0, first_face = 0;
  make_room(mesh.dim, by_node, cut);
  std::vector<std::int32_t> tile_of_unit(static_cast<std::size_t>(whole_units(mesh.owned_cells) / kTileUnit));
  for (std::int32_t t = 0; t < cut.size(); ++t) {
    for (std::int32_t c = cut.cell_offset[static_cast<std::size_t>(t)]; c < cut.cell_offset[static_cast<std::size_t>(t) + 1];
         c += kTileUnit) {
      tile_of_unit[static_cast<std::size_t>(c / kTileUnit)] = t;
    }
  }
  const auto tile_of = [&](std::int32_t cell) { return tile_of_unit[static_cast<std::size_t>(cell / kTileUnit)]; };

  // Two ranks must turn a face between them the same way: where the flux depends on it by rounding alone, it still does.
  const auto turned = [&](std::size_t f) {
    const auto left = static_cast<std::size_t>(d.face_left[f]), right = static_cast<std::size_t>(d.face_right[f]);
    return d.face_right[f] >= mesh.owned_cells && d.face_right[f] < mesh.cells() &&
           mesh.cell_global[right] < mesh.cell_global[left];
  };

  for (std::int32_t number = 0; number < cut.size(); ++number) {
    const std::int32_t first = cut.cell_offset[static_cast<std::size_t>(number)],
                       last = cut.cell_offset[static_cast<std::size_t>(number) + 1];
    Tile t{.first_cell = first,
           .cells = last - first,
           .halo = static_cast<std::int32_t>(halo_row.size()),
           .first_row = first_row,
           .first_face = first_face,
           .topology = static_cast<std::int32_t>(topology.size() / 8)};
    rows.begin(number);
    faces.begin(number);
    for (std::int32_t c = first; c < last; ++c) rows.add(c);
    inner_faces.clear();
    cut_faces.clear();
    boundary_faces.clear();
    face_list.clear();
    const auto halo = [&](std::int32_t row) {
      if (rows.add(row)) halo_row.push_back(row);
    };
    const auto faces_of = [&](std::int32_t c, const auto& f) {
      for (std::int32_t s = d.cell_face_offset[c]; s < d.cell_face_offset[c + 1]; ++s) f(static_cast<std::size_t>(s));
    };

    // Rows: behind faces, then of stencils, then of the boundary.
    for (std::int32_t c = first; c < last; ++c) {
      faces_of(c, [&](std::size_t s) {
        const std::int32_t behind = d.cell_face_row[s];
        if (behind >= mesh.cells()) {
          boundary_faces.push_back(d.cell_face[s]);
          return;
        }
        halo(behind);
        if (behind >= first && behind < last) {
          inner_faces.push_back(d.cell_face[s]);
        } else {
          const std::int32_t face = d.cell_face[s];
          const bool to_the_right = d.face_right[static_cast<std::size_t>(face)] == c;
          cut_faces.emplace_back(to_the_right != turned(static_cast<std::size_t>(face)),
                                 behind < mesh.owned_cells ? tile_of(behind) : cut.size(), face);
        }
      });
    }
    // Two tiles have the faces between them in the same order, so that what is read across comes in runs.
    std::sort(cut_faces.begin(), cut_faces.end());
    raise_to(number < inner ? of_inner : of_border, cut.of_tile[static_cast<std::size_t>(number)]);
    if (by_node) {
      for (std::int32_t s = d.stencil_offset[first]; s < d.stencil_offset[last]; ++s) {
        if (d.stencil_row[static_cast<std::size_t>(s)] < mesh.cells()) halo(d.stencil_row[static_cast<std::size_t>(s)]);
      }
    }
    for (const std::int32_t f : boundary_faces) halo(d.face_right[static_cast<std::size_t>(f)]);
    t.rows = rows.count();

    const auto add_face = [&](std::int32_t face) {
      if (faces.add(face)) face_list.push_back(static_cast<std::size_t>(face));
    };
    for (const std::int32_t f : inner_faces) add_face(f);
    t.inner_faces = faces.count();
    const auto own_right = std::find_if(cut_faces.begin(), cut_faces.end(), [](const CutFace& f) { return f.own_right(); });
    for (auto f = cut_faces.begin(); f != own_right; ++f) add_face(f->face());
    t.left_faces = faces.count();
    for (auto f = own_right; f != cut_faces.end(); ++f) add_face(f->face());
    t.cell_faces = faces.count();
    for (const std::int32_t f : boundary_faces) add_face(f);
    t.faces = faces.count();
    t.entries = d.cell_face_offset[last] - d.cell_face_offset[first];

    constexpr int kMost = std::numeric_limits<std::uint16_t>::max();
    if (rows.count() > kMost || faces.count() >= static_cast<int>(kRightSide)) {
      throw LimitError("a tile has more than 65535 rows or 32767 faces", "make tiles of fewer cells");
    }
    // A face has two sides at most, so places among them fit into 16 bits, too.
    for (std::int32_t c = first; c <= last; ++c) {
      topology.push_back(static_cast<std::uint16_t>(d.cell_face_offset[c] - d.cell_face_offset[first]));
    }
    for (std::int32_t c = first; c < last; ++c) {
      faces_of(c, [&](std::size_t s) {
        const auto f = static_cast<std::size_t>(d.cell_face[s]);
        const std::uint16_t side = (d.face_left[f] == c) == turned(f) ? kRightSide : 0;
        topology.push_back(static_cast<std::uint16_t>(faces[d.cell_face[s]] | side));
      });
    }
    topology.resize(static_cast<std::size_t>(t.first_topology() + t.rows_behind()));
    for (std::int32_t c = first; c < last; ++c) {
      faces_of(c, [&](std::size_t s) { topology.push_back(rows[d.cell_face_row[s]]); });
    }
    topology.resize(static_cast<std::size_t>(t.first_topology() + t.topology_size()));
    const auto arm = [&](std::size_t f, std::int32_t row) {
      return mesh.face_centroid[f] - d.centroid[static_cast<std::size_t>(row)];
    };
    const std::int32_t places = face_blocks(t.faces) * kFaceBlock;
    across.resize(static_cast<std::size_t>(first_face + places));
    arms.resize(across.size() * static_cast<std::size_t>(arm_columns(mesh.dim)));
    areas.resize(across.size() * static_cast<std::size_t>(area_columns(mesh.dim)));
    for (std::int32_t i = 0; i < t.faces; ++i) {
      const std::size_t f = face_list[static_cast<std::size_t>(i)];
      const auto put = [&](std::vector<double>& list, int list_columns, int column, double what) {
        const std::int64_t row = in_face_blocks(std::int64_t{first_face} + i, list_columns);
        list[static_cast<std::size_t>(row + column * kFaceBlock)] = what;
      };
      const bool turn = turned(f);
      const Vec3 left_arm = arm(f, turn ? d.face_right[f] : d.face_left[f]);
      const Vec3 right_arm = arm(f, turn ? d.face_left[f] : d.face_right[f]);
      const Vec3 area = (turn ? -mesh.face_area[f] : mesh.face_area[f]) * mesh.face_normal[f];
      for (int k = 0; k < mesh.dim; ++k) {
        put(arms, arm_columns(mesh.dim), k, left_arm[k]);
        put(arms, arm_columns(mesh.dim), mesh.dim + k, right_arm[k]);
        put(areas, area_columns(mesh.dim), k, area[k]);
      }
    }
    for (std::int32_t i = t.inner_faces; i < t.faces; ++i) {
      const std::size_t f = face_list[static_cast<std::size_t>(i)];
      const std::int32_t right = d.face_right[f], place = first_face + i;
      std::int32_t& here = across[static_cast<std::size_t>(place)];
      if (i >= t.cell_faces) {
        here = right - mesh.cells();
        continue;
      }
      if (right >= mesh.owned_cells) {  // a ghost is never to the left of a face of the mesh
        here = place;
        ghost_sides.push_back({.row = right, .place = place, .right = !turned(f), .arm = arm(f, right)});
        continue;
      }
      std::int32_t& elsewhere = place_elsewhere[f];
      if (elsewhere < 0) {
        elsewhere = place;
      } else {
        here = elsewhere;
        across[static_cast<std::size_t>(elsewhere)] = place;
      }
    }
    first_face += places;
    if (by_node) {
      std::vector<std::int32_t> all_rows;
      for (std::int32_t c = first; c < last; ++c) all_rows.push_back(c);
      all_rows.insert(all_rows.end(), halo_row.begin() + t.halo, halo_row.end());
      const Vec3 origin = d.centroid[static_cast<std::size_t>(first)];
      for (int k = 0; k < mesh.dim; ++k) {
        for (const std::int32_t row : all_rows) centroids.push_back((d.centroid[static_cast<std::size_t>(row)] - origin)[k]);
        centroids.resize(centroids.size() + static_cast<std::size_t>(t.row_stride() - t.rows));
      }
      first_row += t.row_stride();
      for (auto s = static_cast<std::size_t>(d.stencil_offset[first]); s < static_cast<std::size_t>(d.stencil_offset[last]);
           ++s) {
        stencil_row[s] = rows[d.stencil_row[s]];
      }
    }
    tile.push_back(t);
  }
}

void Tiles::make_room(int dim, bool by_node, const TileCut& cut) {
  std::int64_t halos = 0, all_rows = 0, places = 0, eights = 0;
  for (const TileSize& size : cut.of_tile) {
    halos += size.rows - size.cells;
    all_rows += whole_units(size.rows);
    places += std::int64_t{face_blocks(size.faces)} * kFaceBlock;
    eights += (std::int64_t{whole_eights(size.cells + 1 + size.entries)} + whole_eights(size.entries)) / 8;
  }
  tile.reserve(cut.of_tile.size());
  halo_row.reserve(to_index(checked_local(halos, "rows around tiles")));
  topology.reserve(to_index(checked_local(eights, "topology of tiles")) * 8);
  across.reserve(to_index(checked_local(places, "faces of tiles")));
  arms.reserve(across.capacity() * to_index(arm_columns(dim)));
  areas.reserve(across.capacity() * to_index(area_columns(dim)));
  if (by_node) centroids.reserve(to_index(checked_local(all_rows, "rows of tiles")) * to_index(dim));
}

Tiles fit_tiles(const mesh::Mesh& mesh, const Discretization& d, const std::function<int(const TileSize&)>& bytes_of_block,
                int per_multiprocessor, int per_block) {
  constexpr int kBlocks = 4;
  constexpr int kMost = std::numeric_limits<int>::max();
  for (const int cells : {128, 124, 120, 116, 112, 104, 96, 80, 64, 48, 32, 16, 8}) {
    const TileCut whole(mesh, d, {.cells = cells, .rows = kMost, .faces = kMost, .entries = kMost});
    for (const double part : {1.0, 0.98, 0.95, 0.9, 0.8}) {
      const TileSize limit = whole.quantile(part);
      const bool good = bytes_of_block(limit) <= per_multiprocessor / kBlocks || cells <= 32;
      if (!good || bytes_of_block(limit) > per_block) continue;
      const bool all_within = part == 1.0 && (whole.inner == 0 || whole.inner == whole.size());
      Tiles tiles(mesh, d, all_within ? whole : TileCut(mesh, d, limit));
      if (bytes_of_block(tiles.of_inner) <= per_block && bytes_of_block(tiles.of_border) <= per_block) return tiles;
    }
  }
  throw DeviceError("cells of this mesh have so many neighbours that not even eight fit into a block's shared memory",
                    "use stencil = \"face\"");
}

}  // namespace weft::flow::detail
