// Reads Elements_t of a CGNS zone.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>

#include "weft/base/team_loops.hpp"
#include "weft/mesh/io/cgns_zone.hpp"
#include "weft/mesh/io/polyhedron.hpp"

namespace weft::mesh::detail {
namespace {

constexpr std::int64_t kNode = 2, kMixed = 20, kPolygons = 22, kPolyhedra = 23, kLastType = 56;

/// An element type of first or second order: its shape and its number of nodes, corners first.
struct ElementType {
  CellType shape;
  std::size_t nodes;
};

std::optional<ElementType> element_type(std::int64_t number) {
  constexpr std::array<std::pair<std::int64_t, ElementType>, 11> kSecondOrder{{{4, {CellType::line, 3}},
                                                                               {6, {CellType::triangle, 6}},
                                                                               {8, {CellType::quad, 8}},
                                                                               {9, {CellType::quad, 9}},
                                                                               {11, {CellType::tetrahedron, 10}},
                                                                               {13, {CellType::pyramid, 14}},
                                                                               {15, {CellType::prism, 15}},
                                                                               {16, {CellType::prism, 18}},
                                                                               {18, {CellType::hexahedron, 20}},
                                                                               {19, {CellType::hexahedron, 27}},
                                                                               {21, {CellType::pyramid, 13}}}};
  if (const auto type = cgns_type(number)) return ElementType{*type, static_cast<std::size_t>(shape(*type).nodes)};
  for (const auto& [second, type] : kSecondOrder) {
    if (second == number) return type;
  }
  return std::nullopt;
}

struct Section {
  CgnsNode node;
  std::int64_t type = 0, first = 0, last = 0;
  [[nodiscard]] std::int64_t count() const { return last - first + 1; }
  [[nodiscard]] std::string what() const { return fmt::format("section \"{}\"", node.name); }
};

class SectionReader {
 public:
  SectionReader(CgnsFile& file, CgnsZone& zone, CgnsMesh& mesh, std::int32_t cell_tag, Team& team)
      : file_(file), zone_(zone), mesh_(mesh), cell_tag_(cell_tag), team_(team) {}

  void read() {
    const std::vector<Section> sections = list();
    for (const Section& section : sections) {
      zone_.section.push_back(section.node.name);
      if (section.type == kMixed) {
        read_mixed(section);
      } else if (section.type == kPolygons) {
        read_polygons(section);
      } else if (section.type != kPolyhedra && section.type != kNode) {
        read_plain(section);
      }
    }
    bool polyhedra = false;
    for (const Section& section : sections) {
      if (section.type != kPolyhedra) continue;
      polyhedra = true;
      read_polyhedra(section);
    }
    if (!polyhedra && mesh_.dim == 3) read_parents(sections);
    file_.place.set_element(-1);
  }

