#pragma once
// Properties of every Mesh. All functions here are collective on mesh.comm.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "weft/mesh/geometry.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::mesh::test {

template <class T>
std::vector<T> gathered(const Mesh& mesh, const std::vector<T>& mine) {
  return mesh.comm.all_gather(std::span<const T>(mine));
}

struct Counts {
  std::int64_t interior_faces = 0, boundary_faces = 0, edges = 0, neighbours = 0;
  std::map<std::string, std::int64_t> zone_faces;
};

/// Counts of the whole mesh without duplicates.
inline Counts count(const Mesh& mesh) {
  Counts counts;
  const std::int64_t twice = mesh.comm.sum(static_cast<std::int64_t>(mesh.interface_faces.size()));
  EXPECT_EQ(twice % 2, 0);
  counts.interior_faces = mesh.comm.sum(static_cast<std::int64_t>(mesh.inner_faces.size())) + twice / 2;
  for (const BoundaryZone& zone : mesh.boundary) {
    counts.zone_faces[zone.name] = mesh.comm.sum(static_cast<std::int64_t>(zone.faces.size()));
    counts.boundary_faces += counts.zone_faces[zone.name];
  }
  std::vector<std::array<std::int64_t, 2>> edges;
  for (const LocalFaceId f : mesh.face_area.ids()) {
    const auto nodes = mesh.face_nodes.row(f);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::int64_t a = mesh.node_global[nodes[i]].value(), b = mesh.node_global[nodes[(i + 1) % nodes.size()]].value();
      edges.push_back({std::min(a, b), std::max(a, b)});
    }
  }
  edges = gathered(mesh, edges);
  std::sort(edges.begin(), edges.end());
  counts.edges = std::unique(edges.begin(), edges.end()) - edges.begin();
  std::int64_t neighbours = 0;
  for (const LocalCellId c : mesh.owned()) neighbours += mesh.cell_cells.row_size(c);
  counts.neighbours = mesh.comm.sum(neighbours);
  return counts;
}

inline void check_numbers(const Mesh& mesh) {
  const auto cells = static_cast<std::size_t>(mesh.cells());
  EXPECT_EQ(mesh.plan.owned_rows(), mesh.owned_cells);
  EXPECT_EQ(mesh.plan.ghost_rows(), mesh.ghost_cells);
  EXPECT_EQ(mesh.cell_type.size(), cells);
  EXPECT_EQ(mesh.cell_global.size(), cells);
  EXPECT_EQ(mesh.cell_file_id.size(), cells);
  EXPECT_EQ(mesh.cell_zone.size(), cells);
  EXPECT_EQ(mesh.cell_volume.size(), cells);
  EXPECT_EQ(mesh.cell_centroid.size(), cells);
  EXPECT_EQ(mesh.cell_nodes.rows(), mesh.cells());
  EXPECT_EQ(mesh.cell_faces.rows(), mesh.owned_cells);
  EXPECT_EQ(mesh.cell_cells.rows(), mesh.owned_cells);
  EXPECT_EQ(mesh.node_coord.size(), mesh.node_global.size());

  // Each cell of the source has exactly one owner.
  std::vector<std::int64_t> ids;
  for (const LocalCellId c : mesh.owned()) ids.push_back(mesh.cell_global[c].value());
  const std::vector<std::int64_t> by_row = gathered(mesh, ids);
  ids = by_row;
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(static_cast<std::int64_t>(ids.size()), mesh.global_cells);
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], static_cast<std::int64_t>(i));

  // Local -> global -> local, and the global cell of a ghost cell is that of its owned cell.
  for (const LocalCellId c : mesh.cell_volume.ids()) {
    const GhostRequest at = mesh.plan.ghost(LocalRow(c.value()));
    EXPECT_EQ(mesh.plan.find(at.row, at.image).value(), c.value());
    EXPECT_EQ(by_row[at.row.index()], mesh.cell_global[c].value());
    const auto [rank, row] = mesh.plan.offsets().find(at.row);
    EXPECT_EQ(rank, mesh.plan.owner(LocalRow(c.value())));
    if (c.value() < mesh.owned_cells) {
      EXPECT_EQ(rank, mesh.comm.rank());
    }
    if (c.value() < mesh.owned_cells) {
      EXPECT_EQ(row.value(), c.value());
    }
    if (c.value() >= mesh.owned_cells) {
      EXPECT_TRUE(rank != mesh.comm.rank() || at.image != 0);
    }
  }
  for (const LocalCellId c : mesh.owned()) {
    const auto around = mesh.cell_cells.row(c);
    const bool has_ghost =
        std::any_of(around.begin(), around.end(), [&](LocalCellId d) { return d.value() >= mesh.owned_cells; });
    EXPECT_EQ(has_ghost, c.value() >= mesh.inner_cells);
    EXPECT_TRUE(std::is_sorted(around.begin(), around.end()));
    EXPECT_EQ(std::adjacent_find(around.begin(), around.end()), around.end());
  }
}

