#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "weft/base/error.hpp"
#include "weft/base/id_vector.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/mesh/build/assemble.hpp"
#include "weft/mesh/geometry.hpp"

namespace weft::mesh::detail {
namespace {

/// Returns the geometry of face `f` of a local cell, pointing out of the cell, from node coordinates before translation.
FaceGeometry measure(const Mesh& mesh, LocalCellId cell, int f) {
  const CellFace& face = shape(mesh.cell_type[cell]).face[f];
  const auto nodes = mesh.cell_nodes.row(cell);
  const std::size_t size = face.size;
  std::array<LocalNodeId, kMaxFaceNodes> node;
  for (std::size_t i = 0; i < size; ++i) node[i] = nodes[face.node[i]];
  const auto global = [&](std::size_t i) { return mesh.node_global[node[i % size]]; };
  std::size_t lowest = 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (global(i) < global(lowest)) lowest = i;
  }
  const bool forward = size == 2 ? lowest == 0 : global(lowest + 1) < global(lowest + size - 1);
  std::array<Vec3, kMaxFaceNodes> x;
  for (std::size_t i = 0; i < size; ++i) x[i] = mesh.node_coord[node[(forward ? lowest + i : lowest + size - i) % size]];
  FaceGeometry g = face_geometry({x.data(), size});
  if (!forward) g.area = -g.area;
  return g;
}

/// Left cell and face index of each local face.
struct FaceList {
  IdVector<LocalFaceId, std::int32_t> slot;
  std::vector<std::int32_t> first_of_zone;  ///< first face of each boundary zone, and the end
  std::int32_t inner = 0, ghost = 0;
};

/// Numbers the faces by kind, then by the larger of their owned cells, then by the other cell; sets left, right and
/// cell_faces.
FaceList number_faces(Mesh& mesh, const Subdomain& part, const std::vector<std::int32_t>& boundary_of_zone) {
  FaceList list;
  std::vector<std::int32_t> count(mesh.boundary.size(), 0);
  std::int64_t halves = 0;
  for (const std::int32_t n : part.neighbour) {
    if (n < 0) {
      ++count[boundary_of_zone[FaceLinks::zone(n)]];
    } else if (n < mesh.owned_cells) {
      ++halves;
    } else {
      ++list.ghost;
    }
  }
  list.inner = static_cast<std::int32_t>(halves / 2);
  list.first_of_zone.push_back(list.inner + list.ghost);
  for (const std::int32_t n : count) list.first_of_zone.push_back(list.first_of_zone.back() + n);
  const std::int32_t faces = list.first_of_zone.back();

  list.slot.resize(faces);
  mesh.face_left.resize(faces);
  mesh.face_right.resize(faces, LocalCellId::invalid());
  std::vector<LocalFaceId> cell_face(part.neighbour.size());
  LocalFaceId next_inner(0), next_ghost(list.inner);
  std::vector<LocalFaceId> next_boundary(list.first_of_zone.begin(), list.first_of_zone.end() - 1);
  std::array<std::int64_t, kMaxCellFaces> slots{};  // neighbour, slot
  for (std::int32_t c = 0; c < mesh.owned_cells; ++c) {
    auto end = slots.begin();
    for (std::int32_t slot = part.first_face[c]; slot < part.first_face[c + 1]; ++slot) {
      const std::int32_t n = part.neighbour[slot];
      if (c < n && n < mesh.owned_cells) continue;  // numbered from the other cell
      const std::int64_t entry = std::int64_t{n} << 32 | slot;
      auto place = end++;
      for (; place != slots.begin() && entry < *(place - 1); --place) *place = *(place - 1);  // insertion sort of at most six
      *place = entry;
    }
    for (auto s = slots.begin(); s != end; ++s) {
      const auto slot = static_cast<std::int32_t>(*s & 0xFFFFFFFF);
      const std::int32_t n = part.neighbour[slot];
      LocalFaceId& next = n < 0                  ? next_boundary[boundary_of_zone[FaceLinks::zone(n)]]
                          : n < mesh.owned_cells ? next_inner
                                                 : next_ghost;
      const LocalFaceId face = next;
      ++next;
      cell_face[slot] = face;
      if (0 <= n && n < c) {
        list.slot[face] = part.first_face[n] + part.partner[slot];
        cell_face[list.slot[face]] = face;
        mesh.face_left[face] = LocalCellId(n);
        mesh.face_right[face] = LocalCellId(c);
      } else {
        list.slot[face] = slot;
        mesh.face_left[face] = LocalCellId(c);
        if (n >= 0) mesh.face_right[face] = LocalCellId(n);
      }
    }
  }
  mesh.cell_faces.assign({part.first_face.begin(), part.first_face.end()}, cell_face);
  return list;
}

}  // namespace

