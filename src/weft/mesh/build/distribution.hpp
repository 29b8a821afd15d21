#pragma once
/// Contiguous distributions of global ids over ranks, and access to values by global id.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/id_vector.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/rank_lists.hpp"

namespace weft::mesh::detail {

/// Returns the first element of `rank` if `size` elements are distributed evenly to `ranks` ranks.
[[nodiscard]] constexpr std::int64_t chunk_start(std::int64_t size, int rank, int ranks) {
  return size / ranks * rank + size % ranks * rank / ranks;
}

/// Global ids 0 ... total()-1 in contiguous chunks in the order of ranks; chunks may be empty.
class Chunks {
 public:
  /// Computes the distribution from the size of each rank's chunk. @collective
  Chunks(const Communicator& comm, std::int64_t mine) : rank_(comm.rank()), start_{0} {
    for (const std::int64_t size : comm.all_gather(mine)) start_.push_back(start_.back() + size);
  }

  [[nodiscard]] std::int64_t total() const { return start_.back(); }
  /// Returns the first id of this rank's chunk.
  [[nodiscard]] std::int64_t first() const { return first(rank_); }
  [[nodiscard]] std::int64_t first(Rank rank) const { return start_[rank]; }
  [[nodiscard]] std::int64_t size() const { return size(rank_); }
  [[nodiscard]] std::int64_t size(Rank rank) const { return end(rank) - first(rank); }
  [[nodiscard]] bool mine(std::int64_t id) const { return first() <= id && id < end(rank_); }
  /// Returns the position of an id in this rank's chunk.
  [[nodiscard]] std::size_t local(std::int64_t id) const {
    WEFT_EXPECTS(mine(id));
    return id - first();
  }
  /// Returns the rank whose chunk contains `id`. @pre 0 <= id < total().
  [[nodiscard]] Rank holder(std::int64_t id) const {
    WEFT_EXPECTS(0 <= id && id < total());
    if (mine(id)) return rank_;
    return Rank(std::upper_bound(start_.begin(), start_.end(), id) - start_.begin() - 1);
  }

 private:
  [[nodiscard]] std::int64_t end(Rank rank) const { return start_[Rank(rank.value() + 1)]; }

  Rank rank_;
  IdVector<Rank, std::int64_t> start_;  ///< first id of each rank, and total()
};

/// Sends the lists and returns the received values in the order of ranks as one list. @collective
template <Transferable T>
[[nodiscard]] std::vector<T> all_to_all(const Communicator& comm, RankLists<T> to) {
  if (comm.size() == 1) return std::move(to[Rank(0)]);
  return comm.all_to_all_joined(std::move(to).by_rank());
}

/// Reads values of other ranks: values(i) = `answer(position of ids[i] in the chunk of its rank)`, computed by that rank. The
/// ids may be in any order; repeated ids are sent repeatedly. @collective
template <Transferable T, class Answer>
[[nodiscard]] std::vector<T> fetch_with(const Communicator& comm, const Chunks& chunks, std::span<const std::int64_t> ids,
                                        Answer&& answer) {
  std::vector<T> values(ids.size());
  RankLists<std::int64_t> ask;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (chunks.mine(ids[i])) {
      values[i] = answer(chunks.local(ids[i]));
    } else {
      ask[chunks.holder(ids[i])].push_back(ids[i]);
    }
  }
  if (comm.size() == 1) return values;
  std::vector<RankValues<T>> reply;
  for (const auto& [rank, asked] : comm.all_to_all(std::move(ask).by_rank())) {
    std::vector<T>& list = reply.emplace_back(RankValues<T>{rank, {}}).values;
    list.reserve(asked.size());
    for (const std::int64_t id : asked) list.push_back(answer(chunks.local(id)));
  }
  RankReader<T> answers(comm.all_to_all(reply));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!chunks.mine(ids[i])) values[i] = answers.next(chunks.holder(ids[i]));
  }
  return values;
}

/// Reads values from `held`, one value per id of each rank's chunk. @collective
template <Transferable T>
[[nodiscard]] std::vector<T> fetch(const Communicator& comm, const Chunks& chunks, std::span<const std::int64_t> ids,
                                   std::span<const T> held) {
  return fetch_with<T>(comm, chunks, ids, [&](std::size_t i) { return held[i]; });
}

/// Contiguous rows of different lengths: row i is entry[offset[i]] .. entry[offset[i+1]-1].
template <class T>
struct Rows {
  std::vector<std::int64_t> offset{0};
  std::vector<T> entry;

  [[nodiscard]] std::size_t size() const { return offset.size() - 1; }
  [[nodiscard]] std::span<const T> operator[](std::size_t i) const {
    return std::span(entry).subspan(offset[i], offset[i + 1] - offset[i]);
  }
  void close_row() { offset.push_back(static_cast<std::int64_t>(entry.size())); }
};

/// Reads rows like fetch_with: `append(position, entries)` appends the row of an id of this rank's chunk to `entries`.
/// @collective
template <Transferable T, class Append>
[[nodiscard]] Rows<T> fetch_rows(const Communicator& comm, const Chunks& chunks, std::span<const std::int64_t> ids,
                                 Append&& append) {
  RankLists<std::int64_t> ask;
  for (const std::int64_t id : ids) ask[chunks.holder(id)].push_back(id);
  std::vector<RankValues<T>> reply;
  std::vector<RankValues<std::int32_t>> length;
  for (const auto& [rank, asked] : comm.all_to_all(std::move(ask).by_rank())) {
    std::vector<T>& rows = reply.emplace_back(RankValues<T>{rank, {}}).values;
    std::vector<std::int32_t>& sizes = length.emplace_back(RankValues<std::int32_t>{rank, {}}).values;
    for (const std::int64_t id : asked) {
      const std::size_t before = rows.size();
      append(chunks.local(id), rows);
      sizes.push_back(static_cast<std::int32_t>(rows.size() - before));
    }
  }
  RankReader<T> answers(comm.all_to_all(reply));
  RankReader<std::int32_t> lengths(comm.all_to_all(length));
  Rows<T> rows;
  rows.offset.reserve(ids.size() + 1);
  for (const std::int64_t id : ids) {
    const Rank r = chunks.holder(id);
    const auto row = answers.next(r, lengths.next(r));
    rows.entry.insert(rows.entry.end(), row.begin(), row.end());
    rows.close_row();
  }
  return rows;
}

}  // namespace weft::mesh::detail
