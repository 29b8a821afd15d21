#pragma once
// Small meshes for the tests of mesh::build: created on every rank, modified, then distributed in chunks.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::test {

struct Box {
  int dim = 3;
  std::array<int, 3> n{2, 2, 2};         // boxes per direction
  CellType type = CellType::hexahedron;  // each box is one hexahedron, 2 prisms, 6 tetrahedra or 6 pyramids; 1 quad, 2 triangles
  Vec3 size{1, 1, 1};
  std::function<Vec3(Vec3)> warp = nullptr;
};

inline std::int64_t nodes_of(const Box& b) {
  const std::int64_t base = std::int64_t{b.n[0] + 1} * (b.n[1] + 1) * (b.dim == 3 ? b.n[2] + 1 : 1);
  return base + (b.type == CellType::pyramid ? std::int64_t{b.n[0]} * b.n[1] * b.n[2] : 0);
}

/// Adds an element whose file id is its number.
inline void add_element(Elements& to, CellType type, const std::vector<GlobalNodeId>& nodes, std::int32_t zone) {
  to.add(type, nodes, ZoneId(zone), to.size());
}

/// Adds the cells of the hexahedron with the corners `c`, divided along common diagonals. @param center  apex of pyramids.
inline void add_divided(MeshBlock& block, CellType type, const std::array<GlobalNodeId, 8>& c, const Vec3& center,
                        std::int32_t zone) {
  switch (type) {
    case CellType::hexahedron:
      add_element(block.cells, type, {c.begin(), c.end()}, zone);
      break;
    case CellType::prism:
      add_element(block.cells, type, {c[0], c[1], c[2], c[4], c[5], c[6]}, zone);
      add_element(block.cells, type, {c[0], c[2], c[3], c[4], c[6], c[7]}, zone);
      break;
    case CellType::tetrahedron:  // the six paths from corner 0 to corner 6
      for (const auto& path :
           {std::array{1, 2}, std::array{5, 1}, std::array{4, 5}, std::array{7, 4}, std::array{3, 7}, std::array{2, 3}}) {
        add_element(block.cells, type, {c[0], c[path[0]], c[path[1]], c[6]}, zone);
      }
      break;
    case CellType::pyramid: {
      const GlobalNodeId apex(block.coords.size());
      block.coords.push_back(center);
      for (const CellFace& f : shape(CellType::hexahedron).face) {  // bases point inwards
        add_element(block.cells, type, {c[f.node[3]], c[f.node[2]], c[f.node[1]], c[f.node[0]], apex}, zone);
      }
      break;
    }
    default:
      break;
  }
}

/// Adds the faces of cells that lie on a side of the box, identified by their nodes. Side i is zone i.
inline void add_sides(MeshBlock& block, const Box& b) {
  const std::int64_t nx = b.n[0] + 1, ny = b.n[1] + 1, lattice_nodes = nx * ny * (b.dim == 3 ? b.n[2] + 1 : 1);
  const auto on_side = [&](GlobalNodeId node, int side) {
    const std::int64_t id = node.value();
    const std::array<std::int64_t, 3> at{id % nx, id / nx % ny, id / nx / ny};
    return id < lattice_nodes && at[side / 2] == (side % 2 == 0 ? 0 : b.n[side / 2]);
  };
  for (std::int64_t cell = 0; cell < block.cells.size(); ++cell) {
    const CellShape& s = shape(block.cells.type[cell]);
    for (int f = 0; f < s.faces; ++f) {
      const CellFace& face = s.face[f];
      std::vector<GlobalNodeId> nodes;
      for (int i = 0; i < face.size; ++i) nodes.push_back(block.cells.nodes(cell)[face.node[i]]);
      const CellType type = face.size == 2 ? CellType::line : (face.size == 3 ? CellType::triangle : CellType::quad);
      for (int side = 0; side < 2 * b.dim; ++side) {
        if (std::ranges::all_of(nodes, [&](GlobalNodeId id) { return on_side(id, side); })) {
          add_element(block.boundary, type, nodes, side);
        }
      }
    }
  }
}

