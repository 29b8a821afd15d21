#include "weft/mesh/build/input_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "weft/base/error.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/build/id_table.hpp"
#include "weft/mesh/build/orientation.hpp"
#include "weft/mesh/geometry.hpp"

namespace weft::mesh::detail {
namespace {

/// Maximum distance of a 2-D mesh from z = 0, as a fraction of its extent.
constexpr double kPlaneTolerance = 1e-9;
/// Number of cells of each type and rank that are tested for mirrored node order.
constexpr std::size_t kSampledCells = 16;
constexpr const char* kWriteAgain = "write or generate the mesh again";

void check_elements(const MeshBlock& block, const Elements& elements, int dim, std::int64_t nodes, Team& team) {
  const bool boundary = dim != block.dim;
  const char* what = boundary ? "boundary element" : "cell";
  for_indices(team, elements.size(), [&](std::int64_t i) {
    const ZoneId zone = elements.zone[i];
    const auto where = [&] {
      return Where{.file = block.source, .zone = zone_name(block.zones, zone), .element = elements.file_id[i]};
    };
    const CellShape& s = shape(elements.type[i]);
    if (s.dim != dim) {
      throw MeshError(fmt::format("a {} cannot be a {} of a {}-D mesh", s.name, what, block.dim), kWriteAgain, where());
    }
    const auto element_nodes = elements.nodes(i);
    if (static_cast<int>(element_nodes.size()) != s.nodes) {
      throw MeshError(
          fmt::format("the {} is a {}, which has {} nodes, but it lists {}", what, s.name, s.nodes, element_nodes.size()),
          kWriteAgain, where());
    }
    if (zone != ZoneId::invalid() && !block.zones.ids().contains(zone)) {
      throw MeshError(fmt::format("the {} is in zone {}, which does not exist", what, zone.value()),
                      fmt::format("the mesh has {} zones, numbered from 0: {}", block.zones.size(), kWriteAgain), where());
    }
    if (boundary && !zone.valid()) {
      throw MeshError("the boundary element belongs to no zone", "put every boundary element into a named zone", where());
    }
    if (zone.valid() && block.zones[zone].dim != dim) {
      throw MeshError(fmt::format("the {} is in a zone of dimension {}, not {}", what, block.zones[zone].dim, dim),
                      "put boundary elements and cells into zones of their own", where());
    }
    for (std::size_t a = 0; a < element_nodes.size(); ++a) {
      const std::int64_t id = element_nodes[a].value();
      if (id < 0 || id >= nodes) {
        throw MeshError(fmt::format("node {} of the {} does not exist", id, s.name),
                        fmt::format("the mesh has {} nodes, numbered from 0: {}", nodes, kWriteAgain), where());
      }
      for (std::size_t b = 0; b < a; ++b) {
        if (element_nodes[b] == element_nodes[a]) {
          throw MeshError(fmt::format("the {} has node {} twice", s.name, id),
                          "write it as the shape it is (a collapsed hexahedron may be a prism)", where());
        }
      }
    }
  });
}

void check_coords(const MeshBlock& block, Team& team) {
  for_indices(team, std::ssize(block.coords), [&](std::int64_t i) {
    const Vec3 x = block.coords[i];
    if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z)) {
      throw MeshError(
          fmt::format("node {} has a coordinate that is not finite: ({}, {}, {})", block.first_node.value() + i, x.x, x.y, x.z),
          "a coordinate must be a finite number: repair the mesh", Where{.file = block.source});
    }
  });
}

/// Duplicate names and zones without elements are detected over all ranks, with the same result on each.
void check_zones(const Communicator& comm, const MeshBlock& block, Team& team) {
  IdVector<ZoneId, std::int64_t> used(block.zones.size(), 0);
  for (const Elements* elements : {&block.cells, &block.boundary}) {
    std::vector<IdVector<ZoneId, std::int64_t>> of_share(shares_of(team, elements->size()));
    for_shares(team, elements->size(), [&](LoopShare share) {
      IdVector<ZoneId, std::int64_t> count(used.size(), 0);
      for (std::int64_t i = share.begin; i < share.end; ++i) {
        if (elements->zone[i].valid()) ++count[elements->zone[i]];
      }
      of_share[share.number] = std::move(count);
    });
    for (const IdVector<ZoneId, std::int64_t>& count : of_share) {
      for (const ZoneId z : used.ids()) used[z] += count[z];
    }
  }
  comm.sum(std::span<std::int64_t>(used));
  for (const ZoneId z : block.zones.ids()) {
    const Where where{.file = block.source, .zone = block.zones[z].name};
    for (const ZoneId y : IdRange{ZoneId(0), z}) {
      if (block.zones[y].name == block.zones[z].name) {
        throw MeshError("two zones have this name", "give each zone a name of its own, or join them", where);
      }
    }
    if (used[z] == 0) throw MeshError("the zone has no elements", "remove it, or put elements into it", where);
  }
}

