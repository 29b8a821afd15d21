// Reads ZoneBC_t of a CGNS zone, and its substitutes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "weft/mesh/build/face_match.hpp"
#include "weft/mesh/io/cgns_zone.hpp"

namespace weft::mesh::detail {
namespace {

CellType face_type(std::size_t nodes) { return nodes == 2 ? CellType::line : nodes == 3 ? CellType::triangle : CellType::quad; }

/// Vertices or faces of a BC_t or a connectivity.
struct PointSet {
  bool is_range = false;
  std::vector<std::int64_t> numbers;
  std::string location;
};

class BoundaryReader {
 public:
  BoundaryReader(CgnsFile& file, const CgnsZone& zone, CgnsMesh& mesh) : file_(file), zone_(zone), mesh_(mesh) {}

  void read() {
    bool any = false;
    for (const CgnsNode& list : file_.children(zone_.node, "ZoneBC_t")) {
      for (const CgnsNode& condition : file_.children(list, "BC_t")) {
        any = true;
        if (file_.has_data(condition) && file_.text(condition).starts_with("BCDegenerate")) continue;  // a line or a point
        add(file_.text_of(condition, "FamilyName", condition.name), condition);
      }
    }
    for (const CgnsNode& list : file_.children(zone_.node, "ZoneGridConnectivity_t")) {
      for (const char* label : {"GridConnectivity_t", "GridConnectivity1to1_t"}) {
        for (const CgnsNode& link : file_.children(list, label)) {
          if (is_periodic(file_, link)) add(link.name, link);
        }
      }
    }
    if (!any) add_sections();
    file_.place.set_element(-1);
    file_.place.set_zone(zone_.node.name);
  }

 private:
  void add_sections() {
    for (std::size_t i = 0; i < zone_.faces.size(); ++i) {
      if (zone_.faces.uses[i] == 1) add_face(i, mesh_.tag(mesh_.dim - 1, zone_.section[zone_.faces.section[i]]));
    }
  }

  void add(const std::string& name, const CgnsNode& node) {
    file_.place.set_zone(name);
    file_.place.set_element(-1);
    const std::optional<PointSet> set = point_set(node);
    if (!set) file_.fail("the boundary condition names no faces", "it needs a PointRange or a PointList: write the mesh again");
    if (set->numbers.empty()) return;
    const std::int32_t tag = mesh_.tag(mesh_.dim - 1, name);
    if (zone_.structured()) return add_block_face(*set, tag);
    if (set->location == "Vertex") return add_vertices(*set, tag);
    add_elements(*set, tag);
  }

