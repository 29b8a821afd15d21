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

/// Returns the whole mesh. Zones: xmin, xmax, ymin, ymax (zmin, zmax) and the volume zone "fluid".
inline MeshBlock make_box(const Box& b) {
  MeshBlock block;
  block.dim = b.dim;
  block.source = "box";
  const int nz = b.dim == 3 ? b.n[2] : 1;
  const std::array<std::string, 6> names{"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  for (int z = 0; z < 2 * b.dim; ++z) block.zones.push_back({names[static_cast<std::size_t>(z)], b.dim - 1});
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
  const auto add = [](Elements& to, CellType type, const std::vector<GlobalNodeId>& nodes, std::int32_t zone) {
    to.add(type, nodes, zone, to.size());
  };
  const std::int32_t fluid = 2 * b.dim;
  // Faces of a box are split along common diagonals: 0-2 and 1-3 of the pattern below.
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < b.n[1]; ++j) {
      for (int i = 0; i < b.n[0]; ++i) {
        std::array<GlobalNodeId, 8> c{node(i, j, 0), node(i + 1, j, 0), node(i + 1, j + 1, 0), node(i, j + 1, 0)};
        if (b.dim == 2) {
          if (b.type == CellType::quad) {
            add(block.cells, CellType::quad, {c[0], c[1], c[2], c[3]}, fluid);
          } else {
            add(block.cells, CellType::triangle, {c[0], c[1], c[2]}, fluid);
            add(block.cells, CellType::triangle, {c[0], c[2], c[3]}, fluid);
          }
          continue;
        }
        c = {node(i, j, k),     node(i + 1, j, k),     node(i + 1, j + 1, k),     node(i, j + 1, k),
             node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)};
        const auto at = [&](int s) { return c[static_cast<std::size_t>(s)]; };
        switch (b.type) {
          case CellType::hexahedron:
            add(block.cells, b.type, {c.begin(), c.end()}, fluid);
            break;
          case CellType::prism:
            add(block.cells, b.type, {at(0), at(1), at(2), at(4), at(5), at(6)}, fluid);
            add(block.cells, b.type, {at(0), at(2), at(3), at(4), at(6), at(7)}, fluid);
            break;
          case CellType::tetrahedron:  // the six paths from corner 0 to corner 6
            for (const auto& path :
                 {std::array{1, 2}, std::array{5, 1}, std::array{4, 5}, std::array{7, 4}, std::array{3, 7}, std::array{2, 3}}) {
              add(block.cells, b.type, {at(0), at(path[0]), at(path[1]), at(6)}, fluid);
            }
            break;
          case CellType::pyramid: {
            const GlobalNodeId apex(static_cast<std::int64_t>(block.coords.size()));
            block.coords.push_back(place(i + 0.5, j + 0.5, k + 0.5));
            for (const CellFace& f : shape(CellType::hexahedron).face) {  // bases point inwards
              add(block.cells, b.type, {at(f.node[3]), at(f.node[2]), at(f.node[1]), at(f.node[0]), apex}, fluid);
            }
            break;
          }
          default:
            break;
        }
      }
    }
  }
  // Faces on a side of the box, identified by their nodes.
  const std::int64_t lattice_nodes = std::int64_t{b.n[0] + 1} * (b.n[1] + 1) * (b.dim == 3 ? nz + 1 : 1);
  const auto on_side = [&](std::int64_t id, int side) {
    if (id >= lattice_nodes) return false;
    const std::array<std::int64_t, 3> at{id % (b.n[0] + 1), id / (b.n[0] + 1) % (b.n[1] + 1), id / (b.n[0] + 1) / (b.n[1] + 1)};
    return at[static_cast<std::size_t>(side / 2)] == (side % 2 == 0 ? 0 : b.n[static_cast<std::size_t>(side / 2)]);
  };
  for (std::int64_t cell = 0; cell < block.cells.size(); ++cell) {
    const CellShape& s = shape(block.cells.type[static_cast<std::size_t>(cell)]);
    for (int f = 0; f < s.faces; ++f) {
      const CellFace& face = s.face[static_cast<std::size_t>(f)];
      std::vector<GlobalNodeId> nodes;
      for (int i = 0; i < face.size; ++i)
        nodes.push_back(block.cells.nodes(cell)[static_cast<std::size_t>(face.node[static_cast<std::size_t>(i)])]);
      for (int side = 0; side < 2 * b.dim; ++side) {
        if (!std::all_of(nodes.begin(), nodes.end(), [&](GlobalNodeId id) { return on_side(id.value(), side); })) continue;
        add(block.boundary, face.size == 2 ? CellType::line : (face.size == 3 ? CellType::triangle : CellType::quad), nodes,
            side);
      }
    }
  }
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
