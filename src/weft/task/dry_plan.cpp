#include "weft/task/dry_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/task/graph_body.hpp"
#include "weft/task/graph_shapes.hpp"

namespace weft::task {
namespace {

/// An array on a pretended rank.
struct PretendedArray {
  PretendedRows rows;
  std::int64_t pull_bytes = 0, push_bytes = 0;  ///< size of a row in messages
  std::int64_t bytes = 0;                       ///< size of a row in memory
};

void expect_possible(const std::string& name, const PretendedRows& rows, int ranks) {
  if (rows.owned < 0 || rows.inner < 0 || rows.inner > rows.owned || rows.boundary < 0 || rows.images < 0) {
    throw ContractError(fmt::format("array '{}' on a rank of {} owned rows with {} inner rows, {} boundary rows and {} images",
                                    name, rows.owned, rows.inner, rows.boundary, rows.images),
                        "inner rows are a part of the owned rows");
  }
  std::set<Rank> seen;
  for (const PretendedRows::Neighbour& neighbour : rows.neighbours) {
    const int rank = neighbour.rank.value();
    if (rank < 0 || rank >= ranks || !seen.insert(neighbour.rank).second) {
      throw ContractError(fmt::format("array '{}' has rank {} of {} as a neighbour", name, rank, ranks),
                          "list each neighbour once, and numbers of ranks below their number");
    }
    if (neighbour.sent < 0 || neighbour.sent > rows.owned || neighbour.ghosts < 0) {
      throw ContractError(fmt::format("array '{}': {} of {} owned rows are sent to rank {}, and {} are received", name,
                                      neighbour.sent, rows.owned, rank, neighbour.ghosts));
    }
  }
}

[[nodiscard]] PretendedArray pretended(const Datum& datum, PretendedRows rows, int ranks) {
  expect_alive(datum);
  expect_possible(datum.name, rows, ranks);
  std::ranges::sort(rows.neighbours, {}, [](const PretendedRows::Neighbour& neighbour) { return neighbour.rank; });
  PretendedArray array{.rows = std::move(rows)};
  const Side side = datum.array->allocated(Side::host) ? Side::host : Side::device;
  for (const detail::Field& field : datum.array->fields(side)) {
    if (field.csr()) {
      throw ContractError(
          fmt::format("the rows of array '{}' have different sizes, so that those of another rank are not known", datum.name),
          "use an array with rows of one size");
    }
    array.pull_bytes += static_cast<std::int64_t>(field.row_bytes);
    array.push_bytes += field.reducers == nullptr ? 0 : static_cast<std::int64_t>(field.row_bytes);
    array.bytes += static_cast<std::int64_t>(field.row_stride);
  }
  return array;
}

/// Returns the keys of the sets of rows in subsets, and the keys of those that are sent.
[[nodiscard]] std::pair<std::vector<RowSetKey>, std::vector<RowSetKey>> keys_of(const Datum& datum, const PretendedRows& rows) {
  std::pair<std::vector<RowSetKey>, std::vector<RowSetKey>> keys;
  const auto add = [&](RowSetKey key, bool sent) {
    keys.first.push_back(key);
    if (sent) keys.second.push_back(key);
  };
  for (const PretendedRows::InSubsets& set : rows.in_subsets) {
    std::vector<std::size_t> numbers;
    for (const SubsetId id : set.subsets) {
      const auto found = std::ranges::find(datum.subsets, id, &Subset::id);
      if (found != datum.subsets.end()) numbers.push_back(found - datum.subsets.begin());
    }
    const bool possible = set.part == Part::inner || set.part == Part::border || (set.part == Part::boundary && !set.sent);
    if (!possible || numbers.empty() || numbers.size() != set.subsets.size()) {
      throw ContractError(fmt::format("array '{}' has pretended rows of subsets that are impossible", datum.name),
                          "name one of inner, border and boundary, which is not sent, and subsets of this array");
    }
    add(row_set_key(set.part, numbers), set.sent);
  }
  if (rows.in_subsets.empty() && !datum.subsets.empty()) {
    for (const auto& [key, of_key] : row_sets(*datum.array, datum.inner_rows, datum.subsets)) {
      if (in_subsets(key)) add(key, part_of(key) == Part::border || (part_of(key) == Part::inner && rows.inner_is_sent));
    }
  }
  std::ranges::sort(keys.first);
  if (std::ranges::adjacent_find(keys.first) != keys.first.end() || keys.first.size() > kMostSubsetParts) {
    throw ContractError(fmt::format("array '{}' has a set of pretended rows of subsets twice, or more than {} such sets",
                                    datum.name, kMostSubsetParts),
                        "list each set once");
  }
  return keys;
}

[[nodiscard]] DataShape shape_of(const Datum& datum, const PretendedRows& rows, int space) {
  DataShape shape{.name = datum.name,
                  .is_array = datum.array.has_value(),
                  .is_memory = datum.is_memory,
                  .space = space,
                  .on_host = !datum.is_memory && (!datum.array || datum.array->allocated(Side::host)),
                  .on_device = datum.on_device() || datum.is_memory};
  if (!datum.array) return shape;
  shape.sent = rows.inner_is_sent ? Part::owned : Part::border;
  shape.has_inner = rows.inner > 0 || rows.others_have_inner;
  shape.present = Part::owned;
  if (rows.ghosts() > 0 || rows.others_have_ghosts) shape.present = shape.present | Part::ghost;
  if (rows.boundary > 0) shape.present = shape.present | Part::boundary;
  expect_possible_subsets(datum);
  const auto [keys, sent] = keys_of(datum, rows);
  set_subsets(shape, datum.subsets, keys);
  for (const RowSetKey key : sent) shape.sent = shape.sent | single_part_of(key, keys);
  return shape;
}

/// Adds what exchanges send and receive.
void count(DryPlan& plan, const std::vector<PretendedArray>& arrays) {
  const auto neighbours = [&](const ExchangeShape& exchange) -> const std::vector<PretendedRows::Neighbour>& {
    return arrays[exchange.arrays.front().index()].rows.neighbours;
  };
  const auto row_bytes = [&](const ExchangeShape& exchange) {
    std::int64_t bytes = 0;
    for (const DataId id : exchange.arrays)
      bytes += exchange.push ? arrays[id.index()].push_bytes : arrays[id.index()].pull_bytes;
    return bytes;
  };
  std::map<Rank, Traffic> sent;
  for (const bool first : {true, false}) {
    const Stage& stage = first ? plan.schedule.first : plan.schedule.repeated;
    for (const int number : stage.communication) {
      const Node& node = stage.nodes[number];
      if (node.kind == Kind::all_reduce) {
        plan.reductions += first ? 0 : 1;
        continue;
      }
      const ExchangeShape& exchange = plan.schedule.exchanges[node.index];
      for (const PretendedRows::Neighbour& neighbour : neighbours(exchange)) {
        const std::int64_t bytes = row_bytes(exchange) * (exchange.push ? neighbour.ghosts : neighbour.sent);
        if (bytes == 0) continue;
        (first ? plan.first : plan.repeated) += {1, bytes};
        if (!first) sent[neighbour.rank] += {1, bytes};
      }
    }
  }
  for (const auto& [to, traffic] : sent) plan.sent.push_back({to, traffic});
  for (const ExchangeShape& exchange : plan.schedule.exchanges) {
    for (const PretendedRows::Neighbour& neighbour : neighbours(exchange)) {
      plan.message_bytes += row_bytes(exchange) * (neighbour.ghosts + neighbour.sent);
    }
  }
  for (const PretendedArray& array : arrays) {
    plan.array_bytes += (array.rows.owned + array.rows.ghosts() + array.rows.boundary) * array.bytes;
  }
}

}  // namespace

std::int64_t PretendedRows::ghosts() const {
  std::int64_t sum = images;
  for (const Neighbour& neighbour : neighbours) sum += neighbour.ghosts;
  return sum;
}

std::string DryPlan::text() const {
  std::string text =
      fmt::format("{} nodes in the first iteration, {} in each further one, {} exchanges, {} reductions over ranks\n",
                  schedule.first.nodes.size(), schedule.repeated.nodes.size(), schedule.exchanges.size(), reductions);
  text += fmt::format("first iteration: {} messages, {} bytes; each further one: {} messages, {} bytes\n", first.messages,
                      first.bytes, repeated.messages, repeated.bytes);
  for (const Sent& to : sent) {
    text += fmt::format("  to rank {:<8} {:>6} messages {:>12} bytes\n", to.to.value(), to.traffic.messages, to.traffic.bytes);
  }
  for (const std::string& subset : schedule.subsets) text += "subset " + subset + '\n';
  return text + fmt::format("memory: arrays {} bytes, messages {} bytes\n", array_bytes, message_bytes);
}

DryPlan Graph::dry(int ranks, const std::function<PretendedRows(DataId, const PairRef&)>& rows) const {
  if (ranks < 1) throw ContractError(fmt::format("{} ranks are pretended", ranks), "pretend at least 1");
  const std::vector<int> space = spaces(body_->data);
  std::vector<PretendedArray> arrays;  // by data; empty for numbers
  std::vector<DataShape> data;
  for (std::size_t i = 0; i < body_->data.size(); ++i) {
    const Datum& datum = body_->data[i];
    arrays.push_back(datum.array ? pretended(datum, rows(DataId(i), *datum.array), ranks) : PretendedArray{});
    data.push_back(shape_of(datum, arrays.back().rows, space[i]));
    for (std::size_t j = 0; datum.array && j < i; ++j) {
      if (!body_->data[j].array || space[j] != space[i] || arrays[j].rows.neighbours == arrays[i].rows.neighbours) continue;
      throw ContractError(
          fmt::format("arrays '{}' and '{}' of one ghost plan have different neighbours", body_->data[j].name, datum.name),
          "return the same neighbours for all arrays of a plan");
    }
  }
  DryPlan plan{
      .schedule = task::compile(data, shapes(body_->data, body_->tasks), ranks), .sent = {}, .first = {}, .repeated = {}};
  count(plan, arrays);
  return plan;
}

}  // namespace weft::task
