#include "weft/mesh/refine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <span>
#include <utility>

#include "weft/base/counted.hpp"
#include "weft/base/error.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/build/face_match.hpp"
#include "weft/mesh/build/input_checks.hpp"
#include "weft/mesh/partition/partition.hpp"

namespace weft::mesh {
namespace {

using detail::FaceKey;

struct Child {
  CellType type;
  std::array<std::uint8_t, kMaxCellNodes> point;
};

/// Division of a shape. Points of a cell: its corners, the midpoints of its edges, those of its quads, its centre.
struct Pattern {
  std::vector<std::array<int, 2>> edges;
  std::vector<std::array<int, 4>> quads;
  bool centre = false;
  std::vector<Child> children;
};

/// By CellType. The octahedron within a tetrahedron is divided along the diagonal from edge 02 to edge 13 (Bey 1995: at most
/// three shapes for any number of refinements); the first and third corner of two children are exchanged, so that they are
/// right-handed.
const std::array<Pattern, kCellTypes>& patterns() {
  using enum CellType;
  static const std::array<Pattern, kCellTypes> all{{
      {{{0, 1}}, {}, false, {{line, {0, 2}}, {line, {2, 1}}}},
      {{{0, 1}, {1, 2}, {2, 0}},
       {},
       false,
       {{triangle, {0, 3, 5}}, {triangle, {3, 1, 4}}, {triangle, {5, 4, 2}}, {triangle, {3, 4, 5}}}},
      {{{0, 1}, {1, 2}, {2, 3}, {3, 0}},
       {{0, 1, 2, 3}},
       false,
       {{quad, {0, 4, 8, 7}}, {quad, {4, 1, 5, 8}}, {quad, {8, 5, 2, 6}}, {quad, {7, 8, 6, 3}}}},
      {{{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}},
       {},
       false,
       {{tetrahedron, {0, 4, 6, 7}},
        {tetrahedron, {4, 1, 5, 8}},
        {tetrahedron, {6, 5, 2, 9}},
        {tetrahedron, {7, 8, 9, 3}},
        {tetrahedron, {4, 6, 7, 8}},
        {tetrahedron, {5, 6, 4, 8}},
        {tetrahedron, {6, 7, 8, 9}},
        {tetrahedron, {8, 5, 6, 9}}}},
      {{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
       {{0, 1, 2, 3}},
       false,
       {{pyramid, {0, 5, 13, 8, 9}},
        {pyramid, {5, 1, 6, 13, 10}},
        {pyramid, {13, 6, 2, 7, 11}},
        {pyramid, {8, 13, 7, 3, 12}},
        {pyramid, {9, 10, 11, 12, 4}},
        {pyramid, {9, 12, 11, 10, 13}},
        {tetrahedron, {10, 5, 9, 13}},
        {tetrahedron, {11, 6, 10, 13}},
        {tetrahedron, {12, 7, 11, 13}},
        {tetrahedron, {9, 8, 12, 13}}}},
      {{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 4}, {2, 5}, {3, 4}, {4, 5}, {5, 3}},
       {{0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}},
       false,
       {{prism, {0, 6, 8, 9, 15, 17}},
        {prism, {6, 1, 7, 15, 10, 16}},
        {prism, {8, 7, 2, 17, 16, 11}},
        {prism, {6, 7, 8, 15, 16, 17}},
        {prism, {9, 15, 17, 3, 12, 14}},
        {prism, {15, 10, 16, 12, 4, 13}},
        {prism, {17, 16, 11, 14, 13, 5}},
        {prism, {15, 16, 17, 12, 13, 14}}}},
      {{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {4, 5}, {5, 6}, {6, 7}, {7, 4}},
       {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
       true,
       {{hexahedron, {0, 8, 20, 11, 12, 22, 26, 25}},
        {hexahedron, {8, 1, 9, 20, 22, 13, 23, 26}},
        {hexahedron, {20, 9, 2, 10, 26, 23, 14, 24}},
        {hexahedron, {11, 20, 10, 3, 25, 26, 24, 15}},
        {hexahedron, {12, 22, 26, 25, 4, 16, 21, 19}},
        {hexahedron, {22, 13, 23, 26, 16, 5, 17, 21}},
        {hexahedron, {26, 23, 14, 24, 21, 17, 6, 18}},
        {hexahedron, {25, 26, 24, 15, 19, 21, 18, 7}}}},
  }};
  return all;
}

const Pattern& pattern(CellType type) { return patterns()[static_cast<std::size_t>(type)]; }

template <std::size_t N>
FaceKey key_of(std::span<const GlobalNodeId> nodes, const std::array<int, N>& corners) {
  CellFace face{static_cast<int>(N), {}};
  std::copy(corners.begin(), corners.end(), face.node.begin());
  return detail::face_key(nodes, face);
}

/// Calls visit(key) for each edge and quad of an element, in the order of its points.
template <class Visit>
void visit_keys(const Elements& elements, std::int64_t i, Visit&& visit) {
  const Pattern& p = pattern(elements.type[i]);
  for (const auto& edge : p.edges) visit(key_of(elements.nodes(i), edge));
  for (const auto& quad : p.quads) visit(key_of(elements.nodes(i), quad));
}

void keep_once(std::vector<FaceKey>& keys) { kernels::sort_unique(keys); }

/// The edges and quads to be halved, each on the rank with its lowest node, numbered in the order of their nodes.
struct Middles {
  std::vector<FaceKey> named;         ///< number of each of `named`
  std::vector<std::int64_t> number;   ///< numbers of `named`
  std::vector<FaceKey> held;          ///< on this rank, ascending
  std::int64_t first = 0, total = 0;  ///< number of the first on this rank; number of all

  [[nodiscard]] std::int64_t number_of(const FaceKey& key) const {
    return number[std::lower_bound(named.begin(), named.end(), key) - named.begin()];
  }
};

/// Determines the edges and quads. @collective
Middles find_middles(const Communicator& comm, const MeshBlock& block, const RowOffsets& nodes) {
  Middles middles;
  for (const Elements* elements : {&block.cells, &block.boundary}) {
    for (std::int64_t i = 0; i < elements->size(); ++i)
      visit_keys(*elements, i, [&](const FaceKey& key) { middles.named.push_back(key); });
  }
  keep_once(middles.named);
  // The ranks of edges and quads ascend with the keys.
  RankLists<FaceKey> ask;
  for (const FaceKey& key : middles.named) ask[nodes.owner(detail::global_row(key[0]))].push_back(key);
  const std::vector<RankValues<FaceKey>> asked = comm.all_to_all(std::move(ask).by_rank());
  for (const auto& [rank, keys] : asked) middles.held.insert(middles.held.end(), keys.begin(), keys.end());
  keep_once(middles.held);
  const auto held = static_cast<std::int64_t>(middles.held.size());
  middles.first = comm.exclusive_sum(held);
  middles.total = comm.sum(held);
  std::vector<RankValues<std::int64_t>> reply;
  for (const auto& [rank, keys] : asked) {
    std::vector<std::int64_t>& numbers = reply.emplace_back(RankValues<std::int64_t>{rank, {}}).values;
    for (const FaceKey& key : keys)
      numbers.push_back(middles.first + (std::lower_bound(middles.held.begin(), middles.held.end(), key) - middles.held.begin()));
  }
  middles.number = comm.all_to_all_joined(reply);
  return middles;
}

/// Returns the midpoints of the edges and quads on this rank. @collective
std::vector<Vec3> places_of(const Communicator& comm, const RowOffsets& nodes, std::span<const Vec3> coords,
                            const std::vector<FaceKey>& held) {
  std::vector<GlobalNodeId> ids;
  for (const FaceKey& key : held) {
    for (const GlobalNodeId id : key) {
      if (id.valid()) ids.push_back(id);
    }
  }
  const auto corners = detail::fetch<Vec3>(comm, nodes, ids, coords);
  std::vector<Vec3> places;
  places.reserve(held.size());
  auto corner = corners.begin();
  for (const FaceKey& key : held) {
    const int size = key[3].valid() ? 4 : 2;
    Vec3 sum;
    for (int k = 0; k < size; ++k) sum += *corner++;
    places.push_back(sum / size);
  }
  return places;
}

/// Returns the children of the elements. @collective
/// @param first_middle  node of the first of all middles.  @param centre  central node of the first hexahedron.
Elements children_of(const Communicator& comm, const Elements& parents, const Middles& middles, GlobalNodeId first_middle,
                     GlobalNodeId centre) {
  std::int64_t count = 0;
  for (const CellType type : parents.type) count += static_cast<std::int64_t>(pattern(type).children.size());
  std::int64_t id = comm.exclusive_sum(count);
  Elements children;
  std::vector<GlobalNodeId> point;
  std::array<GlobalNodeId, kMaxCellNodes> nodes;
  for (std::int64_t i = 0; i < parents.size(); ++i) {
    const Pattern& p = pattern(parents.type[i]);
    const auto corners = parents.nodes(i);
    point.assign(corners.begin(), corners.end());
    visit_keys(parents, i, [&](const FaceKey& key) { point.emplace_back(first_middle.value() + middles.number_of(key)); });
    if (p.centre) {
      point.push_back(centre);
      ++centre;
    }
    for (const Child& child : p.children) {
      const std::size_t size = shape(child.type).nodes;
      for (std::size_t k = 0; k < size; ++k) nodes[k] = point[child.point[k]];
      children.add(child.type, {nodes.data(), size}, parents.zone[i], id++);
    }
  }
  return children;
}

/// Sends nodes with numbers that are contiguous on each rank to their ranks in `even`. @collective
void add_nodes(const Communicator& comm, const RowOffsets& even, GlobalNodeId first, std::span<const Vec3> places,
               MeshBlock& to) {
  struct Place {
    GlobalNodeId id;
    Vec3 x;
  };
  RankLists<Place> lists;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const GlobalNodeId id(first.value() + static_cast<std::int64_t>(i));
    lists[even.owner(detail::global_row(id))].push_back({id, places[i]});
  }
  for (const Place& place : detail::all_to_all(comm, std::move(lists)))
    to.coords[even.local(detail::global_row(place.id)).index()] = place.x;
}

}  // namespace

namespace {

/// Counts the cells of all refinements before the first. @throws LimitError. @collective
void check_refined_count(const Communicator& comm, const MeshBlock& block, int times) {
  std::array<double, kCellTypes> cells{};  // double, because 20 refinements may exceed 64 bits
  for (const CellType type : block.cells.type) ++cells[static_cast<std::size_t>(type)];
  constexpr auto kMost = static_cast<double>(detail::kMostCellsOfRank);
  double total = 0;
  int fitting = 0;
  for (int i = 1; i <= times; ++i) {
    std::array<double, kCellTypes> children{};
    for (std::size_t t = 0; t < cells.size(); ++t) {
      for (const Child& child : patterns()[t].children) children[static_cast<std::size_t>(child.type)] += cells[t];
    }
    cells = children;
    const double mine = std::accumulate(cells.begin(), cells.end(), 0.0);
    total = comm.sum(mine);
    if (comm.max(mine) <= kMost) fitting = i;
  }
  if (fitting == times) return;
  throw LimitError(
      fmt::format("with its edges halved {} the mesh would have {:.3g} cells, and each of {} can number at most {:.0f}",
                  counted(times, "time"), total, counted(comm.size(), "rank"), kMost),
      fmt::format("use {:.0f} ranks or more, or halve them {}", std::ceil(total / kMost),
                  fitting == 0 ? "not at all" : fmt::format("at most {}", counted(fitting, "time"))),
      Where{.file = block.source});
}

MeshBlock refine_once(const Communicator& comm, MeshBlock block) {
  detail::turn_mirrored(
      comm, block,
      kernels::calling_thread());  // otherwise the tetrahedra of an inverted pyramid would be mixed with right-handed ones
  const RowOffsets nodes(comm, static_cast<std::int64_t>(block.coords.size()));
  const Middles middles = find_middles(comm, block, nodes);
  std::vector<Vec3> centres;
  const TeamVector<Vec3> middle_of_cell = detail::mean_corners(comm, block, nodes);
  for (std::size_t c = 0; c < middle_of_cell.size(); ++c) {
    if (pattern(block.cells.type[c]).centre) centres.push_back(middle_of_cell[c]);
  }
  const auto own = static_cast<std::int64_t>(centres.size());
  const GlobalNodeId first_middle(nodes.global_rows());
  const GlobalNodeId first_centre(nodes.global_rows() + middles.total + comm.exclusive_sum(own));
  const RowOffsets even = RowOffsets::even(comm, nodes.global_rows() + middles.total + comm.sum(own));

  MeshBlock fine;
  fine.dim = block.dim;
  fine.source = block.source;
  fine.file_unit = block.file_unit;
  fine.notes = block.notes;
  fine.warnings = block.warnings;
  fine.zones = block.zones;
  fine.cells = children_of(comm, block.cells, middles, first_middle, first_centre);
  fine.first_cell = GlobalCellId(comm.exclusive_sum(fine.cells.size()));
  fine.boundary = children_of(comm, block.boundary, middles, first_middle, GlobalNodeId::invalid());
  fine.first_node = GlobalNodeId(even.first().value());
  fine.coords.resize(even.local_rows());
  add_nodes(comm, even, GlobalNodeId(nodes.first().value()), block.coords, fine);
  add_nodes(comm, even, GlobalNodeId(first_middle.value() + middles.first), places_of(comm, nodes, block.coords, middles.held),
            fine);
  add_nodes(comm, even, first_centre, centres, fine);
  return fine;
}

}  // namespace

MeshBlock refine(const Communicator& comm, MeshBlock block, int times) {
  detail::check_input(comm, block, kernels::calling_thread());
  check_refined_count(comm, block, times);
  for (int i = 0; i < times; ++i) block = refine_once(comm, std::move(block));
  return block;
}

}  // namespace weft::mesh
