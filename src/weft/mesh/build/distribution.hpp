#pragma once
/// Access to values of other ranks by global id, for ids that are distributed in contiguous ranges (RowOffsets).
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/array/row_offsets.hpp"
#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/base/id_vector.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/rank_lists.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/build/send_order.hpp"

namespace weft::mesh::detail {

/// Sends the lists and returns the received values in the order of ranks as one list. @collective
template <Transferable T>
[[nodiscard]] std::vector<T> all_to_all(const Communicator& comm, RankLists<T> to) {
  if (comm.size() == 1) return std::move(to[Rank(0)]);
  return comm.all_to_all_joined(std::move(to).by_rank());
}

/// Returns the row that has the number of a global id.
[[nodiscard]] constexpr GlobalRow global_row(std::int64_t id) { return GlobalRow(id); }
template <class Tag>
[[nodiscard]] constexpr GlobalRow global_row(Id<Tag, std::int64_t> id) {
  return GlobalRow(id.value());
}

/// Reads values of other ranks: values(i) = `answer(local row of id i on its owner)`, computed by that rank. The ids may be in
/// any order; repeated ids are sent repeatedly. The threads of `team` call answer(). @collective
/// @tparam Ids  a contiguous list of global ids (GlobalNodeId, GlobalCellId, GlobalRow) or of std::int64_t.
template <Transferable T, std::ranges::contiguous_range Ids, class Answer>
[[nodiscard]] TeamVector<T> fetch_with(const Communicator& comm, const RowOffsets& rows, const Ids& list_of_ids, Answer&& answer,
                                       Team& team = kernels::calling_thread()) {
  using GlobalId = std::ranges::range_value_t<Ids>;
  const std::span<const GlobalId> ids(list_of_ids);
  auto values = list_of_size<T>(team, ids.size());
  for_indices(team, std::ssize(ids), [&](std::int64_t i) {
    const GlobalRow row = global_row(ids[i]);
    if (rows.owns(row)) values[i] = answer(rows.local(row).index());
  });
  if (comm.size() == 1) return values;
  const auto is_elsewhere = [&](std::int32_t i) { return !rows.owns(global_row(ids[to_index(i)])); };
  WEFT_EXPECTS(std::ssize(ids) <= std::numeric_limits<std::int32_t>::max());
  const std::vector<std::int32_t> elsewhere = kernels::select(static_cast<std::int32_t>(ids.size()), is_elsewhere, team);
  const auto id_of = [&](std::int64_t k) { return ids[to_index(elsewhere[to_index(k)])]; };
  const SendOrder order = send_order(
      std::ssize(elsewhere), [&](std::int64_t k) { return rows.owner(global_row(id_of(k))); }, team);
  auto ask = list_of_size<GlobalId>(team, elsewhere.size());
  for_indices(team, std::ssize(ask), [&](std::int64_t p) { ask[p] = id_of(order.item[p]); });
  TeamVector<GlobalId> asked;
  std::vector<Rank> askers;
  std::vector<std::size_t> first{0};
  for (const auto& [rank, number] : send_in_order(comm, order.ranks, order.first, ask, asked, team)) {
    askers.push_back(rank);
    first.push_back(first.back() + number);
  }
  ask = {};
  auto reply = list_of_size<T>(team, asked.size());
  for_indices(team, std::ssize(asked), [&](std::int64_t k) { reply[k] = answer(rows.local(global_row(asked[k])).index()); });
  asked = {};
  TeamVector<T> answers;  // in the order of `ask`, because both are in the order of ranks
  send_in_order(comm, askers, first, reply, answers, team);
  for_indices(team, std::ssize(answers), [&](std::int64_t p) { values[elsewhere[to_index(order.item[p])]] = answers[p]; });
  return values;
}

/// Reads values from `held`, one value per row of each rank. @collective  @tparam Ids  as for fetch_with().
template <Transferable T, std::ranges::contiguous_range Ids>
[[nodiscard]] TeamVector<T> fetch(const Communicator& comm, const RowOffsets& rows, const Ids& ids, std::span<const T> held,
                                  Team& team = kernels::calling_thread()) {
  return fetch_with<T>(
      comm, rows, ids, [&](std::size_t i) { return held[i]; }, team);
}

/// Reads rows like fetch_with: `append(position, entries)` appends the row of an id of this rank to `entries`.
/// @collective  @tparam Ids  as for fetch_with().
template <Transferable T, std::ranges::contiguous_range Ids, class Append>
[[nodiscard]] Array<T, NonUniform> fetch_rows(const Communicator& comm, const RowOffsets& rows, const Ids& ids, Append&& append) {
  using GlobalId = std::ranges::range_value_t<Ids>;
  RankLists<GlobalId> ask;
  for (const GlobalId id : ids) ask[rows.owner(global_row(id))].push_back(id);
  std::vector<RankValues<T>> reply;
  std::vector<RankValues<std::int32_t>> length;
  for (const auto& [rank, asked] : comm.all_to_all(std::move(ask).by_rank())) {
    std::vector<T>& entries = reply.emplace_back(RankValues<T>{rank, {}}).values;
    std::vector<std::int32_t>& sizes = length.emplace_back(RankValues<std::int32_t>{rank, {}}).values;
    for (const GlobalId id : asked) {
      const std::size_t before = entries.size();
      append(rows.local(global_row(id)).index(), entries);
      sizes.push_back(static_cast<std::int32_t>(entries.size() - before));
    }
  }
  RankReader<T> answers(comm.all_to_all(reply));
  RankReader<std::int32_t> lengths(comm.all_to_all(length));
  std::vector<std::int64_t> offsets{0};
  std::vector<T> entries;
  offsets.reserve(ids.size() + 1);
  for (const GlobalId id : ids) {
    const Rank r = rows.owner(global_row(id));
    const auto row = answers.next(r, lengths.next(r));
    entries.insert(entries.end(), row.begin(), row.end());
    offsets.push_back(static_cast<std::int64_t>(entries.size()));
  }
  return Array<T, NonUniform>(offsets, entries);
}

}  // namespace weft::mesh::detail