 private:
  /// Reads elements in the order of their numbers.
  std::vector<Section> list() {
    std::vector<Section> sections;
    for (const CgnsNode& node : file_.children(zone_.node, "Elements_t")) {
      const auto type = file_.integers(node), range = file_.integers(file_.need(node, "ElementRange"));
      Section section{node, type.empty() ? -1 : type[0], range.size() == 2 ? range[0] : 0, range.size() == 2 ? range[1] : -1};
      if (section.first < 1 || section.last < section.first) {
        file_.fail(fmt::format("{} has no proper ElementRange", section.what()),
                   "it must be two numbers, from 1 up: write the mesh again");
      }
      check_type(section.type);
      sections.push_back(std::move(section));
    }
    std::stable_sort(sections.begin(), sections.end(), [](const Section& a, const Section& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < sections.size(); ++i) {
      if (sections[i].first > sections[i - 1].last) continue;
      file_.fail(fmt::format("{} and {} both have element {}", sections[i - 1].what(), sections[i].what(), sections[i].first),
                 "element numbers are unique in a zone: write the mesh again");
    }
    return sections;
  }

  void check_type(std::int64_t type) const {
    if (type == kNode || type == kMixed || type == kPolygons || type == kPolyhedra || element_type(type)) return;
    if (type > 3 && type <= kLastType)
      file_.fail(fmt::format("element type {} is of third or higher order", type),
                 "elements of first and second order are read: mesh again with order 1");
    file_.fail(fmt::format("unknown element type {}", type), kTruncated);
  }

  std::vector<std::int64_t> connectivity(const Section& section) const {
    return file_.integers(file_.need(section.node, "ElementConnectivity"));
  }

  /// Reads ElementStartOffset: from 0 to `end`, ascending. Empty if missing, as before CGNS 4.
  std::vector<std::int64_t> offsets(const Section& section, std::size_t end) const {
    const auto node = file_.child(section.node, "ElementStartOffset");
    if (!node) return {};
    std::vector<std::int64_t> offset = file_.integers(*node);
    if (static_cast<std::int64_t>(offset.size()) - 1 != section.count() || offset.front() != 0 ||
        offset.back() != static_cast<std::int64_t>(end) || !std::is_sorted(offset.begin(), offset.end())) {
      file_.fail(fmt::format("ElementStartOffset of {} does not fit its ElementConnectivity", section.what()), kTruncated);
    }
    return offset;
  }

  [[noreturn]] void wrong_length(const Section& section, std::size_t length) const {
    file_.fail(fmt::format("{} announces {} elements, which do not fit the {} numbers of its ElementConnectivity", section.what(),
                           section.count(), length),
               kTruncated);
  }

  static constexpr std::size_t kMostNodes = 27;
  using Nodes = std::array<GlobalNodeId, kMostNodes>;

  /// Returns the nodes of an element, which exist and whose corners are distinct.
  Nodes nodes_of(const MeshCursor& place, const CellShape& form, std::span<const std::int64_t> vertices) const {
    const std::size_t corners = form.nodes;
    Nodes nodes;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      nodes[k] = cgns_vertex(place, zone_, vertices[k]);
      if (k < corners && std::find(vertices.begin(), vertices.begin() + k, vertices[k]) != vertices.begin() + k) {
        place.fail_at(-1, fmt::format("the {} has node {} twice", form.name, vertices[k]),
                      "collapsed elements are not read: write it as the shape it is (a collapsed hexahedron may be a prism)");
      }
    }
    return nodes;
  }

  /// Adds cells of one type with `each` nodes, numbered from `first`, on all threads.
  void add_cells(CellType type, std::size_t each, std::span<const std::int64_t> vertices, std::int64_t first) {
    const CellShape& form = shape(type);
    const auto cells = static_cast<std::int64_t>(vertices.size() / each);
    const RawMesh::Block block = mesh_.raw.append(type, cells, static_cast<std::int64_t>(each) - form.nodes, team_);
    for_shares(team_, cells, [&](LoopShare share) {
      MeshCursor place = file_.place;
      for (std::int64_t i = share.begin; i < share.end; ++i) {
        place.set_element(first + i);
        block.enter(i, nodes_of(place, form, vertices.subspan(i * each, each)), cell_tag_, first + i, -1);
      }
    });
    file_.place.set_element(first + cells - 1);
  }

  void add(CellType type, std::span<const std::int64_t> vertices, std::int64_t id) {
    file_.place.set_element(id);
    const CellShape& form = shape(type);
    if (form.dim < mesh_.dim - 1) return;
    if (form.dim > mesh_.dim)
      file_.fail(fmt::format("a {} cannot be a cell of a {}-D mesh", form.name, mesh_.dim),
                 "check the cell dimension of CGNSBase_t");
    const std::size_t corners = form.nodes;
    const Nodes nodes = nodes_of(file_.place, form, vertices);
    const std::span<const GlobalNodeId> all(nodes.data(), vertices.size());
    if (form.dim == mesh_.dim) {
      mesh_.raw.add(type, all.first(corners), cell_tag_, id, -1, all.subspan(corners));
    } else {
      add_face(all.first(corners), id, 1, all.subspan(corners));
    }
  }

