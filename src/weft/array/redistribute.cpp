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
  // For each rank with which rows are exchanged, ascending: the old rows sent there, and the new rows of those received from
  // there, in the order of the message.
  std::vector<RankValues<LocalRow>> leaving, arriving;
  std::vector<GlobalRow> new_global;  // by old row
  std::vector<GlobalRow> old_global;  // by new row
};

namespace {

/// The distinct elements of `ranks`, ascending, and the position of each of `ranks` among them.
template <class T>
struct ListsByRank {
  ListsByRank(std::span<const Rank> ranks, int size) : index(size, -1) {
    for (const Rank rank : ranks) index[rank.index()] = 0;
    for (std::size_t r = 0; r < index.size(); ++r) {
      if (index[r] < 0) continue;
      index[r] = static_cast<std::int32_t>(lists.size());
      lists.push_back({Rank(r), {}});
    }
  }
  [[nodiscard]] std::vector<T>& of(Rank rank) { return lists[index[rank.index()]].values; }

  std::vector<std::int32_t> index;  // by rank
  std::vector<RankValues<T>> lists;
};

}  // namespace

Redistribution Redistribution::to_rows(const Communicator& comm, std::span<const GlobalRow> destination, std::int32_t new_rows) {
  struct Move {
    LocalRow from, to;
  };
  auto body = std::make_shared<Body>();
  body->comm = comm;
  const std::int32_t old_rows =
      agreed(comm, [&] { return checked_local(static_cast<std::int64_t>(destination.size()), "rows to redistribute"); });
  body->before = RowOffsets(comm, old_rows);
  body->after = RowOffsets(comm, new_rows);
  body->new_global.assign(destination.begin(), destination.end());
  std::vector<RankValues<Move>> moves;
  agreed(comm, [&] {
    if (body->before.global_rows() != body->after.global_rows()) {
      throw InputError(fmt::format("{} rows are redistributed to {}", body->before.global_rows(), body->after.global_rows()));
    }
    std::vector<Rank> owners;
    owners.reserve(destination.size());
    for (std::int32_t i = 0; i < old_rows; ++i) {
      const GlobalRow row = destination[i];
      if (!body->after.contains(row)) {
        throw InputError(fmt::format("row {} is to become row {} of {}", body->before.global(LocalRow(i)).value(), row.value(),
                                     body->after.global_rows()),
                         "rows count from 0");
      }
      owners.push_back(body->after.find(row).first);
    }
    ListsByRank<Move> by_rank(owners, comm.size());
    for (std::int32_t i = 0; i < old_rows; ++i) {
      const Rank owner = owners[i];
      const std::int64_t position = destination[i].value() - body->after.first(owner).value();
      by_rank.of(owner).push_back({LocalRow(i), LocalRow(position)});
    }
    moves = std::move(by_rank.lists);
  });
  for (const auto& [rank, there] : moves) {
    std::vector<LocalRow>& leaving = body->leaving.emplace_back(RankValues<LocalRow>{rank, {}}).values;
    leaving.reserve(there.size());
    for (const Move& move : there) leaving.push_back(move.from);
  }
  const std::vector<RankValues<Move>> incoming = comm.all_to_all(moves);
  body->old_global.resize(new_rows);
  agreed(comm, [&] {
    for (const auto& [rank, here_from] : incoming) {
      std::vector<LocalRow>& arriving = body->arriving.emplace_back(RankValues<LocalRow>{rank, {}}).values;
      arriving.reserve(here_from.size());
      for (const Move& move : here_from) {
        GlobalRow& origin = body->old_global[move.to.index()];
        const std::int64_t here = body->before.first(rank).value() + move.from.value();
        if (origin.valid()) {
          throw InputError(
              fmt::format("rows {} and {} are both to become row {}", origin.value(), here, body->after.global(move.to).value()),
              "destinations must be a permutation");
        }
        origin = GlobalRow(here);
        arriving.push_back(move.to);
      }
    }
  });
  return Redistribution(std::move(body));
}

