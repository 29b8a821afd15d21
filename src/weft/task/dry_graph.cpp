#include "weft/task/dry_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "weft/base/error.hpp"

namespace weft::task {

int DryGraph::add_rows(PretendedRows rows) {
  if (rows.owned < 0 || rows.inner < 0 || rows.inner > rows.owned) {
    throw ContractError(fmt::format("a rank of {} owned rows with {} inner rows", rows.owned, rows.inner),
                        "inner rows are a part of the owned rows");
  }
  for (const PretendedRows::Neighbour& neighbour : rows.neighbours) {
    if (neighbour.sent < 0 || neighbour.sent > rows.owned || neighbour.ghosts < 0) {
      throw ContractError(fmt::format("{} of {} owned rows are sent to rank {}, and {} are received", neighbour.sent, rows.owned,
                                      neighbour.rank.value(), neighbour.ghosts));
    }
  }
  std::ranges::sort(rows.neighbours, {}, [](const PretendedRows::Neighbour& neighbour) { return neighbour.rank; });
  rows_.push_back(std::move(rows));
  return static_cast<int>(std::ssize(rows_)) - 1;
}

DataId DryGraph::add(DataShape shape, Array array) {
  shapes_.push_back(std::move(shape));
  arrays_.push_back(array);
  return DataId(std::ssize(shapes_) - 1);
}

DataId DryGraph::add_array(std::string name, int rows, std::int64_t row_bytes) {
  if (rows < 0 || rows >= std::ssize(rows_) || row_bytes <= 0) {
    throw ContractError(fmt::format("array '{}' has rows number {} of {} bytes each", name, rows, row_bytes),
                        "pass a number that add_rows() returned, and at least 1 byte");
  }
  const PretendedRows& of = rows_[rows];
  return add({.name = std::move(name),
              .space = rows,
              .sent = of.inner_is_sent ? Part::owned : Part::border,
              .has_inner = of.inner > 0,
              .present = of.has_ghosts ? Part::owned | Part::ghost : Part::owned},
             {rows, row_bytes});
}

DataId DryGraph::add_number(std::string name) { return add({.name = std::move(name), .is_array = false}, {-1, 0}); }

void DryGraph::add_task(std::string name, std::vector<Access> accesses, bool divisible) {
  tasks_.push_back({std::move(name), std::move(accesses), divisible});
}

DryPlan DryGraph::compile() const {
  DryPlan plan{.schedule = task::compile(shapes_, tasks_), .sent = {}, .first = {}, .repeated = {}};
  const auto row_bytes = [&](const ExchangeShape& exchange) {
    std::int64_t bytes = 0;
    for (const DataId id : exchange.arrays) bytes += arrays_[id.index()].row_bytes;
    return bytes;
  };
  const auto neighbours = [&](const ExchangeShape& exchange) -> const std::vector<PretendedRows::Neighbour>& {
    return rows_[arrays_[exchange.arrays.front().index()].rows].neighbours;
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
  for (const Array& array : arrays_) {
    if (array.rows < 0) continue;
    const PretendedRows& rows = rows_[array.rows];
    std::int64_t count = rows.owned;
    for (const PretendedRows::Neighbour& neighbour : rows.neighbours) count += neighbour.ghosts;
    plan.array_bytes += count * array.row_bytes;
  }
  return plan;
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
  return text + fmt::format("memory: arrays {} bytes, messages {} bytes\n", array_bytes, message_bytes);
}

}  // namespace weft::task
