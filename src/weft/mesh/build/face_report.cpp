// Diagnosis of faces without a partner. It runs only for invalid meshes and prefers a clear message to speed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "weft/base/error.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/mesh/build/face_match.hpp"

namespace weft::mesh::detail {
namespace {

/// Number of faces that are examined in detail; the others are only counted.
constexpr std::size_t kMaxExamined = 2048;
/// Tolerance of positions on a face as a fraction of its size.
constexpr double kOnFace = 1e-6;

bool has_node(const FaceKey& key, GlobalNodeId node) { return std::find(key.begin(), key.end(), node) != key.end(); }

/// Returns true if `p` is in the triangle, including its edges.
bool in_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c, double tolerance) {
  const Vec3 n = cross(b - a, c - a);
  const double nn = dot(n, n);
  if (nn == 0) return false;
  const double height = dot(p - a, n);
  if (height * height > tolerance * tolerance * nn) return false;
  const double u = dot(cross(b - p, c - p), n) / nn, v = dot(cross(c - p, a - p), n) / nn;
  return u > -kOnFace && v > -kOnFace && u + v < 1 + kOnFace;
}

bool on_edge(Vec3 p, Vec3 a, Vec3 b, double tolerance) {
  const Vec3 d = b - a;
  const double t = dot(p - a, d) / dot(d, d);
  return t > 0 && t < 1 && norm(p - (a + t * d)) < tolerance;
}

/// Returns true if `p` is on the face with these corners (in any order) but not one of them.
bool on_face(Vec3 p, std::span<const Vec3> corner) {
  double size = 0, nearest = norm(p - corner[0]);
  for (const Vec3& x : corner) {
    size = std::max(size, norm(x - corner[0]));
    nearest = std::min(nearest, norm(p - x));
  }
  if (nearest > size || nearest < kOnFace * size) return false;
  const double tolerance = kOnFace * size;
  if (corner.size() == 2) return on_edge(p, corner[0], corner[1], tolerance);
  if (corner.size() == 3) return in_triangle(p, corner[0], corner[1], corner[2], tolerance);
  for (std::size_t skip = 0; skip < 4; ++skip) {  // a convex quadrilateral is the union of the triangles of its corners
    std::array<Vec3, 3> t;
    for (std::size_t i = 0, k = 0; i < 4; ++i) {
      if (i != skip) t[k++] = corner[i];
    }
    if (in_triangle(p, t[0], t[1], t[2], tolerance)) return true;
  }
  return false;
}

/// Returns the number of cells of the whole mesh with each of the (sorted) faces. @collective
std::vector<std::int32_t> count_cells(const Communicator& comm, const Elements& cells, const std::vector<FaceKey>& keys) {
  std::vector<std::int32_t> count(keys.size(), 0);
  for (std::int64_t c = 0; c < cells.size(); ++c) {
    const CellShape& s = shape(cells.type[c]);
    for (int f = 0; f < s.faces; ++f) {
      const FaceKey key = face_key(cells.nodes(c), s.face[f]);
      const auto found = std::lower_bound(keys.begin(), keys.end(), key);
      if (found != keys.end() && *found == key) ++count[found - keys.begin()];
    }
  }
  comm.sum(std::span<std::int32_t>(count));
  return count;
}

/// Marks as hanging those open faces that contain a node of another open face, or are part of one.
void find_hanging(std::vector<FaceProblem>& problems, const std::vector<GlobalNodeId>& ids, std::span<const Vec3> coords) {
  const auto coord = [&](GlobalNodeId id) { return coords[std::lower_bound(ids.begin(), ids.end(), id) - ids.begin()]; };
  std::vector<GlobalNodeId> open_nodes;
  for (const FaceProblem& p : problems) {
    if (p.fault != FaceFault::open) continue;
    for (const GlobalNodeId id : p.key) {
      if (id.valid()) open_nodes.push_back(id);
    }
  }
  kernels::sort_unique(open_nodes);
  std::vector<FaceKey> quads;
  for (const FaceProblem& p : problems) {
    if (p.fault == FaceFault::open && size_of(p.key) == 4) quads.push_back(p.key);
  }
  for (FaceProblem& p : problems) {
    if (p.fault != FaceFault::open) continue;
    std::vector<Vec3> corner;
    for (int i = 0; i < size_of(p.key); ++i) corner.push_back(coord(p.key[i]));
    const bool carries = std::any_of(open_nodes.begin(), open_nodes.end(),
                                     [&](GlobalNodeId id) { return !has_node(p.key, id) && on_face(coord(id), corner); });
    const bool is_part = size_of(p.key) == 3 && std::any_of(quads.begin(), quads.end(), [&](const FaceKey& quad) {
                           return has_node(quad, p.key[0]) && has_node(quad, p.key[1]) && has_node(quad, p.key[2]);
                         });
    if (carries || is_part) p.fault = FaceFault::hanging;
  }
}

}  // namespace