  void add_face(std::span<const GlobalNodeId> nodes, std::int64_t id, std::int8_t uses, std::span<const GlobalNodeId> mid = {}) {
    CgnsFaces& faces = zone_.faces;
    faces.id.push_back(id);
    faces.node.insert(faces.node.end(), nodes.begin(), nodes.end());
    faces.offset.push_back(static_cast<std::int64_t>(faces.node.size()));
    faces.section.push_back(static_cast<std::int32_t>(zone_.section.size()) - 1);
    faces.uses.push_back(uses);
    faces.mid.insert(faces.mid.end(), mid.begin(), mid.end());
    faces.mid_offset.push_back(static_cast<std::int64_t>(faces.mid.size()));
  }

  void read_plain(const Section& section) {
    const auto [type, each] = *element_type(section.type);
    const std::vector<std::int64_t> vertices = connectivity(section);
    if (vertices.size() % each != 0 || static_cast<std::int64_t>(vertices.size() / each) != section.count())
      wrong_length(section, vertices.size());
    if (shape(type).dim == mesh_.dim) return add_cells(type, each, vertices, section.first);
    for (std::size_t i = 0; i < vertices.size() / each; ++i)
      add(type, std::span(vertices).subspan(i * each, each), section.first + static_cast<std::int64_t>(i));
  }

  /// Reads elements with a type each, with and without ElementStartOffset.
  void read_mixed(const Section& section) {
    const std::vector<std::int64_t> numbers = connectivity(section), offset = offsets(section, numbers.size());
    std::size_t at = 0;
    for (std::int64_t id = section.first; id <= section.last; ++id) {
      file_.place.set_element(id);
      if (at >= numbers.size()) wrong_length(section, numbers.size());
      if (!offset.empty() && offset[id - section.first] != static_cast<std::int64_t>(at))
        file_.fail(fmt::format("ElementStartOffset of {} does not fit its elements", section.what()), kTruncated);
      const std::int64_t number = numbers[at++];
      check_type(number);
      const auto type = element_type(number);
      if (!type && number != kNode) file_.fail(fmt::format("element type {} in a MIXED section", number), kTruncated);
      const std::size_t each = type ? type->nodes : 1;
      if (each > numbers.size() - at) wrong_length(section, numbers.size());
      if (type) add(type->shape, std::span(numbers).subspan(at, each), id);
      at += each;
    }
    if (at != numbers.size()) wrong_length(section, numbers.size());
  }

  /// Calls visit(element, its numbers) for NGON_n and NFACE_n. Before CGNS 4, the numbers of each element are preceded by
  /// their count.
  template <class Visit>
  void each_list(const Section& section, Visit&& visit) {
    const std::vector<std::int64_t> numbers = connectivity(section), offset = offsets(section, numbers.size());
    std::size_t at = 0;
    for (std::int64_t id = section.first; id <= section.last; ++id) {
      file_.place.set_element(id);
      std::size_t size = 0;
      if (offset.empty()) {
        if (at >= numbers.size() || numbers[at] < 0) wrong_length(section, numbers.size());
        size = numbers[at++];
      } else {
        const std::size_t k = id - section.first;
        size = offset[k + 1] - offset[k];
      }
      if (size > numbers.size() - at) wrong_length(section, numbers.size());
      visit(id, std::span(numbers).subspan(at, size));
      at += size;
    }
    if (at != numbers.size()) wrong_length(section, numbers.size());
  }

  void read_polygons(const Section& section) {
    std::vector<GlobalNodeId> nodes;
    each_list(section, [&](std::int64_t id, std::span<const std::int64_t> vertices) {
      if (mesh_.dim == 2) {
        if (vertices.size() != 3 && vertices.size() != 4) {
          file_.fail(fmt::format("the cell is a polygon of {} nodes", vertices.size()),
                     "cells are triangles and quads in 2-D: mesh without polygons");
        }
        return add(vertices.size() == 3 ? CellType::triangle : CellType::quad, vertices, id);
      }
      nodes.clear();
      for (const std::int64_t vertex : vertices) nodes.push_back(cgns_vertex(file_.place, zone_, vertex));
      add_face(nodes, id, 0);
    });
  }

  void read_polyhedra(const Section& section) {
    if (mesh_.dim != 3)
      file_.fail(fmt::format("{} holds polyhedra in a 2-D mesh", section.what()), "check the cell dimension of CGNSBase_t");
    each_list(section, [&](std::int64_t id, std::span<const std::int64_t> faces) { add_polyhedron(id, faces); });
  }

