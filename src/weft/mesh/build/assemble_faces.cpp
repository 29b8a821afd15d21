#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "weft/base/error.hpp"
#include "weft/base/id_vector.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/kernels/primitives/sum_up.hpp"
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
  std::int32_t inner = 0, interface = 0;
};

/// Numbers the faces by kind (inner, partition-interface, then each boundary zone), then by the larger of their owned cells, then
/// by the other cell.
class FaceNumbering {
 public:
  FaceNumbering(Mesh& mesh, const Subdomain& part, const IdVector<ZoneId, BoundaryZoneId>& boundary_of_zone, Team& team)
      : mesh_(mesh),
        part_(part),
        boundary_of_zone_(boundary_of_zone),
        team_(team),
        kinds_(mesh.boundary.size() + 2),
        shares_(shares_of(team, mesh.owned_cells)) {}

  /// Sets left, right and cell_faces.
  FaceList number() {
    // first[kind * shares + s] is the first face of a kind that is numbered from the cells of share s.
    std::vector<std::int32_t> first(kinds_ * shares_, 0);
    for_shares(team_, mesh_.owned_cells, [&](LoopShare share) {
      std::vector<std::int32_t> count(kinds_, 0);
      for (std::int64_t c = share.begin; c < share.end; ++c) {
        for (std::int32_t slot = part_.first_face[c]; slot < part_.first_face[c + 1]; ++slot) {
          if (!numbered_from_other(c, slot)) ++count[kind_of(slot)];
        }
      }
      for (std::size_t k = 0; k < kinds_; ++k) first[k * shares_ + share.number] = count[k];
    });
    const std::int32_t faces = offsets_from_counts(first);
    FaceList list;
    list.inner = first[shares_];
    for (std::size_t k = 2; k < kinds_; ++k) list.first_of_zone.push_back(first[k * shares_]);
    list.first_of_zone.push_back(faces);
    list.interface = list.first_of_zone.front() - list.inner;

    resize_by_team(team_, list.slot, faces);
    resize_by_team(team_, mesh_.face_left, faces);
    resize_by_team(team_, mesh_.face_right, faces);
    auto offset = list_of_size<std::int64_t>(team_, part_.first_face.size());
    for_indices(team_, std::ssize(offset), [&](std::int64_t c) { offset[c] = part_.first_face[c]; });
    mesh_.cell_faces.assign_offsets(offset, team_);
    for_shares(team_, mesh_.owned_cells, [&](LoopShare share) {
      std::vector<LocalFaceId> next(kinds_);
      for (std::size_t k = 0; k < kinds_; ++k) next[k] = LocalFaceId(first[k * shares_ + share.number]);
      for (std::int64_t c = share.begin; c < share.end; ++c) number_from(static_cast<std::int32_t>(c), next, list);
    });
    return list;
  }

 private:
  [[nodiscard]] bool numbered_from_other(std::int64_t c, std::int32_t slot) const {
    const std::int32_t n = part_.neighbour[slot];
    return c < n && n < mesh_.owned_cells;
  }
  [[nodiscard]] std::size_t kind_of(std::int32_t slot) const {
    const std::int32_t n = part_.neighbour[slot];
    return n < 0 ? boundary_of_zone_[FaceLinks::zone(n)].index() + 2 : (n < mesh_.owned_cells ? 0 : 1);
  }

  /// Numbers the faces of cell c, except those numbered from another cell. @param next  next face of each kind.
  void number_from(std::int32_t c, std::vector<LocalFaceId>& next, FaceList& list) {
    std::array<std::int64_t, kMaxCellFaces> slots{};  // neighbour, slot
    auto end = slots.begin();
    for (std::int32_t slot = part_.first_face[c]; slot < part_.first_face[c + 1]; ++slot) {
      if (numbered_from_other(c, slot)) continue;
      const std::int64_t entry = std::int64_t{part_.neighbour[slot]} << 32 | slot;
      auto place = end++;
      for (; place != slots.begin() && entry < *(place - 1); --place) *place = *(place - 1);  // insertion sort of at most six
      *place = entry;
    }
    const std::span<LocalFaceId> cell_face = mesh_.cell_faces.entries();
    for (auto s = slots.begin(); s != end; ++s) {
      const auto slot = static_cast<std::int32_t>(*s & 0xFFFFFFFF);
      const std::int32_t n = part_.neighbour[slot];
      LocalFaceId& next_of_kind = next[kind_of(slot)];
      const LocalFaceId face = next_of_kind;
      ++next_of_kind;
      cell_face[slot] = face;
      if (0 <= n && n < c) {
        list.slot[face] = part_.first_face[n] + part_.partner[slot];
        cell_face[list.slot[face]] = face;
        mesh_.face_left[face] = LocalCellId(n);
        mesh_.face_right[face] = LocalCellId(c);
      } else {
        list.slot[face] = slot;
        mesh_.face_left[face] = LocalCellId(c);
        if (n >= 0) mesh_.face_right[face] = LocalCellId(n);
      }
    }
  }