void report_faces(const Communicator& comm, const MeshBlock& block, const RowOffsets& cells, const RowOffsets& nodes,
                  const std::vector<FaceProblem>& problems) {
  const auto total = comm.sum(static_cast<std::int64_t>(problems.size()));
  const std::size_t share = std::max<std::size_t>(kMaxExamined / comm.size(), 16);
  std::vector<FaceProblem> all = comm.all_gather(std::span<const FaceProblem>(problems).first(std::min(problems.size(), share)));

  std::vector<FaceKey> keys;
  for (const FaceProblem& p : all) keys.push_back(p.key);
  kernels::sort_unique(keys);
  const std::vector<std::int32_t> count = count_cells(comm, block.cells, keys);
  for (FaceProblem& p : all) {
    const std::size_t at = std::lower_bound(keys.begin(), keys.end(), p.key) - keys.begin();
    if (p.fault == FaceFault::open && count[at] > 2) p.fault = FaceFault::shared_by_three;
    if (p.fault == FaceFault::no_cell && count[at] == 2) p.fault = FaceFault::inside;
  }

  std::vector<GlobalNodeId> ids;
  for (const FaceKey& key : keys) {
    for (const GlobalNodeId id : key) {
      if (id.valid()) ids.push_back(id);
    }
  }
  kernels::sort_unique(ids);
  const auto coords = fetch<Vec3>(comm, nodes, ids, block.coords);
  find_hanging(all, ids, coords);

  const FaceProblem& worst = *std::min_element(all.begin(), all.end(), [](const FaceProblem& a, const FaceProblem& b) {
    return std::tie(a.fault, a.key, a.element) < std::tie(b.fault, b.key, b.element);
  });
  Vec3 place;
  for (int i = 0; i < size_of(worst.key); ++i) {
    const auto at = std::lower_bound(ids.begin(), ids.end(), worst.key[i]) - ids.begin();
    place += coords[at] / size_of(worst.key);
  }
  Where where{.file = block.source, .zone = zone_name(block.zones, worst.zone), .element = worst.element};
  if (!worst.zone.valid()) {  // `element` is a cell: use its number in the file
    const std::array cell{GlobalCellId(worst.element)};
    where.element = fetch<std::int64_t>(comm, cells, cell, block.cells.file_id).front();
  }
  const std::string at = fmt::format("at ({:.6g}, {:.6g}, {:.6g})", place.x, place.y, place.z);
  const std::string others = total > 1 ? fmt::format(" ({} faces of the mesh have problems)", total) : std::string{};
  switch (worst.fault) {
    case FaceFault::shared_by_three:
      throw MeshError(fmt::format("a face {} belongs to three or more cells{}", at, others),
                      "remove the cells that are given twice or overlap", std::move(where));
    case FaceFault::inside:
      throw MeshError(fmt::format("the boundary element {} lies between two cells{}", at, others),
                      "remove it: only outer faces of the mesh can be in a boundary zone", std::move(where));
    case FaceFault::duplicate:
      throw MeshError(fmt::format("the boundary element {} is given twice{}", at, others),
                      "give each boundary element once, in one zone", std::move(where));
    case FaceFault::no_cell:
      throw MeshError(fmt::format("the boundary element {} is not a face of any cell{}", at, others),
                      "give it the nodes of a face of a cell, or remove it", std::move(where));
    case FaceFault::hanging:
      throw MeshError(fmt::format("a face {} does not match the faces opposite, as at a hanging node{}", at, others),
                      "remesh so that neighbouring cells share whole faces", std::move(where));
    case FaceFault::open:
      break;
  }
  throw MeshError(fmt::format("a face {} has one cell and belongs to no boundary zone{}", at, others),
                  "put every outer face of the mesh into a boundary zone", std::move(where));
}

}  // namespace weft::mesh::detail
