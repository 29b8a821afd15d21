#include "weft/mesh/spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <span>
#include <utility>

#include "weft/array/array_transformer.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/mesh/detail/distribution.hpp"
#include "weft/mesh/detail/partition.hpp"

namespace weft::mesh {
namespace {

/// Row `row` (of the plan of the mesh), or a periodic image of it, is a ghost of part `needs`.
struct Need {
  std::int64_t row;
  std::int32_t image, needs;
  friend auto operator<=>(const Need&, const Need&) = default;
};

struct Pair {
  std::int32_t from, to;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

template <class T>
void keep_once(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Of each owned cell: the part that METIS puts it into. The graph goes to rank 0 in the order of the source, as in build().
std::vector<std::int32_t> cut(const Mesh& mesh, int parts) {
  const Communicator& comm = mesh.comm;
  const auto owned = static_cast<std::size_t>(mesh.owned_cells);
  std::vector<std::int32_t> part(owned, 0);
  if (parts == 1) return part;
  if (!detail::worth_cutting(mesh.global_cells, parts)) {
    for (std::size_t c = 0; c < owned; ++c) part[c] = detail::even_part(mesh.cell_global[c].value(), mesh.global_cells, parts);
    return part;
  }
  std::vector<std::int64_t> id;
  std::vector<std::int32_t> degree, neighbour;
  std::vector<std::int64_t> around;
  for (std::int32_t c = 0; c < mesh.owned_cells; ++c) {
    const auto global = [&](LocalCellId cell) { return mesh.cell_global[cell.index()].value(); };
    const std::int64_t self = global(LocalCellId(c));
    around.clear();
    for (const LocalFaceId f : mesh.cell_faces.row(c)) {
      const LocalCellId left = mesh.face_left[f.index()], right = mesh.face_right[f.index()];
      if (!right.valid()) continue;
      const std::int64_t other = global(left == LocalCellId(c) ? right : left);
      if (other != self) around.push_back(other);
    }
    keep_once(around);
    id.push_back(self);
    degree.push_back(static_cast<std::int32_t>(around.size()));
    for (const std::int64_t other : around) neighbour.push_back(static_cast<std::int32_t>(other));
  }
  const std::vector<std::int64_t> counts = comm.all_gather(static_cast<std::int64_t>(owned));
  const std::vector<std::int64_t> ids = comm.gather(std::span<const std::int64_t>(id));
  const std::vector<std::int32_t> degrees = comm.gather(std::span<const std::int32_t>(degree));
  const std::vector<std::int32_t> neighbours = comm.gather(std::span<const std::int32_t>(neighbour));
  std::vector<std::vector<std::int32_t>> answers;
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    std::vector<std::size_t> at(ids.size()), begin(ids.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      at[static_cast<std::size_t>(ids[i])] = i;
      begin[i] = next;
      next += static_cast<std::size_t>(degrees[i]);
    }
    std::vector<std::int32_t> sorted_degree, sorted_neighbour;
    sorted_degree.reserve(ids.size());
    sorted_neighbour.reserve(neighbours.size());
    for (const std::size_t i : at) {
      sorted_degree.push_back(degrees[i]);
      const std::span list = std::span(neighbours).subspan(begin[i], static_cast<std::size_t>(degrees[i]));
      sorted_neighbour.insert(sorted_neighbour.end(), list.begin(), list.end());
    }
    const std::vector<std::int32_t> by_id = detail::cut_graph(std::move(sorted_degree), std::move(sorted_neighbour), parts);
    std::size_t i = 0;
    for (const std::int64_t count : counts) {
      std::vector<std::int32_t>& answer = answers.emplace_back();
      for (std::int64_t k = 0; k < count; ++k) answer.push_back(by_id[static_cast<std::size_t>(ids[i++])]);
    }
  });
  return comm.scatter(answers);
}

}  // namespace

std::vector<Part> spread(const Mesh& mesh, int ranks) {
  if (ranks < 1) throw InputError(fmt::format("a mesh cannot be spread over {} ranks", ranks), "ask for 1 or more");
  const Communicator& comm = mesh.comm;
  const auto owned = static_cast<std::size_t>(mesh.owned_cells);
  std::vector<std::int32_t> part = cut(mesh, ranks);
  part.resize(static_cast<std::size_t>(mesh.cells()), -1);
  ArrayTransformer(mesh.plan, {PairRef::rows(part)}).pull().run();

  // Which ghosts are needed is asked where their owners are: cells of one part may be spread over all ranks that are there.
  auto asked = detail::parcels<Need>(comm);
  for (std::size_t c = 0; c < owned; ++c) {
    for (const LocalCellId n : mesh.cell_cells.row(static_cast<std::int32_t>(c))) {
      const GhostRequest copy = mesh.plan.ghost(LocalRow(n.value()));
      if (part[n.index()] == part[c] && copy.image == 0) continue;
      const Rank owner = mesh.plan.owner(LocalRow(n.value()));
      asked[owner.index()].push_back({copy.row.value(), copy.image, part[c]});
    }
  }
  for (std::vector<Need>& list : asked) keep_once(list);
  std::vector<Need> needs = detail::deliver(comm, std::move(asked));
  keep_once(needs);

  const auto count = static_cast<std::size_t>(ranks);
  std::vector<std::int64_t> cells(count, 0), ghosts(count, 0), sent(count, 0), messages(count, 0);
  for (std::size_t c = 0; c < owned; ++c) ++cells[static_cast<std::size_t>(part[c])];
  auto pairs = detail::parcels<Pair>(comm);
  for (const Need& need : needs) {
    const std::int32_t from = part[static_cast<std::size_t>(need.row - mesh.plan.offsets().first().value())];
    ++ghosts[static_cast<std::size_t>(need.needs)];
    if (from == need.needs) continue;
    ++sent[static_cast<std::size_t>(from)];
    pairs[static_cast<std::size_t>(from % comm.size())].push_back({from, need.needs});
  }
  for (std::vector<Pair>& list : pairs) keep_once(list);
  std::vector<Pair> once = detail::deliver(comm, std::move(pairs));
  keep_once(once);
  for (const Pair& pair : once) ++messages[static_cast<std::size_t>(pair.from)];
  for (std::vector<std::int64_t>* sums : {&cells, &ghosts, &sent, &messages}) comm.sum(std::span<std::int64_t>(*sums));

  std::vector<Part> parts(count);
  for (std::size_t p = 0; p < count; ++p) {
    parts[p] = {.cells = cells[p], .ghosts = ghosts[p], .rows_sent = sent[p], .messages = messages[p]};
  }
  return parts;
}

}  // namespace weft::mesh
