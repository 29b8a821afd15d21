#include "weft/array/redistribute.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

namespace weft {

struct Redistribution::Body {
  Communicator comm;
  RowOffsets before, after;
  // By rank: the old rows that go there, and the new rows for what comes from there, in the order in which they travel.
  std::vector<std::vector<LocalRow>> leaving, arriving;
  std::vector<GlobalRow> new_global;  // by old row
  std::vector<GlobalRow> old_global;  // by new row
};

Redistribution Redistribution::to_rows(const Communicator& comm, std::span<const GlobalRow> destination, std::int32_t new_rows) {
  struct Move {
    LocalRow from, to;
  };
  auto body = std::make_shared<Body>();
  const auto ranks = static_cast<std::size_t>(comm.size());
  body->comm = comm;
  const std::int32_t old_rows =
      agreed(comm, [&] { return checked_local(static_cast<std::int64_t>(destination.size()), "rows to redistribute"); });
  body->before = RowOffsets(comm, old_rows);
  body->after = RowOffsets(comm, new_rows);
  body->new_global.assign(destination.begin(), destination.end());
  body->leaving.resize(ranks);
  std::vector<std::vector<Move>> moves(ranks);
  agreed(comm, [&] {
    if (body->before.global_rows() != body->after.global_rows()) {
      throw InputError(fmt::format("{} rows are redistributed to {}", body->before.global_rows(), body->after.global_rows()));
    }
    for (std::int32_t i = 0; i < old_rows; ++i) {
      const GlobalRow row = destination[static_cast<std::size_t>(i)];
      if (!body->after.contains(row)) {
        throw InputError(fmt::format("row {} is to become row {} of {}", body->before.global(LocalRow(i)).value(), row.value(),
                                     body->after.global_rows()),
                         "rows count from 0");
      }
      const auto [rank, position] = body->after.find(row);
      body->leaving[rank.index()].emplace_back(i);
      moves[rank.index()].push_back({LocalRow(i), position});
    }
  });
  const std::vector<std::vector<Move>> incoming = comm.all_to_all(moves);
  body->arriving.resize(ranks);
  body->old_global.resize(static_cast<std::size_t>(new_rows));
  agreed(comm, [&] {
    for (std::size_t r = 0; r < ranks; ++r) {
      for (const Move& move : incoming[r]) {
        GlobalRow& origin = body->old_global[move.to.index()];
        const std::int64_t here = body->before.first(Rank(r)).value() + move.from.value();
        if (origin.valid()) {
          throw InputError(
              fmt::format("rows {} and {} are both to become row {}", origin.value(), here, body->after.global(move.to).value()),
              "destinations must be a permutation");
        }
        origin = GlobalRow(here);
        body->arriving[r].push_back(move.to);
      }
    }
  });
  return Redistribution(std::move(body));
}

Redistribution Redistribution::to_ranks(const Communicator& comm, std::span<const Rank> destination) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> counts(ranks, 0);
  agreed(comm, [&] {
    for (const Rank rank : destination) {
      if (!rank.valid() || rank.index() >= ranks) {
        throw InputError(fmt::format("a row is to go to rank {} of {}", rank.value(), ranks), "ranks count from 0");
      }
      ++counts[rank.index()];
    }
  });
  // Each destination counts what comes from whom, and answers where those rows begin among all: it orders them by source.
  std::vector<std::vector<std::int64_t>> sent(ranks);
  for (std::size_t to = 0; to < ranks; ++to) {
    if (counts[to] > 0) sent[to].push_back(counts[to]);
  }
  std::vector<std::vector<std::int64_t>> first = comm.all_to_all(sent);
  std::int64_t total = 0;
  for (const auto& of_source : first) total += of_source.empty() ? 0 : of_source.front();
  const std::int32_t new_rows = agreed(comm, [&] { return checked_local(total, "rows of one rank"); });
  std::int64_t start = comm.exclusive_sum(total);
  for (auto& of_source : first) {
    if (!of_source.empty()) start += std::exchange(of_source.front(), start);
  }
  std::vector<std::vector<std::int64_t>> next = comm.all_to_all(first);
  std::vector<GlobalRow> rows;
  rows.reserve(destination.size());
  for (const Rank rank : destination) rows.emplace_back(next[rank.index()].front()++);
  return to_rows(comm, rows, new_rows);
}

Redistribution Redistribution::to_even_blocks(const Communicator& comm, std::int32_t rows) {
  const RowOffsets offsets(comm, rows);
  const std::int64_t ranks = comm.size(), rank = comm.rank().value(), total = offsets.global_rows();
  std::vector<GlobalRow> same;
  same.reserve(static_cast<std::size_t>(rows));
  for (std::int32_t i = 0; i < rows; ++i) same.push_back(offsets.global(LocalRow(i)));
  const std::int32_t new_rows =
      agreed(comm, [&] { return checked_local(total * (rank + 1) / ranks - total * rank / ranks, "rows of one rank"); });
  return to_rows(comm, same, new_rows);
}

const Communicator& Redistribution::comm() const { return body_->comm; }
const RowOffsets& Redistribution::old_offsets() const { return body_->before; }
const RowOffsets& Redistribution::new_offsets() const { return body_->after; }

GlobalRow Redistribution::new_global(LocalRow old_row) const {
  WEFT_EXPECTS(old_row.valid() && old_row.index() < body_->new_global.size());
  return body_->new_global[old_row.index()];
}

GlobalRow Redistribution::old_global(LocalRow new_row) const {
  WEFT_EXPECTS(new_row.valid() && new_row.index() < body_->old_global.size());
  return body_->old_global[new_row.index()];
}

void Redistribution::expect_rows(std::int64_t rows, const std::string& signature) const {
  agreed(body_->comm, [&] {
    if (rows != body_->before.local_rows()) {
      throw ContractError(fmt::format("{} rows are redistributed as {}", rows, body_->before.local_rows()),
                          "a companion array has the rows that the redistribution was made for");
    }
  });
  expect_same_on_all_ranks(body_->comm, signature);
}

void Redistribution::move(std::span<const detail::Field> from, std::span<const detail::Field> to) const {
  const auto ranks = static_cast<std::size_t>(body_->comm.size());
  std::vector<std::vector<std::byte>> outgoing(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const detail::RowSet rows(body_->leaving[r]);
    std::size_t bytes = 0;
    for (const detail::Field& field : from) bytes += message_bytes(field, rows);
    outgoing[r].resize(bytes);
    std::byte* message = outgoing[r].data();
    for (const detail::Field& field : from) message = gather_rows(field, rows, message);
  }
  const std::vector<std::vector<std::byte>> incoming = body_->comm.all_to_all(outgoing);
  for (std::size_t r = 0; r < ranks; ++r) {
    const detail::RowSet rows(body_->arriving[r]);
    const std::byte* message = incoming[r].data();
    for (const detail::Field& field : to) message = scatter_rows(field, rows, message);
    WEFT_ASSERT(message == incoming[r].data() + incoming[r].size());
  }
}

}  // namespace weft
