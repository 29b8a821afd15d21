// Merges coincident nodes at the interfaces of zones of a CGNS file.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "weft/base/mix.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/mesh/build/face_match.hpp"
#include "weft/mesh/io/cgns_zone.hpp"

namespace weft::mesh::detail {
namespace {

/// Sets of nodes to be merged, each represented by its lowest.
class Unions {
 public:
  explicit Unions(std::size_t nodes) : of_(nodes) { std::iota(of_.begin(), of_.end(), std::int64_t{0}); }

  [[nodiscard]] std::int64_t find(std::int64_t node) {
    while (at(node) != node) node = at(node) = at(at(node));
    return node;
  }
  void unite(std::int64_t a, std::int64_t b) {
    a = find(a), b = find(b);
    at(std::max(a, b)) = std::min(a, b);
  }

 private:
  std::int64_t& at(std::int64_t node) { return of_[node]; }
  std::vector<std::int64_t> of_;
};

struct Side {
  FaceKey key;
  bool boundary;
  auto operator<=>(const Side&) const = default;
};

template <class Node>
FaceKey key_of(int size, Node&& node) {
  FaceKey key{};
  for (int k = 0; k < size; ++k) key[k] = GlobalNodeId(node(k));
  std::sort(key.begin(), key.begin() + size);
  return key;
}

/// Returns the nodes of faces with one cell that are not in a boundary zone, ascending.
std::vector<std::int64_t> open_nodes(const CgnsMesh& mesh, Unions& unions) {
  std::vector<Side> sides;
  const Elements& cells = mesh.raw.of_dim[mesh.dim].list;
  const Elements& boundary = mesh.raw.of_dim[mesh.dim - 1].list;
  for (std::int64_t i = 0; i < cells.size(); ++i) {
    const auto nodes = cells.nodes(i);
    const CellShape& form = shape(cells.type[i]);
    for (int f = 0; f < form.faces; ++f) {
      const CellFace& face = form.face[f];
      const auto node = [&](int k) { return unions.find(nodes[face.node[k]].value()); };
      sides.push_back({key_of(face.size, node), false});
    }
  }
  for (std::int64_t i = 0; i < boundary.size(); ++i) {
    const auto nodes = boundary.nodes(i);
    const auto node = [&](int k) { return unions.find(nodes[k].value()); };
    sides.push_back({key_of(static_cast<int>(nodes.size()), node), true});
  }
  std::sort(sides.begin(), sides.end());
  std::vector<std::int64_t> open;
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t end = i + 1;
    while (end < sides.size() && sides[end].key == sides[i].key) ++end;
    if (end == i + 1 && !sides[i].boundary) {
      for (const GlobalNodeId node : sides[i].key) {
        if (node.valid()) open.push_back(node.value());
      }
    }
    i = end;
  }
  kernels::sort_unique(open);
  return open;
}

/// Merges those of the nodes that coincide up to rounding: within 1e-9 of the extent of the mesh.
void unite_coincident(std::span<const Vec3> coords, const std::vector<std::int64_t>& nodes, Unions& unions) {
  Vec3 low{HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = -low;
  for (const Vec3& x : coords) {
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], x[k]), high[k] = std::max(high[k], x[k]);
  }
  constexpr double kSamePlace = 1e-9, kBin = 4;
  const Vec3 size = high - low;
  const double tolerance = kSamePlace * std::max({size.x, size.y, size.z});
  if (!(tolerance > 0) || !std::isfinite(tolerance)) return;  // assemble() reports the error
  const auto bin = [&](double x, int k) { return static_cast<std::int64_t>(std::floor((x - low[k]) / (kBin * tolerance))); };
  const auto hash = [](std::int64_t i, std::int64_t j, std::int64_t k) {
    std::uint64_t h = 0;
    for (const std::int64_t index : {i, j, k}) h = hash_with(h, static_cast<std::uint64_t>(index));
    return h;
  };
  std::unordered_multimap<std::uint64_t, std::int64_t> bins;
  bins.reserve(nodes.size());
  for (const std::int64_t node : nodes) {
    const Vec3 x = coords[node];
    std::array<std::array<std::int64_t, 2>, 3> range;  // range of bins with possible matches
    for (int k = 0; k < 3; ++k) range[k] = {bin(x[k] - tolerance, k), bin(x[k] + tolerance, k)};
    bool twin = false;
    for (std::int64_t i = range[0][0]; i <= range[0][1]; ++i) {
      for (std::int64_t j = range[1][0]; j <= range[1][1]; ++j) {
        for (std::int64_t k = range[2][0]; k <= range[2][1]; ++k) {
          const auto [first, last] = bins.equal_range(hash(i, j, k));
          for (auto entry = first; entry != last; ++entry) {
            if (norm(coords[entry->second] - x) > tolerance) continue;
            unions.unite(entry->second, node);
            twin = true;
          }
        }
      }
    }
    if (!twin) bins.emplace(hash(bin(x.x, 0), bin(x.y, 1), bin(x.z, 2)), node);
  }
}

}  // namespace

void join_nodes(CgnsMesh& mesh) {
  Unions unions(mesh.raw.coords.size());
  for (const auto& [a, b] : mesh.twins) unions.unite(a, b);
  unite_coincident(mesh.raw.coords, open_nodes(mesh, unions), unions);
  for (RawElements& elements : mesh.raw.of_dim) {
    for (GlobalNodeId& node : elements.list.node) node = GlobalNodeId(unions.find(node.value()));
    for (MidNode& mid : elements.mid) {
      for (GlobalNodeId* node : {&mid.end[0], &mid.end[1], &mid.node}) *node = GlobalNodeId(unions.find(node->value()));
    }
  }
}

}  // namespace weft::mesh::detail
