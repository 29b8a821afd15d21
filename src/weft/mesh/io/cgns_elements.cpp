#include "weft/mesh/io/cgns_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "weft/mesh/io/polyhedron.hpp"

namespace weft::mesh::detail {

std::optional<CgnsElementType> cgns_element_type(std::int64_t number) {
  constexpr std::array<std::pair<std::int64_t, CgnsElementType>, 11> kSecondOrder{{{4, {CellType::line, 3}},
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
  if (const auto type = cgns_type(number)) return CgnsElementType{*type, static_cast<std::size_t>(shape(*type).nodes)};
  for (const auto& [second, type] : kSecondOrder) {
    if (second == number) return type;
  }
  return std::nullopt;
}

CgnsNodes cgns_nodes(const MeshCursor& place, const CgnsZone& zone, const CellShape& form,
                     std::span<const std::int64_t> vertices) {
  const std::size_t corners = form.nodes;
  CgnsNodes nodes;
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    nodes[k] = cgns_vertex(place, zone, vertices[k]);
    if (k < corners && std::find(vertices.begin(), vertices.begin() + k, vertices[k]) != vertices.begin() + k) {
      place.fail_at(-1, fmt::format("the {} has node {} twice", form.name, vertices[k]),
                    "collapsed elements are not read: write it as the shape it is (a collapsed hexahedron may be a prism)");
    }
  }
  return nodes;
}

void CgnsElements::add(CellType type, std::span<const std::int64_t> vertices, std::int64_t id) {
  place.set_element(id);
  const CellShape& form = shape(type);
  if (form.dim < dim_ - 1) return;
  if (form.dim > dim_)
    fail(fmt::format("a {} cannot be a cell of a {}-D mesh", form.name, dim_), "check the cell dimension of CGNSBase_t");
  const std::size_t corners = form.nodes;
  const CgnsNodes nodes = cgns_nodes(place, zone_, form, vertices);
  const std::span<const GlobalNodeId> all(nodes.data(), vertices.size());
  if (form.dim == dim_) {
    cells_.add(type, all.first(corners), cell_tag_, id, -1, all.subspan(corners));
  } else {
    add_face(all.first(corners), id, 1, all.subspan(corners));
  }
}

void CgnsElements::add_face(std::span<const GlobalNodeId> nodes, std::int64_t id, std::int8_t uses,
                            std::span<const GlobalNodeId> mid) {
  faces_.add(nodes, id, static_cast<std::int32_t>(zone_.section.size()) - 1, uses, mid);
}

void CgnsElements::add_polygon(std::span<const std::int64_t> vertices, std::int64_t id) {
  place.set_element(id);
  if (dim_ == 2) {
    if (vertices.size() != 3 && vertices.size() != 4) {
      fail(fmt::format("the cell is a polygon of {} nodes", vertices.size()),
           "cells are triangles and quads in 2-D: mesh without polygons");
    }
    return add(vertices.size() == 3 ? CellType::triangle : CellType::quad, vertices, id);
  }
  polygon_.clear();
  for (const std::int64_t vertex : vertices) polygon_.push_back(cgns_vertex(place, zone_, vertex));
  add_face(polygon_, id, 0, {});
}

void CgnsElements::add_polyhedron(std::span<const std::int64_t> faces, std::int64_t id) {
  place.set_element(id);
  constexpr std::int64_t kMostFaces = 6;
  std::size_t most_nodes = 0;
  outline_.resize(faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const std::int64_t number = faces[f] < 0 ? -std::max(faces[f], -std::numeric_limits<std::int64_t>::max()) : faces[f];
    const std::size_t at = zone_.faces.find(number);
    if (at == zone_.faces.size())
      fail(fmt::format("its face {} does not exist", number),
           "the faces of a cell are elements of NGON_n sections: write the mesh again");
    const auto nodes = zone_.faces.nodes(at);
    outline_[f].assign(nodes.begin(), nodes.end());
    if (faces[f] < 0) std::reverse(outline_[f].begin(), outline_[f].end());
    most_nodes = std::max(most_nodes, nodes.size());
    zone_.faces.use(at);
  }
  const auto cell = static_cast<std::int64_t>(faces.size()) > kMostFaces ? std::nullopt : shape_of(outline_);
  if (!cell) {
    fail(fmt::format("the cell is a polyhedron of {} faces with up to {} nodes, not a tetrahedron, pyramid, prism or hexahedron",
                     faces.size(), most_nodes),
         "cells of these four shapes are read: mesh without polyhedra");
  }
  cells_.add(cell->type, std::span(cell->node).first(shape(cell->type).nodes), cell_tag_, id, -1);
}

}  // namespace weft::mesh::detail
