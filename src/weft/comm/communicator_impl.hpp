#pragma once
/// Templates of Communicator, which convert typed values to bytes and back.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "weft/base/contracts.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {
namespace detail {

/// Unsigned keys in the order of the values, so that one untyped maximum serves all arithmetic types. NaN has the largest key
/// for both minimum and maximum: a NaN on any rank yields NaN.
inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

template <class T>
[[nodiscard]] std::uint64_t max_key(T value) {
  static_assert(sizeof(T) <= 8, "long double has no 64-bit key");
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::numeric_limits<std::uint64_t>::max();
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(value));
    return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) ^ kSignBit;
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

template <class T>
[[nodiscard]] T from_max_key(std::uint64_t key) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(std::bit_cast<double>((key & kSignBit) != 0 ? key & ~kSignBit : ~key));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(key ^ kSignBit));
  } else {
    return static_cast<T>(key);
  }
}

template <class T>
[[nodiscard]] std::uint64_t min_key(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::numeric_limits<std::uint64_t>::max();
  }
  return ~max_key(value);
}

template <class T>
[[nodiscard]] T from_min_key(std::uint64_t key) {
  return from_max_key<T>(~key);
}

template <class T>
[[nodiscard]] std::byte* resize_to_bytes(std::vector<T>& values, std::size_t bytes) {
  values.resize(bytes / sizeof(T));
  return reinterpret_cast<std::byte*>(values.data());
}

template <class T>
[[nodiscard]] std::vector<std::span<const std::byte>> as_bytes_of_each(const std::vector<std::vector<T>>& parts) {
  std::vector<std::span<const std::byte>> bytes;
  bytes.reserve(parts.size());
  for (const std::vector<T>& part : parts) bytes.push_back(std::as_bytes(std::span(part)));
  return bytes;
}

/// Returns a function that resizes `lists` to the given numbers of bytes and returns their addresses.
template <class T>
[[nodiscard]] auto resize_each(std::vector<std::vector<T>>& lists) {
  return [&lists](std::span<const std::size_t> bytes) {
    lists.resize(bytes.size());
    std::vector<std::byte*> places;
    for (std::size_t i = 0; i < bytes.size(); ++i) places.push_back(resize_to_bytes(lists[i], bytes[i]));
    return places;
  };
}

}  // namespace detail

template <class T>
  requires std::is_arithmetic_v<T>
T Communicator::sum(T value) const {
  sum(std::span<T>(&value, 1));
  return value;
}

template <class T>
  requires std::is_arithmetic_v<T>
void Communicator::sum(std::span<T> values) const {
  static_assert(!std::is_same_v<T, bool>, "count with an integer");
  expect_same(values.size());
  sum_in_tree(std::as_writable_bytes(values),
              [n = values.size()](const std::byte* lower, const std::byte* upper, std::byte* out) {
                for (std::size_t i = 0; i < n; ++i) {
                  T a, b;  // received bytes are not aligned for T
                  std::memcpy(&a, lower + i * sizeof(T), sizeof(T));
                  std::memcpy(&b, upper + i * sizeof(T), sizeof(T));
                  a = static_cast<T>(a + b);
                  std::memcpy(out + i * sizeof(T), &a, sizeof(T));
                }
              });
}

template <class T>
  requires std::is_arithmetic_v<T>
