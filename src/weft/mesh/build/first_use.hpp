#pragma once
/// Numbering in the order of first use.
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/id.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"

namespace weft::mesh::detail {

/// Numbers the keys that are used, in the order of their first use, and returns them in that order. On any number of threads the
/// result is the same: they first determine the first use of each key, an atomic minimum, and then count first uses.
///
/// Example: the uses 7, 2, 7, 5, 2 of the keys 0 ... 7 give number[7] = 0, number[2] = 1, number[5] = 2, and return {7, 2, 5}.
/// @param key_of  returns the key of use 0 ... uses - 1.  @param number  by key; all Number(-1), which unused keys keep.
/// @tparam Number  a signed integer of 32 bits or an id of 32 bits.  @pre uses < 2^31.
template <class Number, class KeyOf>
[[nodiscard]] TeamVector<Number> number_by_first_use(std::int64_t uses, const KeyOf& key_of, std::span<Number> number,
                                                     Team& team) {
  TeamVector<Number> keys;
  const auto shares = static_cast<std::size_t>(shares_of(team, uses));
  if (shares == 1) {
    for (std::int64_t i = 0; i < uses; ++i) {
      Number& of_key = number[key_of(i)];
      if (of_key != Number(-1)) continue;
      of_key = Number(keys.size());
      keys.push_back(Number(key_of(i)));
    }
    return keys;
  }
  for_indices(team, uses, [&](std::int64_t i) {
    const std::atomic_ref<Number> first(number[key_of(i)]);
    Number known = first.load(std::memory_order_relaxed);
    while ((known == Number(-1) || known > Number(i)) &&
           !first.compare_exchange_weak(known, Number(i), std::memory_order_relaxed)) {
    }
  });
  std::vector<std::int64_t> next(shares, 0);
  for_shares(team, uses, [&](LoopShare share) {
    std::int64_t count = 0;
    for (std::int64_t i = share.begin; i < share.end; ++i) count += number[key_of(i)] == Number(i) ? 1 : 0;
    next[share.number] = count;
  });
  resize_by_team(team, keys, static_cast<std::size_t>(offsets_from_counts(next)));
  for_shares(team, uses, [&](LoopShare share) {
    auto at = static_cast<std::size_t>(next[share.number]);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      if (number[key_of(i)] == Number(i)) keys[at++] = Number(key_of(i));
    }
  });
  for_indices(team, std::ssize(keys), [&](std::int64_t n) {
    const Number key = keys[n];
    number[to_index(key)] = Number(n);
  });
  return keys;
}

}  // namespace weft::mesh::detail