/// Returns for each type whether such cells exist among `cells` of all ranks and all have negative volumes. @collective
std::array<char, kCellTypes> all_mirrored(const Communicator& comm, const RowOffsets& nodes, const MeshBlock& block,
                                          const std::vector<std::int64_t>& cells) {
  IdTable table;
  std::vector<GlobalNodeId> ids;
  std::vector<std::int32_t> local;
  for (const std::int64_t c : cells) {
    for (const GlobalNodeId node : block.cells.nodes(c)) {
      const auto next = static_cast<std::int32_t>(ids.size());
      local.push_back(table.find_or_insert(node.value(), next));
      if (local.back() == next) ids.push_back(node);
    }
  }
  const auto coords = fetch<Vec3>(comm, nodes, ids, block.coords);
  std::array<int, 2 * kCellTypes> seen{};  // right-handed, then mirrored
  auto at = local.begin();
  for (const std::int64_t c : cells) {
    const CellType type = block.cells.type[c];
    std::array<Vec3, kMaxCellNodes> corner;
    const std::size_t corners = shape(type).nodes;
    for (std::size_t i = 0; i < corners; ++i) corner[i] = coords[*at++];
    const bool mirrored = cell_geometry(type, {corner.data(), corners}).volume < 0;
    seen[static_cast<std::size_t>(type) + (mirrored ? kCellTypes : 0)] = 1;
  }
  comm.max(std::span<int>(seen));
  std::array<char, kCellTypes> all{};
  for (std::size_t t = 0; t < all.size(); ++t) all[t] = seen[t] == 0 && seen[t + kCellTypes] != 0;
  return all;
}

}  // namespace

void flatten(const Communicator& comm, MeshBlock& block) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::array<double, 3> top{-kInfinity, -kInfinity, 0};  // -min, max in the plane; max |z|
  double low = kInfinity;
  for (const Vec3& x : block.coords) {
    low = std::min({low, x.x, x.y});
    top = {-low, std::max({top[1], x.x, x.y}), std::max(top[2], std::abs(x.z))};
  }
  comm.max(std::span<double>(top));
  if (top[2] > kPlaneTolerance * (top[0] + top[1])) {
    throw MeshError(fmt::format("the mesh is 2-D, but has nodes off the plane z = 0 (|z| is up to {:.6g})", top[2]),
                    "rotate or shift it into the xy plane", Where{.file = block.source});
  }
  for (Vec3& x : block.coords) x.z = 0;
}

void check_share(const MeshBlock& block, std::int64_t nodes, Team& team) {
  check_coords(block, team);
  check_elements(block, block.cells, block.dim, nodes, team);
  check_elements(block, block.boundary, block.dim - 1, nodes, team);
}

void check_cell_count(std::int64_t cells, int rank, int ranks, const std::string& source) {
  if (cells <= kMostCellsOfRank) return;
  throw LimitError(
      fmt::format("rank {} has {} cells, and 32-bit ids can number those of at most {} on a rank", rank, cells, kMostCellsOfRank),
      fmt::format("use {} ranks or more", ranks * ((cells + kMostCellsOfRank - 1) / kMostCellsOfRank)), Where{.file = source});
}

void check_input(const Communicator& comm, MeshBlock& block, Team& team) {
  const std::int64_t nodes = comm.sum(static_cast<std::int64_t>(block.coords.size()));
  const std::int64_t cells = comm.sum(block.cells.size());
  if (cells == 0)
    throw MeshError("the mesh has no cells", "write or generate it with at least one cell", Where{.file = block.source});
  agreed(comm, [&] {
    check_share(block, nodes, team);
    check_cell_count(block.cells.size(), comm.rank().value(), comm.size(), block.source);
  });
  check_zones(comm, block, team);
  if (block.dim == 2) flatten(comm, block);
}

void turn_mirrored(const Communicator& comm, MeshBlock& block, Team& team) {
  const RowOffsets chunks(comm, static_cast<std::int64_t>(block.coords.size()));
  // A few cells of each type determine whether all cells must be tested.
  std::vector<std::array<std::vector<std::int64_t>, kCellTypes>> of_share(shares_of(team, block.cells.size()));
  for_shares(team, block.cells.size(), [&](LoopShare share) {
    std::array<std::vector<std::int64_t>, kCellTypes> of_type;
    for (std::int64_t c = share.begin; c < share.end; ++c) {
      auto& cells = of_type[static_cast<std::size_t>(block.cells.type[c])];
      if (cells.size() < kSampledCells) cells.push_back(c);
    }
    of_share[share.number] = std::move(of_type);
  });
  std::vector<std::int64_t> sample;
  for (std::size_t type = 0; type < kCellTypes; ++type) {
    std::size_t sampled = 0;  // the first cells of the type over all shares
    for (const auto& of_type : of_share) {
      const auto more = static_cast<std::ptrdiff_t>(std::min(of_type[type].size(), kSampledCells - sampled));
      sample.insert(sample.end(), of_type[type].begin(), of_type[type].begin() + more);
      sampled += static_cast<std::size_t>(more);
    }
  }
  std::array<char, kCellTypes> suspect = all_mirrored(comm, chunks, block, sample);
  if (std::count(suspect.begin(), suspect.end(), 1) == 0) return;

  std::vector<std::int64_t> suspects;
  for (std::int64_t c = 0; c < block.cells.size(); ++c) {
    if (suspect[static_cast<std::size_t>(block.cells.type[c])]) suspects.push_back(c);
  }
  suspect = all_mirrored(comm, chunks, block, suspects);
  for (const std::int64_t c : suspects) {
    const CellType type = block.cells.type[c];
    if (!suspect[static_cast<std::size_t>(type)]) continue;
    turn_cell(type, {block.cells.node.data() + block.cells.offset[c], static_cast<std::size_t>(shape(type).nodes)});
  }
}

}  // namespace weft::mesh::detail
