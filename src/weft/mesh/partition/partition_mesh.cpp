#include "weft/mesh/partition/partition_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "weft/base/error.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/build/face_match.hpp"
#include "weft/mesh/build/id_table.hpp"
#include "weft/mesh/build/input_checks.hpp"
#include "weft/mesh/partition/partition.hpp"

namespace weft::mesh {
namespace {

/// Returns new numbers in contiguous chunks: by part, within a part in the previous order. Sets the size of each part.
/// @collective  @tparam Number  GlobalNodeId or std::int64_t.
template <class Number>
std::vector<Number> numbers_by_part(const Communicator& comm, const std::vector<std::int32_t>& part,
                                    std::vector<std::int64_t>& sizes) {
  for (const std::int32_t p : part) ++sizes[p];
  std::vector<std::int64_t> next = sizes;
  comm.exclusive_sum(std::span(next));
  comm.sum(std::span(sizes));
  std::int64_t start = 0;
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    next[p] += start;
    start += sizes[p];
  }
  std::vector<Number> number;
  number.reserve(part.size());
  for (const std::int32_t p : part) number.emplace_back(next[p]++);
  return number;
}

struct NewNode {
  GlobalNodeId id;
  std::int32_t part;
};

/// An element, sent to the rank of its new number.
struct Traveller {
  std::int64_t id, file_id;
  std::array<GlobalNodeId, kMaxCellNodes> node;
  ZoneId zone;
  CellType type;
};

/// Returns the elements in the order of their new numbers, distributed evenly. @collective
Elements moved(const Communicator& comm, Elements old, const std::vector<std::int64_t>& number,
               const std::vector<GlobalNodeId>& new_nodes, std::int64_t& first) {
  const RowOffsets even = RowOffsets::even(comm, comm.sum(old.size()));
  RankLists<Traveller> to;
  for (std::size_t i = 0; i < number.size(); ++i) {
    Traveller t{number[i], old.file_id[i], {}, old.zone[i], old.type[i]};
    std::copy(new_nodes.begin() + old.offset[i], new_nodes.begin() + old.offset[i + 1], t.node.begin());
    to[even.owner(GlobalRow(number[i]))].push_back(t);
  }
  old = {};
  const std::vector<Traveller> come = detail::all_to_all(comm, std::move(to));
  std::vector<const Traveller*> at(even.local_rows());
  for (const Traveller& t : come) at[even.local(GlobalRow(t.id)).index()] = &t;
  first = even.first().value();
  Elements now;
  for (const Traveller* t : at) {
    const std::size_t size = shape(t->type).nodes;
    now.add(t->type, {t->node.data(), size}, t->zone, t->file_id);
  }
  return now;
}

/// Returns the nodes of this rank's elements, unique.
struct NamedNodes {
  detail::IdTable table;
  std::vector<GlobalNodeId> ids;

  std::size_t enter(GlobalNodeId node) {
    const auto next = static_cast<std::int32_t>(ids.size());
    const std::int32_t found = table.find_or_insert(node.value(), next);
    if (found == next) ids.push_back(node);
    return found;
  }
};

/// Returns for each node of this rank's chunk the lowest part of its cells. @collective
std::vector<std::int32_t> parts_of_nodes(const Communicator& comm, const Elements& cells, const RowOffsets& nodes,
                                         const std::vector<std::int32_t>& part, int parts) {
  NamedNodes named;
  std::vector<std::int32_t> lowest;
  for (std::size_t c = 0; c < part.size(); ++c) {
    for (const GlobalNodeId node : cells.nodes(static_cast<std::int64_t>(c))) {
      const std::size_t n = named.enter(node);
      if (n == lowest.size()) lowest.push_back(part[c]);
      lowest[n] = std::min(lowest[n], part[c]);
    }
  }
  struct Visit {
    GlobalNodeId node;
    std::int64_t part;
  };
  RankLists<Visit> to;
  for (std::size_t n = 0; n < lowest.size(); ++n)
    to[nodes.owner(detail::global_row(named.ids[n]))].push_back({named.ids[n], lowest[n]});
  std::vector<std::int32_t> part_of(nodes.local_rows(),
                                    parts - 1);  // nodes without cells may be anywhere
  for (const Visit& visit : detail::all_to_all(comm, std::move(to))) {
    std::int32_t& p = part_of[nodes.local(detail::global_row(visit.node)).index()];
    p = std::min(p, static_cast<std::int32_t>(visit.part));
  }
  return part_of;
}

}  // namespace

