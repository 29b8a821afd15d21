#pragma once
// Inputs of the measured kernels on the GPU: random numbers and segments.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "weft/base/macros.hpp"
#include "weft/base/mix.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/device/stream.hpp"
#include "weft/kernels/primitives/providers.hpp"

#include "measure.hpp"

namespace bench {

using weft::kernels::Provider;

inline constexpr weft::space::cuda kGpu;

/// Copies of an array of n entries, each aligned as an array of its own. Their contents are initially undefined.
template <class T>
class Copies {
 public:
  Copies(weft::Stream& stream, int copies, std::int64_t n)
      : n_(static_cast<std::size_t>(n)),
        stride_((n_ + kAligned - 1) / kAligned * kAligned),
        memory_(stream, stride_ * static_cast<std::size_t>(copies)) {}

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
  weft::parallel_for(kGpu, stream, all, FillRandom<T>{x.all().data(), most});
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
  for (int k = 0; k < copies; ++k) weft::parallel_for(kGpu, stream, segments + 1, StoreOffset{offsets[k].data(), length, n});
  return offsets;
}

inline std::string segments_of(std::int64_t n, std::int64_t length) {
  return length >= n ? "one segment" : "segments of " + std::to_string(length);
}

}  // namespace bench
