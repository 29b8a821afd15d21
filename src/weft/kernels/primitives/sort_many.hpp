#pragma once
/// Sorts of more than 2^32 - 1 keys on a GPU. Their kernels have offsets of 64 bits. They are compiled once for each size of a
/// key, because few programs need them.
#include <cstdint>
#include <span>

#include "weft/device/stream.hpp"

namespace weft::kernels::detail {

/// Sorts numbers in memory of the current GPU in ascending order, in stream order. @tparam Bits  std::uint8_t to std::uint64_t
/// @cost memory: a copy of the numbers and the histograms of CUB, from the stream's pool; time: as sort().
/// @throws DeviceError where memory is exhausted or a launch is rejected.
template <class Bits>
void sort_many(Stream& stream, std::span<Bits> numbers);

/// Sorts numbers and stores their order: number i was at position order[i]. Equal numbers retain their order.
/// @pre equal sizes. @cost, @throws as above, and memory for a copy of `order`.
template <class Bits>
void sort_many(Stream& stream, std::span<Bits> numbers, std::span<std::int64_t> order);

}  // namespace weft::kernels::detail
