#include "weft/mesh/io/read_scatter.hpp"

#include <utility>

#include "weft/mesh/build/distribution.hpp"

namespace weft::mesh::detail {
namespace {

/// Returns the first of `size` evenly distributed elements of each rank, and the end.
std::vector<std::int64_t> even_starts(std::int64_t size, int ranks) {
  std::vector<std::int64_t> starts;
  for (int r = 0; r <= ranks; ++r) starts.push_back(even_start(size, r, ranks));
  return starts;
}

template <class T>
TeamVector<T> scatter_values(const Communicator& comm, TeamVector<T> whole, const std::vector<std::int64_t>& starts) {
  std::vector<std::vector<T>> parts;
  if (comm.is_root()) {
    for (std::size_t r = 0; r + 1 < starts.size(); ++r)
      parts.emplace_back(whole.begin() + starts[r], whole.begin() + starts[r + 1]);
    TeamVector<T>().swap(whole);
  }
  const std::vector<T> mine = comm.scatter(parts);
  return {mine.begin(), mine.end()};
}

Elements scatter_elements(const Communicator& comm, Elements whole, const std::vector<std::int64_t>& starts) {
  std::vector<std::int64_t> node_starts;
  if (comm.is_root()) {
    for (const std::int64_t start : starts) node_starts.push_back(whole.offset[start]);
  }
  Elements mine;
  mine.type = scatter_values(comm, std::move(whole.type), starts);
  mine.node = scatter_values(comm, std::move(whole.node), node_starts);
  mine.zone = scatter_values(comm, std::move(whole.zone), starts);
  mine.file_id = scatter_values(comm, std::move(whole.file_id), starts);
  mine.offset.reserve(mine.type.size() + 1);
  for (const CellType type : mine.type) mine.offset.push_back(mine.offset.back() + shape(type).nodes);
  return mine;
}

template <class T>
TeamVector<T> gather_values(const Communicator& comm, const TeamVector<T>& mine) {
  const std::vector<T> whole = comm.gather(std::span<const T>(mine));
  return {whole.begin(), whole.end()};
}

Elements gather_elements(const Communicator& comm, const Elements& mine) {
  Elements whole;
  whole.type = gather_values(comm, mine.type);
  whole.node = gather_values(comm, mine.node);
  whole.zone = gather_values(comm, mine.zone);
  whole.file_id = gather_values(comm, mine.file_id);
  for (const CellType type : whole.type) whole.offset.push_back(whole.offset.back() + shape(type).nodes);
  return whole;
}

void broadcast_zones(const Communicator& comm, IdVector<ZoneId, Zone>& zones) {
  auto count = comm.broadcast(static_cast<std::int64_t>(zones.size()));
  zones.resize(count);
  for (Zone& zone : zones) {
    comm.broadcast(zone.name);
    zone.dim = comm.broadcast(zone.dim);
  }
}

}  // namespace

MeshBlock scatter_whole(const Communicator& comm, MeshBlock whole) {
  if (comm.size() == 1) {
    whole.parts = {};
    return whole;
  }
  MeshBlock mine;
  mine.dim = comm.broadcast(whole.dim);
  mine.source = std::move(whole.source);
  comm.broadcast(mine.source);
  mine.zones = std::move(whole.zones);
  broadcast_zones(comm, mine.zones);
  mine.file_unit = comm.broadcast(whole.file_unit);
  mine.notes = std::move(whole.notes);
  mine.warnings = std::move(whole.warnings);
  for (std::vector<std::string>* texts : {&mine.notes, &mine.warnings}) {
    texts->resize(comm.broadcast(static_cast<std::int64_t>(texts->size())));
    for (std::string& text : *texts) comm.broadcast(text);
  }

  const auto starts_of = [&](std::int64_t size) { return even_starts(comm.broadcast(size), comm.size()); };
  const auto nodes = starts_of(static_cast<std::int64_t>(whole.coords.size()));
  const auto cells = starts_of(whole.cells.size());
  const auto faces = starts_of(whole.boundary.size());
  mine.first_node = GlobalNodeId(nodes[comm.rank().index()]);
  mine.first_cell = GlobalCellId(cells[comm.rank().index()]);
  mine.coords = scatter_values(comm, std::move(whole.coords), nodes);
  mine.cells = scatter_elements(comm, std::move(whole.cells), cells);
  mine.boundary = scatter_elements(comm, std::move(whole.boundary), faces);
  return mine;
}

MeshBlock gather_whole(const Communicator& comm, const MeshBlock& block) {
  MeshBlock whole;
  whole.dim = block.dim;
  whole.source = block.source;
  whole.zones = block.zones;
  whole.file_unit = block.file_unit;
  whole.notes = block.notes;
  whole.warnings = block.warnings;
  whole.coords = gather_values(comm, block.coords);
  whole.cells = gather_elements(comm, block.cells);
  whole.boundary = gather_elements(comm, block.boundary);
  return whole;
}

}  // namespace weft::mesh::detail