inline void check_faces(const Mesh& mesh) {
  EXPECT_EQ(mesh.inner_faces.first().value(), 0);
  EXPECT_EQ(mesh.interface_faces.first(), mesh.inner_faces.last());
  LocalFaceId next = mesh.interface_faces.last();
  for (const BoundaryZone& zone : mesh.boundary) {
    EXPECT_EQ(zone.faces.first(), next);
    next = zone.faces.last();
  }
  EXPECT_EQ(next.value(), mesh.faces());
  struct Side {
    std::int64_t left, right, image;
    Vec3 normal;
    double area;
  };
  std::vector<Side> sides;
  for (const LocalFaceId face : mesh.face_area.ids()) {
    const LocalCellId left = mesh.face_left[face], right = mesh.face_right[face];
    EXPECT_LT(left.value(), mesh.owned_cells);
    EXPECT_NEAR(norm(mesh.face_normal[face]), 1, 4e-16);
    EXPECT_GT(dot(mesh.face_centroid[face] - mesh.cell_centroid[left], mesh.face_normal[face]), 0);
    const auto faces_of = [&](LocalCellId cell) { return mesh.cell_faces.row(cell); };
    EXPECT_EQ(std::count(faces_of(left).begin(), faces_of(left).end(), face), 1);
    if (mesh.inner_faces.contains(face)) {
      EXPECT_LT(left, right);
      EXPECT_LT(right.value(), mesh.owned_cells);
      EXPECT_EQ(std::count(faces_of(right).begin(), faces_of(right).end(), face), 1);
    } else if (mesh.interface_faces.contains(face)) {
      EXPECT_GE(right.value(), mesh.owned_cells);
      EXPECT_LT(right.value(), mesh.cells());
      const GhostRequest ghost = mesh.plan.ghost(LocalRow(right.value()));
      sides.push_back({mesh.plan.offsets().global(LocalRow(left.value())).value(), ghost.row.value(), ghost.image,
                       mesh.face_normal[face], mesh.face_area[face]});
    } else {
      EXPECT_FALSE(right.valid());
    }
    if (right.valid()) {
      EXPECT_GT(dot(mesh.cell_centroid[right] - mesh.cell_centroid[left], mesh.face_normal[face]), 0);
    }
    // The order of nodes is right-handed with respect to the normal.
    std::vector<Vec3> corner;
    for (const LocalNodeId n : mesh.face_nodes.row(face)) corner.push_back(mesh.node_coord[n]);
    const FaceGeometry g = face_geometry(corner);
    EXPECT_LT(norm(g.area - mesh.face_area[face] * mesh.face_normal[face]), 1e-13 * (1 + mesh.face_area[face]));
    EXPECT_LT(norm(g.centroid - mesh.face_centroid[face]), 1e-13);
  }
  // By the larger of the face's owned cells, then by the other.
  const auto place = [&](LocalFaceId face) {
    const LocalCellId left = mesh.face_left[face], right = mesh.face_right[face];
    return right.value() < mesh.owned_cells ? std::pair(right, left) : std::pair(left, right);
  };
  for (const auto* range : {&mesh.inner_faces, &mesh.interface_faces}) {
    for (std::int32_t f = range->first().value() + 1; f < range->last().value(); ++f) {
      EXPECT_LE(place(LocalFaceId(f - 1)), place(LocalFaceId(f)));
    }
  }
  // The normals of both sides of a face between ranks or periodic images are bitwise opposite.
  sides = gathered(mesh, sides);
  const auto key = [](const Side& s) { return std::tuple(s.left, s.right, s.image); };
  std::sort(sides.begin(), sides.end(), [&](const Side& a, const Side& b) { return key(a) < key(b); });
  for (const Side& s : sides) {
    const auto want = std::tuple(s.right, s.left, -s.image);
    const auto other =
        std::lower_bound(sides.begin(), sides.end(), want, [&](const Side& a, const auto& k) { return key(a) < k; });
    const bool found = other != sides.end() && key(*other) == want;
    EXPECT_TRUE(found);
    if (!found) continue;
    EXPECT_TRUE(other->normal == -s.normal);
    EXPECT_EQ(other->area, s.area);
  }
}