  /// Creates a cell. `faces`: element numbers, negative for faces that point into the cell.
  void add_polyhedron(std::int64_t id, std::span<const std::int64_t> faces) {
    file_.place.set_element(id);
    constexpr std::int64_t kMostFaces = 6;
    std::size_t most_nodes = 0;
    outline_.resize(faces.size());
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const std::int64_t number = faces[f] < 0 ? -std::max(faces[f], -std::numeric_limits<std::int64_t>::max()) : faces[f];
      const std::size_t at = zone_.faces.find(number);
      if (at == zone_.faces.size())
        file_.fail(fmt::format("its face {} does not exist", number),
                   "the faces of a cell are elements of NGON_n sections: write the mesh again");
      const auto nodes = zone_.faces.nodes(at);
      outline_[f].assign(nodes.begin(), nodes.end());
      if (faces[f] < 0) std::reverse(outline_[f].begin(), outline_[f].end());
      most_nodes = std::max(most_nodes, nodes.size());
      zone_.faces.uses[at] = static_cast<std::int8_t>(std::min(zone_.faces.uses[at] + 1, 2));
    }
    const auto cell = static_cast<std::int64_t>(faces.size()) > kMostFaces ? std::nullopt : shape_of(outline_);
    if (!cell) {
      file_.fail(
          fmt::format("the cell is a polyhedron of {} faces with up to {} nodes, not a tetrahedron, pyramid, prism or hexahedron",
                      faces.size(), most_nodes),
          "cells of these four shapes are read: mesh without polyhedra");
    }
    mesh_.raw.add(cell->type, std::span(cell->node).first(shape(cell->type).nodes), cell_tag_, id, -1);
  }

  /// Creates the cells that are defined by faces only: for each face, the cell out of which it points, and the cell into
  /// which it points (0: none). Those of other sections have been read with them.
  void read_parents(const std::vector<Section>& sections) {
    std::vector<std::pair<std::int64_t, std::int64_t>> sides;  // cell, signed face
    const auto add_side = [&](std::int64_t cell, std::int64_t face) {
      const auto after = std::upper_bound(sections.begin(), sections.end(), cell,
                                          [](std::int64_t id, const Section& section) { return id < section.first; });
      const bool known = after != sections.begin() && cell <= after[-1].last && after[-1].type != kPolygons;
      if (cell > 0 && known) {
        std::int8_t& uses = zone_.faces.uses[zone_.faces.find(std::abs(face))];
        uses = static_cast<std::int8_t>(std::min(uses + 1, 2));
      } else if (cell > 0) {
        sides.emplace_back(cell, face);
      }
    };
    for (const Section& section : sections) {
      const auto node = section.type == kPolygons ? file_.child(section.node, "ParentElements") : std::nullopt;
      if (!node) continue;
      const std::vector<std::int64_t> parents = file_.integers(*node);
      const std::size_t count = section.count();
      if (parents.size() != 2 * count)
        file_.fail(fmt::format("ParentElements of {} does not fit its elements", section.what()), kTruncated);
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t face = section.first + static_cast<std::int64_t>(i);
        add_side(parents[i], face);
        add_side(parents[count + i], -face);
      }
    }
    std::sort(sides.begin(), sides.end());
    std::vector<std::int64_t> faces;
    for (std::size_t i = 0; i < sides.size();) {
      faces.clear();
      const std::int64_t cell = sides[i].first;
      for (; i < sides.size() && sides[i].first == cell; ++i) faces.push_back(sides[i].second);
      add_polyhedron(cell, faces);
    }
  }

  CgnsFile& file_;
  CgnsZone& zone_;
  CgnsMesh& mesh_;
  std::int32_t cell_tag_;
  Team& team_;
  std::vector<std::vector<GlobalNodeId>> outline_;
};

}  // namespace

void read_cgns_sections(CgnsFile& file, CgnsZone& zone, CgnsMesh& mesh, std::int32_t cell_tag, Team& team) {
  SectionReader(file, zone, mesh, cell_tag, team).read();
}

}  // namespace weft::mesh::detail