void Communicator::min(std::span<T> values) const {
  std::vector<std::uint64_t> keys(values.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = detail::min_key(values[i]);
  reduce_max(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) values[i] = detail::from_min_key<T>(keys[i]);
}

template <class T>
  requires std::is_arithmetic_v<T>
void Communicator::max(std::span<T> values) const {
  std::vector<std::uint64_t> keys(values.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = detail::max_key(values[i]);
  reduce_max(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) values[i] = detail::from_max_key<T>(keys[i]);
}

template <class T>
  requires std::is_arithmetic_v<T>
T Communicator::min(T value) const {
  min(std::span<T>(&value, 1));
  return value;
}

template <class T>
  requires std::is_arithmetic_v<T>
T Communicator::max(T value) const {
  max(std::span<T>(&value, 1));
  return value;
}

template <Transferable T>
T Communicator::broadcast(T value, Rank root) const {
  broadcast_bytes(std::as_writable_bytes(std::span<T>(&value, 1)), root);
  return value;
}

template <Transferable T>
void Communicator::broadcast(std::vector<T>& values, Rank root) const {
  values.resize(broadcast(values.size(), root));
  broadcast_bytes(std::as_writable_bytes(std::span(values)), root);
}

template <Transferable T>
std::vector<T> Communicator::all_gather(const T& value) const {
  std::vector<T> all(size_);
  all_gather_equal(&value, sizeof(T), all.data());
  return all;
}

template <Transferable T>
std::vector<T> Communicator::all_gather(std::span<const T> values) const {
  std::vector<T> all;
  all_gather_bytes(std::as_bytes(values), [&](std::size_t bytes) { return detail::resize_to_bytes(all, bytes); });
  return all;
}

template <Transferable T>
std::vector<T> Communicator::gather(std::span<const T> values, Rank root) const {
  std::vector<T> all;
  gather_bytes(std::as_bytes(values), root, [&](std::size_t bytes) { return detail::resize_to_bytes(all, bytes); });
  return all;
}

template <Transferable T>
std::vector<T> Communicator::scatter(const std::vector<std::vector<T>>& parts, Rank root) const {
  std::vector<T> mine;
  scatter_bytes(detail::as_bytes_of_each(parts), root, [&](std::size_t bytes) { return detail::resize_to_bytes(mine, bytes); });
  return mine;
}

template <class T>
std::vector<Communicator::Part> Communicator::parts_of(const std::vector<std::vector<T>>& to) const {
  WEFT_EXPECTS(to.size() == static_cast<std::size_t>(size_));
  std::vector<Part> parts;
  for (std::size_t r = 0; r < to.size(); ++r) {
    if (!to[r].empty()) parts.push_back({Rank(r), std::as_bytes(std::span(to[r]))});
  }
  return parts;
}

template <class T>
std::vector<Communicator::Part> Communicator::parts_of(const std::vector<RankSpan<T>>& to) const {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < to.size(); ++i) {
    WEFT_EXPECTS(to[i].rank.valid() && to[i].rank.value() < size_ && (i == 0 || to[i - 1].rank < to[i].rank));
    if (!to[i].values.empty()) parts.push_back({to[i].rank, std::as_bytes(to[i].values)});
  }
  return parts;
}

template <class T>
std::vector<Communicator::Part> Communicator::parts_of(const std::vector<RankValues<T>>& to) const {
  std::vector<RankSpan<T>> spans;
  spans.reserve(to.size());
  for (const RankValues<T>& list : to) spans.push_back({list.rank, list.values});
  return parts_of(spans);
}

template <Transferable T>
std::vector<std::vector<T>> Communicator::all_to_all(const std::vector<std::vector<T>>& to) const {
  std::vector<std::vector<T>> from(to.size());
  all_to_all_bytes(parts_of(to), [&](std::span<const Arrival> arrivals) {
    std::vector<std::byte*> places;
    for (const Arrival& a : arrivals) places.push_back(detail::resize_to_bytes(from[a.rank.index()], a.bytes));
    return places;
  });
  return from;
}

template <Transferable T>
std::vector<RankValues<T>> Communicator::all_to_all(const std::vector<RankValues<T>>& to) const {
  std::vector<RankValues<T>> from;
  all_to_all_bytes(parts_of(to), [&](std::span<const Arrival> arrivals) {
    std::vector<std::byte*> places;
    from.reserve(arrivals.size());
    for (const Arrival& a : arrivals) {
      from.push_back({a.rank, {}});
      places.push_back(detail::resize_to_bytes(from.back().values, a.bytes));
    }
    return places;
  });
  return from;
}

template <Transferable T>
std::vector<std::vector<T>> Communicator::exchange(std::span<const Rank> ranks, const std::vector<std::vector<T>>& to) const {
  std::vector<std::vector<T>> from;
  exchange_bytes(ranks, detail::as_bytes_of_each(to), detail::resize_each(from));
  return from;
}

template <class T, class Memory>
std::vector<RankCount> Communicator::joined(std::span<const Part> to, const Memory& memory) const {
  std::vector<RankCount> counts;
  all_to_all_bytes(to, [&](std::span<const Arrival> arrivals) {
    std::size_t total = 0;
    for (const Arrival& a : arrivals) {
      counts.push_back({a.rank, a.bytes / sizeof(T)});
      total += counts.back().values;
    }
    T* at = memory(total);
    std::vector<std::byte*> places;
    for (const RankCount& c : counts) {
      places.push_back(reinterpret_cast<std::byte*>(at));
      at += c.values;
    }
    return places;
  });
  return counts;
}

template <class T>
std::vector<T> Communicator::joined(std::span<const Part> to) const {
  std::vector<T> from;
  (void)joined<T>(to, [&](std::size_t values) {
    from.resize(values);
    return from.data();
  });
  return from;
}

template <Transferable T>
std::vector<T> Communicator::all_to_all_joined(const std::vector<std::vector<T>>& to) const {
  return joined<T>(parts_of(to));
}

template <Transferable T>
std::vector<T> Communicator::all_to_all_joined(const std::vector<RankValues<T>>& to) const {
  return joined<T>(parts_of(to));
}

template <Transferable T, class Memory>
std::vector<RankCount> Communicator::all_to_all_joined(const std::vector<RankSpan<T>>& to, const Memory& memory) const {
  return joined<T>(parts_of(to), memory);
}

}  // namespace weft
