#pragma once
/// Provider::library of the primitives, for .cu files: CUB as it is. Memory for it comes from the pool of the stream; its size
/// depends on the GPU. Sorts are in sort.cuh.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "weft/base/error.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/device_vector.hpp"
#include "weft/kernels/primitives/providers.hpp"

namespace weft::kernels::detail {

/// Calls call(memory, bytes) of CUB for the number of bytes, and again with memory.
template <class Call>
void with_memory(Stream& stream, const char* name, const Call& call) {
  std::size_t bytes = 0;
  check_cuda(call(static_cast<void*>(nullptr), bytes), name);
  const DeviceVector<unsigned char> memory(stream, bytes);
  check_cuda(call(static_cast<void*>(memory.data()), bytes), name);
}

template <>
struct Implementation<Primitive::sum, Provider::library> {
  template <class T, class Result>
  static void run(Stream& stream, std::span<const T> values, Result* result) {
    with_memory(stream, "cub::DeviceReduce::Reduce", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::Reduce(memory, bytes, values.data(), result, static_cast<std::int64_t>(values.size()),
                                       cuda::std::plus<Result>{}, Result{}, native(stream));
    });
  }
};

template <>
struct Implementation<Primitive::segmented_sum, Provider::library> {
  template <class T>
  static void run(Stream& stream, std::span<const T> values, std::span<const std::int64_t> offsets, std::span<T> sums) {
    with_memory(stream, "cub::DeviceSegmentedReduce::Sum", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSegmentedReduce::Sum(memory, bytes, values.data(), sums.data(), static_cast<std::int64_t>(sums.size()),
                                             offsets.data(), offsets.data() + 1, native(stream));
    });
  }
};

template <>
struct Implementation<Primitive::scan, Provider::library> {
  template <bool kInclusive, class In, class Out>
  static void run(Stream& stream, std::span<const In> in, std::span<Out> out) {
    const auto n = static_cast<std::int64_t>(in.size());
    with_memory(stream, "cub::DeviceScan", [&](void* memory, std::size_t& bytes) {
      if constexpr (kInclusive) {
        return cub::DeviceScan::InclusiveScanInit(memory, bytes, in.data(), out.data(), cuda::std::plus<Out>{}, Out{}, n,
                                                  native(stream));
      } else {
        return cub::DeviceScan::ExclusiveScan(memory, bytes, in.data(), out.data(), cuda::std::plus<Out>{}, Out{}, n,
                                              native(stream));
      }
    });
  }
};

template <>
struct Implementation<Primitive::copy_if, Provider::library> {
  template <class T, class Predicate>
  static void run(Stream& stream, std::span<const T> in, const Predicate& predicate, std::span<T> out, std::int64_t* count) {
    with_memory(stream, "cub::DeviceSelect::If", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSelect::If(memory, bytes, in.data(), out.data(), count, static_cast<std::int64_t>(in.size()), predicate,
                                   native(stream));
    });
  }
};

template <>
struct Implementation<Primitive::unique, Provider::library> {
  template <class Key>
  static void run(Stream& stream, std::span<const Key> keys, std::span<Key> out, std::int64_t* count) {
    with_memory(stream, "cub::DeviceSelect::Unique", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSelect::Unique(memory, bytes, keys.data(), out.data(), count, static_cast<std::int64_t>(keys.size()),
                                       native(stream));
    });
  }
};

template <>
struct Implementation<Primitive::histogram, Provider::library> {
  template <class Bin>
  static void run(Stream& stream, std::int64_t n, const Bin& bin_of, std::span<std::int64_t> counts) {
    if (counts.size() >= std::numeric_limits<int>::max()) {
      throw LimitError(std::to_string(counts.size()) + " bins are too many for a histogram by CUB", "request Provider::own");
    }
    const auto bins = static_cast<int>(counts.size());
    const auto samples = thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), bin_of);
    with_memory(stream, "cub::DeviceHistogram::HistogramEven", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceHistogram::HistogramEven(memory, bytes, samples, reinterpret_cast<unsigned long long*>(counts.data()),
                                                 bins + 1, 0, bins, n, native(stream));
    });
  }
};

}  // namespace weft::kernels::detail
