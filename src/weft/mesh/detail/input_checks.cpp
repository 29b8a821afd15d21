#include "weft/mesh/detail/input_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/mesh/detail/distribution.hpp"
#include "weft/mesh/detail/id_table.hpp"

namespace weft::mesh::detail {
namespace {

/// A 2-D mesh may be this far from z = 0, as a fraction of its extent.
constexpr double kPlaneTolerance = 1e-9;

std::string name_of(const MeshBlock& block, std::int32_t zone) {
  return zone < 0 ? std::string{} : block.zones[static_cast<std::size_t>(zone)].name;
}

void check_elements(const MeshBlock& block, const Elements& elements, int dim, std::int64_t nodes) {
  const bool boundary = dim != block.dim;
  const char* what = boundary ? "boundary element" : "cell";
  const auto zones = static_cast<std::int32_t>(block.zones.size());
  for (std::int64_t i = 0; i < elements.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int32_t zone = elements.zone[at];
    const auto where = [&] {
      return Where{
          .file = block.source, .zone = zone < zones ? name_of(block, zone) : std::string{}, .element = elements.file_id[at]};
    };
    const CellShape& s = shape(elements.type[at]);
    if (s.dim != dim) {
      throw MeshError(fmt::format("a {} cannot be a {} of a {}-D mesh", s.name, what, block.dim), {}, where());
    }
    const auto element_nodes = elements.nodes(i);
    if (static_cast<int>(element_nodes.size()) != s.nodes) {
      throw MeshError(fmt::format("a {} has {} nodes, not {}", s.name, s.nodes, element_nodes.size()), {}, where());
    }
    if (zone >= zones || (boundary && zone < 0)) {
      throw MeshError(fmt::format("the {} belongs to no zone", what), "put every boundary element into a named zone", where());
    }
    if (zone >= 0 && block.zones[static_cast<std::size_t>(zone)].dim != dim) {
      throw MeshError(fmt::format("a {} is in a zone of dimension {}", what, block.zones[static_cast<std::size_t>(zone)].dim),
                      "give boundary and volume zones different names", where());
    }
    for (std::size_t a = 0; a < element_nodes.size(); ++a) {
      const std::int64_t id = element_nodes[a].value();
      if (id < 0 || id >= nodes) {
        throw MeshError(fmt::format("bad node id {}: the mesh has {} nodes", id, nodes), {}, where());
      }
      for (std::size_t b = 0; b < a; ++b) {
        if (element_nodes[b] == element_nodes[a]) {
          throw MeshError(fmt::format("the {} is degenerate: node {} occurs twice in it", s.name, id),
                          "collapse it to the type that it is", where());
        }
      }
    }
  }
}

void check_coords(const MeshBlock& block) {
  for (std::size_t i = 0; i < block.coords.size(); ++i) {
    const Vec3 x = block.coords[i];
    if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z)) {
      throw MeshError(fmt::format("node {} has a coordinate that is not finite: ({}, {}, {})",
                                  block.first_node.value() + static_cast<std::int64_t>(i), x.x, x.y, x.z),
                      "repair the file", Where{.file = block.source});
    }
  }
}

/// Names given twice and zones without elements are known only over all ranks; every rank sees the same.
void check_zones(const Communicator& comm, const MeshBlock& block) {
  std::vector<std::int64_t> used(block.zones.size(), 0);
  for (const Elements* elements : {&block.cells, &block.boundary}) {
    for (const std::int32_t zone : elements->zone) {
      if (zone >= 0) ++used[static_cast<std::size_t>(zone)];
    }
  }
  comm.sum(std::span<std::int64_t>(used));
  for (std::size_t z = 0; z < block.zones.size(); ++z) {
    const Where where{.file = block.source, .zone = block.zones[z].name};
    for (std::size_t y = 0; y < z; ++y) {
      if (block.zones[y].name == block.zones[z].name) {
        throw MeshError("duplicate zone: the name is given to two zones", "give each zone its own name", where);
      }
    }
    if (used[z] == 0) throw MeshError("orphan zone: it has no elements", "remove the zone or give it elements", where);
  }
}

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
    throw MeshError(fmt::format("a 2-D mesh has nodes off the plane z = 0 (|z| up to {:.6g})", top[2]),
                    "turn or shift the mesh into the x-y plane", Where{.file = block.source});
  }
  for (Vec3& x : block.coords) x.z = 0;
}

}  // namespace

void check_input(const Communicator& comm, MeshBlock& block) {
  const std::int64_t nodes = comm.sum(static_cast<std::int64_t>(block.coords.size()));
  const std::int64_t cells = comm.sum(block.cells.size());
  if (cells == 0) throw MeshError("the mesh has no cells", {}, Where{.file = block.source});
  agreed(comm, [&] {
    check_coords(block);
    check_elements(block, block.cells, block.dim, nodes);
    check_elements(block, block.boundary, block.dim - 1, nodes);
    (void)checked_local(block.cells.size() * kMaxCellFaces, "faces of the cells of one rank");
  });
  check_zones(comm, block);
  if (block.dim == 2) flatten(comm, block);
}

void turn_clockwise(const Communicator& comm, MeshBlock& block) {
  const Chunks chunks(comm, static_cast<std::int64_t>(block.coords.size()));
  IdTable table(block.cells.type.size());
  std::vector<std::int64_t> ids;
  std::vector<std::int32_t> local;
  local.reserve(block.cells.node.size());
  for (const GlobalNodeId node : block.cells.node) {
    local.push_back(table.find_or_insert(node.value(), static_cast<std::int32_t>(ids.size())));
    if (local.back() == static_cast<std::int32_t>(ids.size())) ids.push_back(node.value());
  }
  const std::vector<Vec3> coords = fetch<Vec3>(comm, chunks, ids, block.coords);
  bool all_clockwise = true;
  for (std::int64_t c = 0; c < block.cells.size() && all_clockwise; ++c) {
    const auto first = static_cast<std::size_t>(block.cells.offset[static_cast<std::size_t>(c)]);
    const std::size_t size = block.cells.nodes(c).size();
    const Vec3 origin = coords[static_cast<std::size_t>(local[first])];
    double twice_area = 0;
    for (std::size_t i = 1; i + 1 < size; ++i) {
      twice_area += cross(coords[static_cast<std::size_t>(local[first + i])] - origin,
                          coords[static_cast<std::size_t>(local[first + i + 1])] - origin)
                        .z;
    }
    all_clockwise = twice_area < 0;
  }
  if (!comm.all(all_clockwise)) return;
  for (std::int64_t c = 0; c < block.cells.size(); ++c) {
    const auto first = block.cells.node.begin() + block.cells.offset[static_cast<std::size_t>(c)];
    std::reverse(first + 1, first + static_cast<std::ptrdiff_t>(block.cells.nodes(c).size()));
  }
}

}  // namespace weft::mesh::detail