void add_faces(Mesh& mesh, const Subdomain& part, const std::vector<char>& periodic_zone, const Translations& translations) {
  std::vector<std::int32_t> boundary_of_zone(mesh.zones.size(), -1);
  for (std::size_t z = 0; z < mesh.zones.size(); ++z) {
    if (mesh.zones[z].dim != mesh.dim - 1 || periodic_zone[z]) continue;
    boundary_of_zone[z] = static_cast<std::int32_t>(mesh.boundary.size());
    mesh.boundary.push_back({mesh.zones[z].name, {}});
  }
  const FaceList list = number_faces(mesh, part, boundary_of_zone);
  const auto range = [](std::int32_t first, std::int32_t last) { return FaceRange{LocalFaceId(first), LocalFaceId(last)}; };
  mesh.inner_faces = range(0, list.inner);
  mesh.ghost_faces = range(list.inner, list.inner + list.ghost);
  for (const ZoneIndex z : mesh.boundary.ids()) {
    mesh.boundary[z].faces = range(list.first_of_zone[z.index()], list.first_of_zone[z.index() + 1]);
  }

  const std::size_t faces = list.slot.size();
  std::vector<std::int64_t> offset{0};
  std::vector<LocalNodeId> entry;
  offset.reserve(faces + 1);
  entry.reserve(mesh.dim == 2 ? 2 * faces : 4 * faces);
  mesh.face_normal.resize(faces);
  mesh.face_area.resize(faces);
  mesh.face_centroid.resize(faces);
  agreed(mesh.comm, [&] {
    for (const LocalFaceId i : list.slot.ids()) {
      const LocalCellId left = mesh.face_left[i], right = mesh.face_right[i];
      const std::int32_t slot = list.slot[i];
      const int f = slot - part.first_face[left.index()];
      const CellFace& face = shape(mesh.cell_type[left]).face[f];
      for (int k = 0; k < face.size; ++k) {
        entry.push_back(mesh.cell_nodes(left, face.node[k]));
      }
      offset.push_back(static_cast<std::int64_t>(entry.size()));
      const std::int32_t image = part.image_of(slot);
      FaceGeometry g = image > 0 ? measure(mesh, right, part.partner[slot]) : measure(mesh, left, f);
      if (image > 0) g = {-g.area, g.centroid + translations.shift(image)};
      const double area = norm(g.area);
      if (!(area > 0)) {
        throw MeshError(fmt::format("a face at ({:.6g}, {:.6g}, {:.6g}) has no area", g.centroid.x, g.centroid.y, g.centroid.z),
                        "merge the nodes that lie in one place", Where{.file = mesh.source, .element = mesh.cell_file_id[left]});
      }
      mesh.face_area[i] = area;
      mesh.face_normal[i] = g.area / area;
      mesh.face_centroid[i] = g.centroid;
    }
  });
  mesh.face_nodes.assign(offset, entry);

  IdVector<LocalNodeId, std::int32_t> image_of_node(mesh.node_coord.size(), 0);
  for (std::int32_t g = mesh.owned_cells; g < mesh.cells(); ++g) {
    const std::int32_t image = mesh.plan.ghost(LocalRow(g)).image;
    if (image == 0) continue;
    for (const LocalNodeId n : mesh.cell_nodes.row(g)) image_of_node[n] = image;
  }
  for (const LocalNodeId n : image_of_node.ids()) {
    if (image_of_node[n] != 0) mesh.node_coord[n] += translations.shift(image_of_node[n]);
  }
}

void check_closed(const Mesh& mesh) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  agreed(mesh.comm, [&] {
    for (const LocalCellId cell : mesh.owned()) {
      Vec3 sum;
      double total = 0;
      for (const LocalFaceId face : mesh.cell_faces.row(cell)) {
        const double sign = mesh.face_left[face] == cell ? 1 : -1;
        sum += sign * mesh.face_area[face] * mesh.face_normal[face];
        total += mesh.face_area[face];
      }
      // Periodic partners are congruent up to rounding of their coordinates.
      const double length = mesh.dim == 2 ? 1 : std::sqrt(total);
      const double tolerance = 1e-12 * total + 64 * kEps * norm(mesh.cell_centroid[cell]) * length;
      if (!(norm(sum) <= tolerance)) {
        throw ContractError(
            fmt::format("the faces of a cell do not close: area vectors add to {:.3g} of {:.3g}", norm(sum), total),
            "this is a bug: please report it", Where{.file = mesh.source, .element = mesh.cell_file_id[cell]});
      }
    }
  });
}

}  // namespace weft::mesh::detail