Redistribution Redistribution::to_ranks(const Communicator& comm, std::span<const Rank> destination) {
  const std::size_t ranks = comm.size();
  std::vector<std::int64_t> next(ranks, 0);  // number of rows for each rank; later the next new row there
  agreed(comm, [&] {
    for (const Rank rank : destination) {
      if (!rank.valid() || rank.index() >= ranks) {
        throw InputError(fmt::format("a row is to go to rank {} of {}", rank.value(), ranks), "ranks count from 0");
      }
      ++next[rank.index()];
    }
  });
  // Each destination orders received rows by source rank, and replies with the first row of each source.
  std::vector<RankValues<std::int64_t>> sent;
  for (std::size_t to = 0; to < ranks; ++to) {
    if (next[to] > 0) sent.push_back({Rank(to), {next[to]}});
  }
  std::vector<RankValues<std::int64_t>> first = comm.all_to_all(sent);
  std::int64_t total = 0;
  for (const auto& [source, rows] : first) total += rows.front();
  const std::int32_t new_rows = agreed(comm, [&] { return checked_local(total, "rows of one rank"); });
  std::int64_t start = comm.exclusive_sum(total);
  for (auto& [source, rows] : first) start += std::exchange(rows.front(), start);
  for (const auto& [to, row] : comm.all_to_all(first)) next[to.index()] = row.front();
  std::vector<GlobalRow> rows;
  rows.reserve(destination.size());
  for (const Rank rank : destination) rows.emplace_back(next[rank.index()]++);
  return to_rows(comm, rows, new_rows);
}

Redistribution Redistribution::to_even_blocks(const Communicator& comm, std::int32_t rows) {
  const RowOffsets offsets(comm, rows);
  const int ranks = comm.size(), rank = comm.rank().value();
  const std::int64_t total = offsets.global_rows();
  std::vector<GlobalRow> same;
  same.reserve(rows);
  for (std::int32_t i = 0; i < rows; ++i) same.push_back(offsets.global(LocalRow(i)));
  const std::int32_t new_rows = agreed(comm, [&] {
    return checked_local(even_start(total, rank + 1, ranks) - even_start(total, rank, ranks), "rows of one rank");
  });
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

void Redistribution::expect_rows(std::size_t elements, int width, const std::string& signature) const {
  agreed(body_->comm, [&] {
    detail::check_whole_rows(elements, width);
    const auto rows = static_cast<std::int64_t>(elements / static_cast<std::size_t>(width));
    if (rows != body_->before.local_rows()) {
      throw ContractError(fmt::format("{} rows are redistributed as {}", rows, body_->before.local_rows()),
                          "a companion array has the rows that the redistribution was made for");
    }
  });
  expect_same_on_all_ranks(body_->comm, signature);
}

void Redistribution::move(std::span<const detail::Field> from, std::span<const detail::Field> to) const {
  std::vector<RankValues<std::byte>> outgoing;
  for (const auto& [rank, leaving] : body_->leaving) {
    const detail::RowSet rows(leaving);
    std::size_t bytes = 0;
    for (const detail::Field& field : from) bytes += message_bytes(field, rows);
    std::vector<std::byte>& message = outgoing.emplace_back(RankValues<std::byte>{rank, {}}).values;
    message.resize(bytes);
    std::byte* at = message.data();
    for (const detail::Field& field : from) at = gather_rows(field, rows, at);
  }
  const std::vector<RankValues<std::byte>> incoming = body_->comm.all_to_all(outgoing);
  auto message = incoming.begin();  // rows without entries have no bytes
  for (const auto& [rank, arriving] : body_->arriving) {
    if (message == incoming.end() || message->rank != rank) continue;
    const detail::RowSet rows(arriving);
    const std::byte* at = message->values.data();
    for (const detail::Field& field : to) at = scatter_rows(field, rows, at);
    WEFT_ASSERT(at == message->values.data() + message->values.size());
    ++message;
  }
  WEFT_ASSERT(message == incoming.end());
}

}  // namespace weft