inline void check_geometry(const Mesh& mesh, double volume) {
  double sum = 0;
  for (const LocalCellId c : mesh.owned()) {
    Vec3 closed;
    std::array<Vec3, 3> gradient;  // gradient of the coordinates by Gauss's theorem: the unit matrix for plane faces
    for (const LocalFaceId f : mesh.cell_faces.row(c)) {
      const Vec3 out = (mesh.face_left[f] == c ? 1 : -1) * mesh.face_area[f] * mesh.face_normal[f];
      // The centroid of an inner face is the same for its right cell; interface faces have a copy on each side.
      closed += out;
      for (int k = 0; k < 3; ++k) gradient[static_cast<std::size_t>(k)] += mesh.face_centroid[f][k] * out;
    }
    EXPECT_LT(norm(closed), 1e-14);
    EXPECT_GT(mesh.cell_volume[c], 0);
    if (volume > 0) {
      for (int k = 0; k < mesh.dim; ++k) {
        Vec3 unit;
        unit[k] = 1;
        EXPECT_LT(norm(gradient[static_cast<std::size_t>(k)] / mesh.cell_volume[c] - unit), 1e-12);
      }
    }
    sum += mesh.cell_volume[c];
  }
  sum = mesh.comm.sum(sum);
  if (volume > 0) {
    EXPECT_NEAR(sum, volume, 1e-13 * volume);
  }

  // The geometry of a ghost cell is that of its owned cell, translated with its nodes.
  struct Data {
    double volume;
    Vec3 centroid;
    std::int64_t file_id;
    ZoneId zone;
    std::int32_t type;
  };
  std::vector<Data> data;
  for (const LocalCellId c : mesh.owned()) {
    data.push_back({mesh.cell_volume[c], mesh.cell_centroid[c], mesh.cell_file_id[c], mesh.cell_zone[c],
                    static_cast<int>(mesh.cell_type[c])});
  }
  data = gathered(mesh, data);
  for (const LocalCellId c : mesh.cell_volume.ids()) {
    const GhostRequest at = mesh.plan.ghost(LocalRow(c.value()));
    const Data& owner = data[at.row.index()];
    EXPECT_EQ(mesh.cell_volume[c], owner.volume);
    EXPECT_EQ(mesh.cell_file_id[c], owner.file_id);
    EXPECT_EQ(mesh.cell_zone[c], owner.zone);
    EXPECT_EQ(static_cast<int>(mesh.cell_type[c]), owner.type);
    if (at.image == 0) {
      EXPECT_TRUE(mesh.cell_centroid[c] == owner.centroid);
    }
    if (at.image != 0) {
      EXPECT_GT(norm(mesh.cell_centroid[c] - owner.centroid), 1e-3);
    }
    std::vector<Vec3> corner;
    for (const LocalNodeId n : mesh.cell_nodes.row(c)) corner.push_back(mesh.node_coord[n]);
    const CellGeometry g = cell_geometry(mesh.cell_type[c], corner);
    EXPECT_NEAR(g.volume, mesh.cell_volume[c], 1e-13);
    EXPECT_LT(norm(g.centroid - mesh.cell_centroid[c]), 1e-13);
  }
}

