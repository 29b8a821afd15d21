// Named subsets of the arrays of a graph.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/array/index_space.hpp"
#include "weft/base/error.hpp"
#include "weft/task/graph_body.hpp"
#include "weft/task/subset.hpp"

namespace weft::task {

Subset& Graph::new_subset(DataId array, std::string name) {
  if (!array.valid() || array.index() >= body_->data.size()) {
    throw ContractError(fmt::format("subset '{}' is one of data that the graph does not have", name),
                        "pass an id that add_array() of this graph returned");
  }
  Datum& datum = body_->data[array.index()];
  if (!datum.array) {
    throw ContractError(fmt::format("subset '{}' is one of {} '{}', which has no rows", name,
                                    datum.is_memory ? "the memory" : "the number", datum.name),
                        "add a subset of an array");
  }
  if (name.empty() || is_part_name(name)) {
    throw ContractError(fmt::format("a subset of array '{}' has the name '{}'{}", datum.name, name,
                                    name.empty() ? "" : ", which is that of a part"),
                        "use another name");
  }
  if (std::ranges::find(datum.subsets, name, &Subset::name) != datum.subsets.end()) {
    throw ContractError(fmt::format("array '{}' has a subset '{}' already", datum.name, name), "use another name");
  }
  if (datum.subsets.size() == kMostSubsetParts) {
    throw ContractError(fmt::format("array '{}' has {} subsets already, when '{}' is added", datum.name, kMostSubsetParts, name),
                        "use fewer subsets");
  }
  datum.subsets.push_back({.id = SubsetId(body_->subsets++), .name = std::move(name)});
  return datum.subsets.back();
}

SubsetId Graph::add_subset(DataId array, std::string name, std::span<const LocalRow> rows) {
  Subset& subset = new_subset(array, std::move(name));
  subset.set(*body_->data[array.index()].array, rows);
  return subset.id;
}

SubsetId Graph::add_subset(DataId array, std::string name, std::span<const Rows> intervals) {
  Subset& subset = new_subset(array, std::move(name));
  subset.set(*body_->data[array.index()].array, intervals);
  return subset.id;
}

SubsetId Graph::subset(DataId array, const std::string& name) const {
  if (array.valid() && array.index() < body_->data.size()) {
    const std::vector<Subset>& subsets = body_->data[array.index()].subsets;
    const auto found = std::ranges::find(subsets, name, &Subset::name);
    if (found != subsets.end()) return found->id;
    throw ContractError(fmt::format("'{}' has no subset '{}'", body_->data[array.index()].name, name),
                        "add it with add_subset()");
  }
  throw ContractError(fmt::format("subset '{}' is asked for of data that the graph does not have", name),
                      "pass an id that add_array() of this graph returned");
}

}  // namespace weft::task