  std::optional<PointSet> point_set(const CgnsNode& node) const {
    constexpr std::array<const char*, 4> kNames{"PointRange", "PointList", "ElementRange", "ElementList"};
    for (const char* name : kNames) {
      const auto child = file_.child(node, name);
      if (!child) continue;
      const std::string_view view(name);
      PointSet set{view.ends_with("Range"), file_.integers(*child), file_.text_of(node, "GridLocation", "Vertex")};
      if (view.starts_with("Element")) set.location = "FaceCenter";
      if (set.is_range && set.numbers.size() != 2 * index_dim())
        file_.fail(fmt::format("its {} holds {} numbers", name, set.numbers.size()), kTruncated);
      return set;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::size_t index_dim() const { return zone_.structured() ? mesh_.dim : 1; }

  void add_face(std::size_t i, std::int32_t tag) {
    const auto nodes = zone_.faces.nodes(i);
    file_.place.set_element(zone_.faces.id[i]);
    if (std::ssize(nodes) < mesh_.dim || nodes.size() > (mesh_.dim == 2 ? 2U : kMaxFaceNodes))
      file_.fail(fmt::format("the face has {} nodes", nodes.size()), "faces of 3 and 4 nodes are read: mesh without polyhedra");
    mesh_.raw.add(face_type(nodes.size()), nodes, tag, zone_.faces.id[i], -1, zone_.faces.mid_nodes(i));
  }

  /// Adds elements by number.
  void add_elements(const PointSet& set, std::int32_t tag) {
    const auto missing = [&](std::int64_t element) {
      file_.place.set_element(element);
      file_.fail("the boundary condition names this element, which is no face",
                 fmt::format("its elements must be in sections of {}: write the mesh again",
                             mesh_.dim == 2 ? "lines" : "triangles, quads or polygons"));
    };
    if (!set.is_range) {
      for (const std::int64_t element : set.numbers) {
        const std::size_t at = zone_.faces.find(element);
        if (at == zone_.faces.size()) missing(element);
        add_face(at, tag);
      }
      return;
    }
    const auto [low, high] = std::minmax(set.numbers[0], set.numbers[1]);
    std::int64_t expected = low;
    const auto& ids = zone_.faces.id;
    for (std::size_t at = std::lower_bound(ids.begin(), ids.end(), low) - ids.begin();; ++at) {
      if (expected > high) break;
      if (at == ids.size() || ids[at] != expected) missing(expected);
      add_face(at, tag);
      ++expected;
    }
  }

  /// Adds the faces with a single cell whose nodes are all in the set.
  void add_vertices(const PointSet& set, std::int32_t tag) {
    std::vector<bool> in(zone_.nodes, false);
    const auto mark = [&](std::int64_t vertex) { in[cgns_vertex(file_.place, zone_, vertex).value() - zone_.first_node] = true; };
    if (set.is_range) {
      const auto [low, high] = std::minmax(set.numbers[0], set.numbers[1]);
      mark(low), mark(high);
      std::fill(in.begin() + low - 1, in.begin() + high, true);
    } else {
      for (const std::int64_t vertex : set.numbers) mark(vertex);
    }
    struct Face {
      int count = 0, size = 0;
      std::array<GlobalNodeId, kMaxFaceNodes> node{};
      std::int64_t cell = 0;
    };
    std::map<FaceKey, Face> found;
    const Elements& cells = mesh_.raw.of_dim[mesh_.dim].list;
    for (std::int64_t c = zone_.first_cell; c < cells.size(); ++c) {
      const auto nodes = cells.nodes(c);
      const auto of_set = [&](int k) { return in[nodes[k].value() - zone_.first_node]; };
      const CellShape& form = shape(cells.type[c]);
      for (int f = 0; f < form.faces; ++f) {
        const CellFace& face = form.face[f];
        if (!std::all_of(face.node.begin(), face.node.begin() + face.size, of_set)) continue;
        FaceKey key{};
        Face entry{1, face.size, {}, cells.file_id[c]};
        for (int k = 0; k < face.size; ++k) {
          entry.node[k] = nodes[face.node[k]];
          key[k] = entry.node[k];
        }
        std::sort(key.begin(), key.begin() + face.size);
        if (const auto [at, is_new] = found.emplace(key, entry); !is_new) ++at->second.count;
      }
    }
    bool any = false;
    for (const auto& [key, face] : found) {
      if (face.count != 1) continue;
      const std::size_t size = face.size;
      mesh_.raw.add(face_type(size), {face.node.data(), size}, tag, face.cell, -1);
      any = true;
    }
    if (!any)
      file_.fail("its vertices hold no face of the boundary",
                 "list all vertices of the faces, or the faces (GridLocation FaceCenter)");
  }

  /// Adds a side of a block, or a part of one.
  void add_block_face(const PointSet& set, std::int32_t tag) {
    if (!set.is_range) file_.fail("a PointList in a structured zone", "boundaries of structured zones are read as PointRange");
    const std::size_t dims = index_dim();
    std::array<std::int64_t, 3> low{1, 1, 1}, high{1, 1, 1};
    for (std::size_t d = 0; d < dims; ++d) std::tie(low[d], high[d]) = std::minmax(set.numbers[d], set.numbers[dims + d]);
    const std::size_t normal = normal_of(set, low, high);
    if (set.location != "Vertex") {
      for (std::size_t d = 0; d < dims; ++d) high[d] += d == normal ? 0 : 1;
    }
    for (std::size_t d = 0; d < dims; ++d) {
      if (low[d] >= 1 && high[d] <= zone_.size[d]) continue;
      file_.fail(fmt::format("its range leaves the block of {} x {} x {} vertices", zone_.size[0], zone_.size[1], zone_.size[2]),
                 kTruncated);
    }
    const std::size_t u = normal == 0 ? 1 : 0, v = normal == 2 || dims == 2 ? 1 : 2;
    const auto node = [&](std::array<std::int64_t, 3> at, std::int64_t du, std::int64_t dv) {
      at[u] += du, at[v] += dv;
      return GlobalNodeId(zone_.first_node + at[0] - 1 + zone_.size[0] * (at[1] - 1 + zone_.size[1] * (at[2] - 1)));
    };
    std::int64_t id = 0;
    std::array<std::int64_t, 3> at = low;
    if (dims == 2) {
      for (; at[u] < high[u]; ++at[u]) mesh_.raw.add(CellType::line, std::array{node(at, 0, 0), node(at, 1, 0)}, tag, ++id, -1);
      return;
    }
    for (at[v] = low[v]; at[v] < high[v]; ++at[v]) {
      for (at[u] = low[u]; at[u] < high[u]; ++at[u])
        mesh_.raw.add(CellType::quad, std::array{node(at, 0, 0), node(at, 1, 0), node(at, 1, 1), node(at, 0, 1)}, tag, ++id, -1);
    }
  }

  /// Returns the direction in which a range of a block has no extent.
  [[nodiscard]] std::size_t normal_of(const PointSet& set, const std::array<std::int64_t, 3>& low,
                                      const std::array<std::int64_t, 3>& high) const {
    constexpr std::array<const char*, 3> kCentered{"IFaceCenter", "JFaceCenter", "KFaceCenter"};
    const bool any_face = set.location == "Vertex" || set.location == "FaceCenter" || set.location == "EdgeCenter";
    std::size_t normal = 0, count = 0;
    for (std::size_t d = 0; d < index_dim(); ++d) {
      if (low[d] != high[d] || !(any_face || set.location == kCentered[d])) continue;
      normal = d;
      ++count;
    }
    if (count != 1)
      file_.fail(fmt::format("its range (GridLocation {}) is not one side of the block", set.location),
                 "exactly one index must be constant: write the mesh again");
    return normal;
  }

  CgnsFile& file_;
  const CgnsZone& zone_;
  CgnsMesh& mesh_;
};

}  // namespace

void read_cgns_boundary(CgnsFile& file, const CgnsZone& zone, CgnsMesh& mesh) { BoundaryReader(file, zone, mesh).read(); }

}  // namespace weft::mesh::detail
