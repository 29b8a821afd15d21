#pragma once
// The table of results of bench_kernels_linear, and random inputs on the GPU.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"

namespace bench {

inline constexpr weft::space::cuda kGpu;

struct Line {
  std::string what;
  double bytes, own, library;   ///< seconds; 0: the library has no such function
  std::int32_t iterations = 0;  ///< iterations of a solver, where it ends by itself
};

/// The lines of the result table, printed as they are added.
struct Table {
  double copy;  ///< bytes per second
  std::vector<Line> lines;

  [[nodiscard]] double of_copy(const Line& line, double seconds) const { return seconds > 0 ? line.bytes / seconds / copy : 0; }
  void add(const Line& line) {
    lines.push_back(line);
    std::printf("%-54s %9.1f %11.1f %9.3f %9.3f %9.3f\n", line.what.c_str(), 1e-6 * line.bytes, 1e6 * line.own,
                of_copy(line, line.own), of_copy(line, line.library), line.library > 0 ? line.library / line.own : 0);
  }
};

/// Returns the end of the name of a line: the type and the size of blocks.
template <class T, int B>
[[nodiscard]] std::string of_blocks() {
  return std::string(sizeof(T) == 8 ? ", fp64, " : ", fp32, ") + std::to_string(B) + " x " + std::to_string(B);
}

/// Fills with numbers in [-1, 1), and adds `diagonal` to every entry of a row-major matrix of n rows that is on its diagonal.
template <class T>
struct FillRandom {
  T* x;
  int n = 1;
  T diagonal = 0;
  WEFT_HD void operator()(std::int64_t i) const {
    const std::int64_t within = i % (n * n);
    x[i] = static_cast<T>(static_cast<double>(weft::mix_bits(static_cast<std::uint64_t>(i + 1)) >> 11U) * 0x1p-52 - 1) +
           (within % (n + 1) == 0 ? diagonal : T(0));
  }
};

template <class T>
weft::DeviceVector<T> random(weft::Stream& stream, std::int64_t n, int matrix = 1, T diagonal = 0) {
  weft::DeviceVector<T> x(stream, static_cast<std::size_t>(n));
  weft::parallel_for(kGpu, stream, n, FillRandom<T>{x.data(), matrix, diagonal});
  return x;
}

}  // namespace bench