MeshBlock partition_mesh(const Communicator& comm, MeshBlock block, int parts, const PartitionOptions& options) {
  if (parts < 1) throw InputError(fmt::format("a mesh cannot be cut into {} parts", parts), "ask for 1 or more");
  block.parts = {};
  detail::check_input(comm, block, kernels::calling_thread());
  const RowOffsets nodes(comm, static_cast<std::int64_t>(block.coords.size())), cells(comm, block.cells.size());
  std::vector<std::int32_t> part;
  {
    std::vector<detail::ZoneFace> none;
    const detail::FaceLinks links = detail::match_faces(comm, block, cells, nodes, IdVector<ZoneId, char>(block.zones.size(), 0),
                                                        none, kernels::calling_thread());
    part = detail::partition(comm, block, cells, nodes, links, options, parts, kernels::calling_thread());
  }
  MeshBlock now;
  now.dim = block.dim;
  now.source = std::move(block.source);
  now.file_unit = block.file_unit;
  now.notes = std::move(block.notes);
  now.warnings = std::move(block.warnings);
  now.zones = std::move(block.zones);
  const std::size_t count = parts;
  now.parts = {std::vector<std::int64_t>(count, 0), std::vector<std::int64_t>(count, 0), std::vector<std::int64_t>(count, 0)};

  const std::vector<std::int32_t> node_part = parts_of_nodes(comm, block.cells, nodes, part, parts);
  const auto node_number = numbers_by_part<GlobalNodeId>(comm, node_part, now.parts.nodes);
  NamedNodes named;
  std::vector<std::size_t> cell_node, face_node;
  for (const GlobalNodeId node : block.cells.node) cell_node.push_back(named.enter(node));
  for (const GlobalNodeId node : block.boundary.node) face_node.push_back(named.enter(node));
  const auto fresh = detail::fetch_with<NewNode>(comm, nodes, named.ids, [&](std::size_t n) {
    return NewNode{node_number[n], node_part[n]};
  });
  const auto renamed = [&](const std::vector<std::size_t>& old) {
    std::vector<GlobalNodeId> ids;
    ids.reserve(old.size());
    for (const std::size_t n : old) ids.push_back(fresh[n].id);
    return ids;
  };

  // A boundary element belongs to the highest part of its nodes, usually that of its cell.
  std::vector<std::int32_t> face_part(block.boundary.type.size(), 0);
  for (std::size_t f = 0; f < face_part.size(); ++f) {
    for (std::int64_t k = block.boundary.offset[f]; k < block.boundary.offset[f + 1]; ++k)
      face_part[f] = std::max(face_part[f], fresh[face_node[k]].part);
  }
  std::int64_t first = 0;
  const auto face_number = numbers_by_part<std::int64_t>(comm, face_part, now.parts.boundary);
  now.boundary = moved(comm, std::move(block.boundary), face_number, renamed(face_node), first);
  const auto cell_number = numbers_by_part<std::int64_t>(comm, part, now.parts.cells);
  now.cells = moved(comm, std::move(block.cells), cell_number, renamed(cell_node), first);
  now.first_cell = GlobalCellId(first);

  struct Place {
    GlobalNodeId id;
    Vec3 x;
  };
  const RowOffsets even = RowOffsets::even(comm, nodes.global_rows());
  RankLists<Place> to;
  for (std::size_t n = 0; n < block.coords.size(); ++n)
    to[even.owner(detail::global_row(node_number[n]))].push_back({node_number[n], block.coords[n]});
  now.first_node = GlobalNodeId(even.first().value());
  now.coords.resize(even.local_rows());
  for (const Place& place : detail::all_to_all(comm, std::move(to)))
    now.coords[even.local(detail::global_row(place.id)).index()] = place.x;
  return now;
}

}  // namespace weft::mesh
