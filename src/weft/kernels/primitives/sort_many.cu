#include <cub/device/device_radix_sort.cuh>

#include <cstddef>

#include "weft/base/contracts.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/sort.cuh"
#include "weft/kernels/primitives/sort_many.hpp"

namespace weft::kernels::detail {

namespace {

/// Calls sort(memory, bytes), a function of CUB, for the size of its memory, and with it.
template <class Sort>
void call_with_memory(Stream& stream, const Sort& sort) {
  std::size_t bytes = 0;
  check_cuda(sort(nullptr, bytes), "cub::DeviceRadixSort");
  const DeviceVector<unsigned char> memory(stream, bytes);
  check_cuda(sort(memory.data(), bytes), "cub::DeviceRadixSort");
}

struct StorePosition {
  std::int64_t* to;
  WEFT_HD void operator()(std::int64_t i) const { to[i] = i; }
};

}  // namespace

template <class Bits>
void sort_many(Stream& stream, std::span<Bits> numbers) {
  const DeviceVector<Bits> other(stream, numbers.size());
  cub::DoubleBuffer<Bits> buffers(numbers.data(), other.data());
  call_with_memory(stream, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, buffers, static_cast<std::uint64_t>(numbers.size()), 0,
                                          8 * static_cast<int>(sizeof(Bits)), native(stream));
  });
  copy_result(stream, buffers, numbers.data(), numbers.size());
}

template <class Bits>
void sort_many(Stream& stream, std::span<Bits> numbers, std::span<std::int64_t> order) {
  WEFT_EXPECTS(numbers.size() == order.size());
  parallel_for(space::cuda{}, stream, static_cast<std::int64_t>(order.size()), StorePosition{order.data()});
  const DeviceVector<Bits> other(stream, numbers.size());
  const DeviceVector<std::int64_t> other_order(stream, order.size());
  cub::DoubleBuffer<Bits> buffers(numbers.data(), other.data());
  cub::DoubleBuffer<std::int64_t> positions(order.data(), other_order.data());
  call_with_memory(stream, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, buffers, positions, static_cast<std::uint64_t>(numbers.size()), 0,
                                           8 * static_cast<int>(sizeof(Bits)), native(stream));
  });
  copy_result(stream, buffers, numbers.data(), numbers.size());
  copy_result(stream, positions, order.data(), order.size());
}

template void sort_many(Stream&, std::span<std::uint8_t>);
template void sort_many(Stream&, std::span<std::uint16_t>);
template void sort_many(Stream&, std::span<std::uint32_t>);
template void sort_many(Stream&, std::span<std::uint64_t>);
template void sort_many(Stream&, std::span<std::uint8_t>, std::span<std::int64_t>);
template void sort_many(Stream&, std::span<std::uint16_t>, std::span<std::int64_t>);
template void sort_many(Stream&, std::span<std::uint32_t>, std::span<std::int64_t>);
template void sort_many(Stream&, std::span<std::uint64_t>, std::span<std::int64_t>);

}  // namespace weft::kernels::detail
