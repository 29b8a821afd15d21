#pragma once
/// Arrays of more than 2^32 entries on a GPU, whose entries are known from their position.
#include <cstdint>
#include <vector>

#include "weft/base/id.hpp"
#include "weft/base/mix.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"

#include "kernels/on_gpu.hpp"

namespace weft::kernels::test {

inline constexpr std::int64_t kMany = (std::int64_t{1} << 32) + 5;

/// Entries that are known from their position.
template <class T>
WEFT_HD T entry_at(std::int64_t i) {
  return static_cast<T>(mix_bits(static_cast<std::uint64_t>(i)));
}
template <class T>
struct StoreEntries {
  T* to;
  WEFT_HD void operator()(std::int64_t i) const { to[i] = entry_at<T>(i); }
};

/// Entries i modulo 251, whose sums and runs are known. Those 2^32 apart differ, because 251 is prime.
inline constexpr std::int64_t kPeriod = 251;
template <class T>
WEFT_HD T counted_at(std::int64_t i) {
  return static_cast<T>(i % kPeriod);
}
template <class T>
struct StoreCounted {
  T* to;
  WEFT_HD void operator()(std::int64_t i) const { to[i] = counted_at<T>(i); }
};

/// Offsets of segments of `length` entries; the last one of n entries may be shorter.
struct StoreOffset {
  std::int64_t* offsets;
  std::int64_t length, n;
  WEFT_HD void operator()(std::int64_t s) const { offsets[s] = s * length < n ? s * length : n; }
};

/// Counts entries that differ from what `expected` returns for their position.
template <class T, class Expected>
struct CountWrong {
  const T* values;
  Expected expected;
  unsigned long long* wrong;
  __device__ void operator()(std::int64_t i) const {
    if (values[i] != expected(i)) atomicAdd(wrong, 1ULL);
  }
};
template <class T, class Expected>
unsigned long long wrong_entries(Stream& stream, const DeviceVector<T>& values, const Expected& expected) {
  const OnGpu wrong(stream, std::vector<unsigned long long>(1));
  parallel_for(space::cuda{}, stream, static_cast<std::int64_t>(values.size()),
               CountWrong<T, Expected>{values.data(), expected, wrong.data()});
  return wrong.values(stream)[0];
}

}  // namespace weft::kernels::test
