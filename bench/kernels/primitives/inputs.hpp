#pragma once
// Inputs of the measured kernels, in the memory of the GPU in .cu files and of the host otherwise: random numbers, segments,
// permutations.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "weft/base/macros.hpp"
#include "weft/base/mix.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/stream.hpp"
#ifdef __CUDACC__
#include "weft/device/parallel_for.cuh"
#else
#include "weft/device/parallel_for.hpp"
#endif

#include "measure.hpp"

namespace bench {

#ifdef __CUDACC__
using MeasuredSpace = weft::space::cuda;
#else
using MeasuredSpace = weft::space::host;
#endif

/// Copies of an array of n entries, each aligned as an array of its own. Their contents are initially undefined, on the host 0.
template <class T>
class Copies {
 public:
  Copies(weft::Stream& stream, int copies, std::int64_t n)
      : n_(static_cast<std::size_t>(n)),
        stride_((n_ + kAligned - 1) / kAligned * kAligned),
        memory_(stream, stride_ * static_cast<std::size_t>(copies)) {
    if (stream.is_host()) weft::set_bytes(stream, memory_.data(), 0, memory_.bytes());  // so that no run meets untouched pages
  }

  [[nodiscard]] std::span<T> operator[](int copy) const {
    return memory_.span().subspan(stride_ * static_cast<std::size_t>(copy), n_);
  }
  [[nodiscard]] std::span<const T> in(int copy) const { return (*this)[copy]; }
  [[nodiscard]] std::span<T> all() const { return memory_.span(); }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }

 private:
  static constexpr std::size_t kAligned = 256 / sizeof(T);
  std::size_t n_, stride_;
  weft::DeviceVector<T> memory_;
};

template <class T>
struct FillRandom {
  T* x;
  std::uint64_t most;
  WEFT_HD void operator()(std::int64_t i) const {
    x[i] = static_cast<T>(weft::mix_bits(static_cast<std::uint64_t>(i + 1) * weft::kGoldenRatioBits) % most);
  }
};

/// Returns copies of n random whole numbers below `most`; each copy has other numbers.
template <class T>
Copies<T> random(weft::Stream& stream, int copies, std::int64_t n, std::uint64_t most = std::uint64_t{1} << 62U) {
  Copies<T> x(stream, copies, n);
  const auto all = static_cast<std::int64_t>(x.all().size());
  weft::parallel_for(MeasuredSpace{}, stream, all, FillRandom<T>{x.all().data(), most});
  return x;
}

struct StoreOffset {
  std::int64_t* offsets;
  std::int64_t length, n;
  WEFT_HD void operator()(std::int64_t s) const { offsets[s] = s * length < n ? s * length : n; }
};

/// Returns copies of the offsets of segments of `length` entries in an array of n entries; the last one may be shorter.
inline Copies<std::int64_t> offsets_of(weft::Stream& stream, int copies, std::int64_t n, std::int64_t length) {
  const std::int64_t segments = (n + length - 1) / length;
  Copies<std::int64_t> offsets(stream, copies, segments + 1);
  for (int k = 0; k < copies; ++k)
    weft::parallel_for(MeasuredSpace{}, stream, segments + 1, StoreOffset{offsets[k].data(), length, n});
  return offsets;
}

/// A permutation of 0 .. n-1 without locality: a bijection of the numbers of `bits` bits, repeated until the result is below n.
struct Permutation {
  std::uint64_t n;
  int bits = 1;

  explicit Permutation(std::int64_t count) : n(static_cast<std::uint64_t>(count)) {
    while ((std::uint64_t{1} << bits) < n) ++bits;
  }
  [[nodiscard]] WEFT_HD std::uint64_t operator()(std::uint64_t i) const {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    do {
      for (int round = 0; round < 3; ++round) {
        i = (i * weft::kGoldenRatioBits + 12345) & mask;
        i ^= i >> ((bits + 1) / 2);
      }
    } while (i >= n);
    return i;
  }
};

template <class T>
struct StorePermuted {
  T* x;
  Permutation permutation;
  WEFT_HD void operator()(std::int64_t i) const { x[i] = static_cast<T>(permutation(static_cast<std::uint64_t>(i))); }
};

/// Returns copies of a permutation of 0 .. n-1.
template <class T>
Copies<T> permutations(weft::Stream& stream, int copies, std::int64_t n) {
  Copies<T> x(stream, copies, n);
  for (int k = 0; k < copies; ++k) {
    weft::parallel_for(MeasuredSpace{}, stream, n, StorePermuted<T>{x[k].data(), Permutation(n)});
  }
  return x;
}

/// Returns the edge of the largest cube with at most n points, a multiple of 4; at least 4.
[[nodiscard]] inline std::int32_t cube_edge(std::int64_t n) {
  std::int32_t edge = 4;
  while ((edge + 4LL) * (edge + 4) * (edge + 4) <= n) edge += 4;
  return edge;
}
/// Returns the edge of the largest square with at most n entries, a multiple of 64; at least 64.
[[nodiscard]] inline std::int64_t square_edge(std::int64_t n) {
  std::int64_t edge = 64;
  while ((edge + 64) * (edge + 64) <= n) edge += 64;
  return edge;
}

inline std::string segments_of(std::int64_t n, std::int64_t length) {
  return length >= n ? "one segment" : "segments of " + std::to_string(length);
}

}  // namespace bench
