// The addition of the data and tasks of a graph to another one.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/comm/same_ranks.hpp"
#include "weft/task/graph_body.hpp"

namespace weft::task {
namespace {

/// Returns whether both are the same data. Memory of which only accesses are known is identified by its name.
[[nodiscard]] bool same(const Datum& a, const Datum& b) {
  if (a.array || b.array) return a.array && b.array && a.array->same_as(*b.array);
  if (a.is_memory || b.is_memory) return a.is_memory && b.is_memory && a.name == b.name;
  return a.number == b.number && a.on_both == b.on_both;
}

[[nodiscard]] bool same_rows(const Subset& a, const Subset& b) {
  return a.problem == b.problem && std::ranges::equal(a.rows, b.rows, [](const auto& x, const auto& y) {
           return x.first() == y.first() && x.last() == y.last();
         });
}

/// Checks an array or a number that two graphs have. @param name  of the graph of `theirs`.
void expect_same_rows(const Datum& mine, const Datum& theirs, const std::string& name) {
  if (mine.inner_rows != theirs.inner_rows) {
    throw ContractError(fmt::format("array '{}' has {} inner rows, but as '{}' of graph '{}' it has {}", mine.name,
                                    mine.inner_rows, theirs.name, name, theirs.inner_rows),
                        "add it with the same number to both graphs");
  }
  std::size_t subsets = mine.subsets.size();
  for (const Subset& subset : theirs.subsets) {
    const auto found = std::ranges::find(mine.subsets, subset.name, &Subset::name);
    if (found == mine.subsets.end()) {
      ++subsets;
    } else if (!same_rows(*found, subset)) {
      throw ContractError(fmt::format("subset '{}' of array '{}' has other rows in graph '{}'", subset.name, mine.name, name),
                          "give one of them another name");
    }
  }
  if (subsets <= kMostSubsetParts) return;
  throw ContractError(fmt::format("array '{}' has {} subsets with those of graph '{}'", mine.name, subsets, name),
                      fmt::format("use {} at most", kMostSubsetParts));
}

}  // namespace

Graph::AddedData Graph::add_all_data_of(const std::string& name, const Graph& other) {
  if (this == &other) throw ContractError(fmt::format("graph '{}' is added to itself", name), "record its tasks in two graphs");
  if (other.body_ == nullptr) {
    throw ContractError(fmt::format("graph '{}' was moved to another variable", name), "add it before it is moved, or that one");
  }
  if (!same_ranks(body_->comm, other.body_->comm)) {
    throw ContractError(fmt::format("graph '{}' has the ranks of another communicator", name),
                        "create both graphs with the same communicator");
  }
  IdVector<DataId, DataId> ids;
  std::vector<Datum> added;
  for (const Datum& datum : other.body_->data) {
    const auto found = std::ranges::find_if(body_->data, [&](const Datum& mine) { return same(mine, datum); });
    if (found == body_->data.end()) {
      expect_same_device(name + "/" + datum.name, datum.backend());
      if (datum.array && datum.array->destroyed()) {
        throw ContractError(fmt::format("array '{}' of graph '{}' was destroyed", datum.name, name),
                            "keep arrays as long as the graphs and plans that have them");
      }
      ids.push_back(DataId(std::ssize(body_->data) + std::ssize(added)));
      added.push_back(datum);
      added.back().subsets.clear();
      if (!datum.is_memory) added.back().name = name + "/" + datum.name;
      continue;
    }
    expect_same_rows(*found, datum, name);
    ids.push_back(DataId(found - body_->data.begin()));
  }
  body_->data.insert(body_->data.end(), added.begin(), added.end());
  return {ids, add_subsets_of(other, ids)};
}

/// Adds the subsets of the data of another graph that this one does not have. @param ids  of its data in this graph.
std::vector<SubsetId> Graph::add_subsets_of(const Graph& other, const IdVector<DataId, DataId>& ids) {
  std::vector<SubsetId> numbers(static_cast<std::size_t>(other.body_->subsets));
  for (const DataId theirs : ids.ids()) {
    std::vector<Subset>& mine = body_->data[ids[theirs].index()].subsets;
    for (const Subset& subset : other.body_->data[theirs.index()].subsets) {
      const auto found = std::ranges::find(mine, subset.name, &Subset::name);
      SubsetId& number = numbers[subset.id.index()];
      if (found != mine.end()) {
        number = found->id;
        continue;
      }
      number = SubsetId(body_->subsets++);
      mine.push_back(subset);
      mine.back().id = number;
    }
  }
  return numbers;
}

IdVector<DataId, DataId> Graph::add_data_of(const std::string& name, const Graph& other) {
  return add_all_data_of(name, other).data;
}

IdVector<DataId, DataId> Graph::add_graph(const std::string& name, const Graph& other) {
  const auto [ids, subsets] = add_all_data_of(name, other);
  for (Task task : other.body_->tasks) {
    task.shape.name = name + "/" + task.shape.name;
    for (Access& access : task.shape.accesses) {
      const bool known = access.data.valid() && access.data.index() < ids.size();
      access.data = known ? ids[access.data] : DataId::invalid();  // compile() reports it
      if (!access.subset.valid()) continue;
      // compile() reports the largest number as unknown
      access.subset = access.subset.index() < subsets.size() ? subsets[access.subset.index()]
                                                             : SubsetId(std::numeric_limits<std::int32_t>::max());
    }
    body_->tasks.push_back(std::move(task));
  }
  return ids;
}

}  // namespace weft::task
