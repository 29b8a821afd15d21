#pragma once
/// Meshes as CGNS files with elements of different sizes in a section: polygons and polyhedra.
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "cgns_samples.hpp"

namespace weft::mesh::testing {

constexpr int kMixed = 20, kNgon = 22, kNface = 23;  ///< types of sections of CGNS

/// Returns the nodes of an element as a CGNS file numbers them.
inline Ints vertices(const Elements& elements, std::int64_t i) {
  Ints numbers;
  for (const GlobalNodeId node : elements.nodes(i)) numbers.push_back(static_cast<int>(node.value()) + 1);
  return numbers;
}

enum class PolyhedraAs { faces, faces_with_offsets, parents };

/// A face of a mesh, its zone (-1: inside), and the numbers of its cells, counted from 1 (0: none).
struct CgnsFace {
  Ints nodes;
  ZoneId zone;
  std::array<int, 2> cell{0, 0};
};

inline std::map<std::set<int>, CgnsFace> cgns_faces(const MeshBlock& block) {
  std::map<std::set<int>, CgnsFace> faces;
  for (std::int64_t c = 0; c < block.cells.size(); ++c) {
    const CellShape& form = shape(block.cells.type[static_cast<std::size_t>(c)]);
    const Ints of_cell = vertices(block.cells, c);
    for (int f = 0; f < form.faces; ++f) {
      const CellFace& of_form = form.face[static_cast<std::size_t>(f)];
      Ints nodes;
      for (int k = 0; k < of_form.size; ++k)
        nodes.push_back(of_cell[static_cast<std::size_t>(of_form.node[static_cast<std::size_t>(k)])]);
      CgnsFace& face = faces[std::set<int>(nodes.begin(), nodes.end())];
      if (face.nodes.empty()) face.nodes = nodes;
      face.cell[face.cell[0] == 0 ? 0 : 1] = static_cast<int>(c) + 1;
    }
  }
  for (std::int64_t i = 0; i < block.boundary.size(); ++i) {
    const Ints nodes = vertices(block.boundary, i);
    faces.at(std::set<int>(nodes.begin(), nodes.end())).zone = block.boundary.zone[static_cast<std::size_t>(i)];
  }
  return faces;
}

/// Returns a mesh with its faces as NGON_n: those inside in a section, then the boundary faces in a section per zone, then the
/// cells as NFACE_n ("Cells"), or as the parents of the faces.
inline CgnsTree polyhedra(const MeshBlock& block, PolyhedraAs as) {
  const auto faces = cgns_faces(block);
  const auto cells = static_cast<int>(block.cells.size());
  CgnsTree root = cgns_base(3, 3), zone = cgns_zone("Zone", block.coords, 3, cells);
  const bool offsets = as == PolyhedraAs::faces_with_offsets;
  std::vector<Ints> of_cell(static_cast<std::size_t>(cells));
  int id = 0;
  for (const ZoneId z : IdRange{ZoneId::invalid(), ZoneId(block.zones.size())}) {
    Ints numbers, offset{0}, left, right;
    const int first = id + 1;
    for (const auto& [key, face] : faces) {
      if (face.zone != z) continue;
      ++id;
      if (!offsets) numbers.push_back(static_cast<int>(face.nodes.size()));
      numbers.insert(numbers.end(), face.nodes.begin(), face.nodes.end());
      offset.push_back(static_cast<int>(numbers.size()));
      const int shift = static_cast<int>(faces.size());
      left.push_back(face.cell[0] + shift);
      right.push_back(face.cell[1] == 0 ? 0 : face.cell[1] + shift);
      of_cell[static_cast<std::size_t>(face.cell[0]) - 1].push_back(id);
      if (face.cell[1] > 0) of_cell[static_cast<std::size_t>(face.cell[1]) - 1].push_back(-id);
    }
    if (left.empty()) continue;  // a zone of cells
    CgnsTree section =
        cgns_section(z.valid() ? block.zones[z].name : "inside", kNgon, first, id, numbers, offsets ? offset : Ints{});
    left.insert(left.end(), right.begin(), right.end());
    if (as == PolyhedraAs::parents) section.add({"ParentElements", "DataArray_t", left, {}, {}, {}});
    zone.add(section);
  }
  if (as != PolyhedraAs::parents) {
    Ints numbers, offset{0};
    for (const Ints& cell : of_cell) {
      if (!offsets) numbers.push_back(static_cast<int>(cell.size()));
      numbers.insert(numbers.end(), cell.begin(), cell.end());
      offset.push_back(static_cast<int>(numbers.size()));
    }
    zone.add(cgns_section("Cells", kNface, id + 1, id + cells, numbers, offsets ? offset : Ints{}));
  }
  root.at("Base").add(zone);
  return root;
}

}  // namespace weft::mesh::testing