  Mesh& mesh_;
  const Subdomain& part_;
  const IdVector<ZoneId, BoundaryZoneId>& boundary_of_zone_;
  Team& team_;
  const std::size_t kinds_, shares_;
};

/// Enters nodes and geometry of each face.
void measure_faces(Mesh& mesh, const Subdomain& part, const FaceList& list, const Translations& translations, Team& team) {
  const std::size_t faces = list.slot.size();
  auto offset = list_of_size<std::int64_t>(team, faces + 1);
  const auto shape_of = [&](LocalFaceId i) -> const CellFace& {
    const LocalCellId left = mesh.face_left[i];
    return shape(mesh.cell_type[left]).face[list.slot[i] - part.first_face[left.index()]];
  };
  for_indices(team, list.slot.count(), [&](std::int64_t i) { offset[i + 1] = shape_of(LocalFaceId(i)).size; });
  kernels::sum_up(offset, team);
  mesh.face_nodes.assign_offsets(offset, team);
  offset = {};
  resize_by_team(team, mesh.face_normal, faces);
  resize_by_team(team, mesh.face_area, faces);
  resize_by_team(team, mesh.face_centroid, faces);
  agreed(mesh.comm, [&] {
    for_indices(team, list.slot.count(), [&](std::int64_t number) {
      const LocalFaceId i(number);
      const LocalCellId left = mesh.face_left[i], right = mesh.face_right[i];
      const std::int32_t slot = list.slot[i];
      const CellFace& face = shape_of(i);
      const std::span<LocalNodeId> nodes = mesh.face_nodes.row(i);
      for (int k = 0; k < face.size; ++k) nodes[k] = mesh.cell_nodes.row(left)[face.node[k]];
      const std::int32_t image = part.image_of(slot);
      FaceGeometry g =
          image > 0 ? measure(mesh, right, part.partner[slot]) : measure(mesh, left, slot - part.first_face[left.index()]);
      if (image > 0) g = {-g.area, g.centroid + translations.shift(image)};
      const double area = norm(g.area);
      if (!(area > 0)) {
        throw MeshError(fmt::format("a face at ({:.6g}, {:.6g}, {:.6g}) has no area", g.centroid.x, g.centroid.y, g.centroid.z),
                        "merge the nodes that lie in one place", Where{.file = mesh.source, .element = mesh.cell_file_id[left]});
      }
      mesh.face_area[i] = area;
      mesh.face_normal[i] = g.area / area;
      mesh.face_centroid[i] = g.centroid;
    });
  });
}

}  // namespace

void add_faces(Mesh& mesh, const Subdomain& part, const IdVector<ZoneId, char>& periodic_zone, const Translations& translations,
               Team& team) {
  IdVector<ZoneId, BoundaryZoneId> boundary_of_zone(mesh.zones.size());
  for (const ZoneId z : mesh.zones.ids()) {
    if (mesh.zones[z].dim != mesh.dim - 1 || periodic_zone[z]) continue;
    boundary_of_zone[z] = mesh.boundary.push_back({mesh.zones[z].name, {}});
  }
  const FaceList list = FaceNumbering(mesh, part, boundary_of_zone, team).number();
  const auto range = [](std::int32_t first, std::int32_t last) { return FaceRange{LocalFaceId(first), LocalFaceId(last)}; };
  mesh.inner_faces = range(0, list.inner);
  mesh.interface_faces = range(list.inner, list.inner + list.interface);
  for (const BoundaryZoneId z : mesh.boundary.ids()) {
    mesh.boundary[z].faces = range(list.first_of_zone[z.index()], list.first_of_zone[z.index() + 1]);
  }

  measure_faces(mesh, part, list, translations, team);

  if (mesh.ghost_cells == 0) return;
  IdVector<LocalNodeId, std::int32_t> image_of_node(mesh.node_coord.size(), 0);
  for (std::int32_t g = mesh.owned_cells; g < mesh.cells(); ++g) {
    const std::int32_t image = mesh.plan.ghost(LocalRow(g)).image;
    if (image == 0) continue;
    for (const LocalNodeId n : mesh.cell_nodes.row(g)) image_of_node[n] = image;
  }
  for_indices(team, image_of_node.count(), [&](std::int64_t i) {
    const LocalNodeId n(i);
    if (image_of_node[n] != 0) mesh.node_coord[n] += translations.shift(image_of_node[n]);
  });
}

void check_closed(const Mesh& mesh, Team& team) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  agreed(mesh.comm, [&] {
    for_indices(team, mesh.owned_cells, [&](std::int64_t c) {
      const LocalCellId cell(c);
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
            fmt::format("the faces of the cell do not close (sum of their area vectors: {:.3g}, of their areas: {:.3g})",
                        norm(sum), total),
            "this is a bug: please report it", Where{.file = mesh.source, .element = mesh.cell_file_id[cell]});
      }
    });
  });
}

}  // namespace weft::mesh::detail