/// Returns the whole mesh. Zones: xmin, xmax, ymin, ymax (zmin, zmax) and the volume zone "fluid".
inline MeshBlock make_box(const Box& b) {
  MeshBlock block;
  block.dim = b.dim;
  block.source = "box";
  const int nz = b.dim == 3 ? b.n[2] : 1;
  const std::array<std::string, 6> names{"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  for (int z = 0; z < 2 * b.dim; ++z) block.zones.push_back({names[z], b.dim - 1});
  block.zones.push_back({"fluid", b.dim});
  const auto place = [&](double i, double j, double k) {
    Vec3 x{b.size.x * i / b.n[0], b.size.y * j / b.n[1], b.dim == 3 ? b.size.z * k / nz : 0.0};
    return b.warp ? b.warp(x) : x;
  };
  for (int k = 0; k <= (b.dim == 3 ? nz : 0); ++k) {
    for (int j = 0; j <= b.n[1]; ++j) {
      for (int i = 0; i <= b.n[0]; ++i) block.coords.push_back(place(i, j, k));
    }
  }
  const auto node = [&](int i, int j, int k) {
    return GlobalNodeId(i + std::int64_t{b.n[0] + 1} * (j + std::int64_t{b.n[1] + 1} * k));
  };
  const std::int32_t fluid = 2 * b.dim;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < b.n[1]; ++j) {
      for (int i = 0; i < b.n[0]; ++i) {
        std::array<GlobalNodeId, 8> c{node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k)};
        if (b.dim == 3) {
          for (int s = 0; s < 4; ++s) c[4 + s] = GlobalNodeId(c[s].value() + node(0, 0, 1).value());
          add_divided(block, b.type, c, place(i + 0.5, j + 0.5, k + 0.5), fluid);
        } else if (b.type == CellType::quad) {
          add_element(block.cells, CellType::quad, {c[0], c[1], c[2], c[3]}, fluid);
        } else {
          add_element(block.cells, CellType::triangle, {c[0], c[1], c[2]}, fluid);
          add_element(block.cells, CellType::triangle, {c[0], c[2], c[3]}, fluid);
        }
      }
    }
  }
  add_sides(block, b);
  return block;
}

/// Renumbers nodes and cells at random (file ids are kept with their cells).
inline MeshBlock shuffled(const MeshBlock& from, unsigned seed) {
  std::mt19937 random(seed);
  const auto permutation = [&](std::size_t n) {
    std::vector<std::size_t> p(n);
    std::iota(p.begin(), p.end(), std::size_t{0});
    for (std::size_t i = n; i > 1; --i) std::swap(p[i - 1], p[random() % i]);
    return p;
  };
  MeshBlock block = from;
  const auto node_to = permutation(from.coords.size());
  for (std::size_t i = 0; i < node_to.size(); ++i) block.coords[node_to[i]] = from.coords[i];
  const auto renumbered = [&](std::span<const GlobalNodeId> nodes) {
    std::vector<GlobalNodeId> out;
    for (const GlobalNodeId n : nodes) out.emplace_back(static_cast<std::int64_t>(node_to[n.index()]));
    return out;
  };
  block.cells = {};
  block.boundary = {};
  for (const std::size_t c : permutation(static_cast<std::size_t>(from.cells.size()))) {
    block.cells.add(from.cells.type[c], renumbered(from.cells.nodes(static_cast<std::int64_t>(c))), from.cells.zone[c],
                    from.cells.file_id[c]);
  }
  for (const std::size_t c : permutation(static_cast<std::size_t>(from.boundary.size()))) {
    block.boundary.add(from.boundary.type[c], renumbered(from.boundary.nodes(static_cast<std::int64_t>(c))),
                       from.boundary.zone[c], from.boundary.file_id[c]);
  }
  return block;
}

/// Returns this rank's chunk of a mesh that every rank has. Boundary elements are distributed cyclically.
/// @param sizes  number of cells that each rank gets and keeps in build(); empty: equal chunks, which a partitioner divides.
inline MeshBlock chunk(const Communicator& comm, const MeshBlock& whole, const std::vector<std::int64_t>& sizes = {}) {
  MeshBlock block;
  block.dim = whole.dim;
  block.source = whole.source;
  block.zones = whole.zones;
  const auto cut = [&](std::int64_t n, int rank) { return n * rank / comm.size(); };
  const int me = comm.rank().value();
  const auto nodes = static_cast<std::int64_t>(whole.coords.size());
  block.first_node = GlobalNodeId(cut(nodes, me));
  block.coords.assign(whole.coords.begin() + cut(nodes, me), whole.coords.begin() + cut(nodes, me + 1));
  const auto first_cell = [&](int rank) {
    return sizes.empty() ? cut(whole.cells.size(), rank) : std::accumulate(sizes.begin(), sizes.begin() + rank, std::int64_t{0});
  };
  block.first_cell = GlobalCellId(first_cell(me));
  const auto copy = [](const Elements& from, std::int64_t i, Elements& to) {
    const auto at = static_cast<std::size_t>(i);
    to.add(from.type[at], from.nodes(i), from.zone[at], from.file_id[at]);
  };
  for (std::int64_t c = first_cell(me); c < first_cell(me + 1); ++c) copy(whole.cells, c, block.cells);
  for (std::int64_t b = me; b < whole.boundary.size(); b += comm.size()) copy(whole.boundary, b, block.boundary);
  for (int r = 0; r < static_cast<int>(sizes.size()); ++r) {
    block.parts.cells.push_back(sizes[static_cast<std::size_t>(r)]);
    block.parts.nodes.push_back(cut(nodes, r + 1) - cut(nodes, r));
    block.parts.boundary.push_back((whole.boundary.size() - r + comm.size() - 1) / comm.size());
  }
  return block;
}

}  // namespace weft::mesh::test