/// Checks all properties. @param volume  of the whole mesh with plane faces; negative: unknown, and faces may be warped.
inline void check_mesh(const Mesh& mesh, double volume) {
  check_numbers(mesh);
  check_faces(mesh);
  check_geometry(mesh, volume);
}

/// Compares cells of the source: geometry, and positions of neighbours. The meshes may have different communicators if every
/// rank of the larger calls the function.
inline void expect_same_cells(const Mesh& a, const Mesh& b) {
  struct Cell {
    std::int64_t id;
    double volume;
    Vec3 centroid;
  };
  using Link = std::array<std::int64_t, 5>;  // cell, neighbour, its position (in 1e-6)
  const auto cells = [](const Mesh& mesh) {
    std::vector<Cell> all;
    for (const LocalCellId c : mesh.owned())
      all.push_back({mesh.cell_global[c].value(), mesh.cell_volume[c], mesh.cell_centroid[c]});
    all = gathered(mesh, all);
    std::sort(all.begin(), all.end(), [](const Cell& x, const Cell& y) { return x.id < y.id; });
    return all;
  };
  const auto links = [](const Mesh& mesh) {
    std::vector<Link> all;
    for (const LocalCellId c : mesh.owned()) {
      for (const LocalCellId d : mesh.cell_cells.row(c)) {
        const Vec3 away = mesh.cell_centroid[d] - mesh.cell_centroid[c];
        const auto micro = [](double x) { return std::llround(x * 1e6); };
        all.push_back({mesh.cell_global[c].value(), mesh.cell_global[d].value(), micro(away.x), micro(away.y), micro(away.z)});
      }
    }
    all = gathered(mesh, all);
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto cells_a = cells(a), cells_b = cells(b);
  EXPECT_EQ(cells_a.size(), cells_b.size());
  for (std::size_t i = 0; i < std::min(cells_a.size(), cells_b.size()); ++i) {
    EXPECT_EQ(cells_a[i].volume, cells_b[i].volume);
    EXPECT_TRUE(cells_a[i].centroid == cells_b[i].centroid);
  }
  EXPECT_EQ(links(a), links(b));
}

/// Checks for the box of 8 x 4 x 4 hexahedra that the ghost cells are exactly the cells within `depth` of an owned cell, in
/// the metric of the neighbourhood.
inline void expect_layers(const Mesh& mesh, Neighbours kind, int depth) {
  const auto place = [](std::int64_t id) { return std::array<std::int64_t, 3>{id % 8, id / 8 % 4, id / 32}; };
  std::vector<char> expected(128, 0), owned(128, 0), found(128, 0);
  for (const LocalCellId c : mesh.owned()) {
    owned[mesh.cell_global[c].index()] = 1;
    for (std::int64_t other = 0; other < 128; ++other) {
      std::int64_t far = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int64_t d = std::abs(place(other)[k] - place(mesh.cell_global[c].value())[k]);
        far = kind == Neighbours::face ? far + d : std::max(far, d);
      }
      if (far <= depth) expected[static_cast<std::size_t>(other)] = 1;
    }
  }
  for (std::int32_t g = mesh.owned_cells; g < mesh.cells(); ++g) found[mesh.cell_global[LocalCellId(g)].index()] = 1;
  for (std::size_t id = 0; id < 128; ++id) EXPECT_EQ(found[id] != 0, expected[id] && !owned[id]) << "cell " << id;
}

}  // namespace weft::mesh::test
