#pragma once
/// Two ways to run an operation of a GPU whose results must have given bits: often while a kernel competes, and in a graph.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "weft/device/graph.hpp"

#include "kernels/compete.cuh"
#include "kernels/on_gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::kernels::test {

enum class Way { repeated, captured };

/// A result of an operation, and what it must be.
template <class T>
struct Result {
  const OnGpu<T>& out;
  const std::vector<T>& expected;

  void clear(Stream& stream) const { set_bytes(stream, out.data(), 0x5b, expected.size() * sizeof(T)); }
  [[nodiscard]] bool is_expected(Stream& stream) const {
    const std::vector<T> values = out.values(stream);
    return std::memcmp(values.data(), expected.data(), expected.size() * sizeof(T)) == 0;
  }
};

/// Runs an operation 100 times, or 8 times under compute-sanitizer, while `kernels` kernels compete, or captures it and launches
/// the graph twice.
/// @param run  enqueues the operation and, if it works in place, copies its input before.
template <class Run, class... T>
void check(Way way, Stream& stream, int kernels, const Run& run, const Result<T>&... results) {
  if (way == Way::repeated) {
    test::Competitor other;
    for (int i = 0; i < full_or_checked(100, 8); ++i) {
      (results.clear(stream), ...);
      stream.wait();
      other.start(i, kernels);
      run(stream);
      ASSERT_TRUE((results.is_expected(stream) && ...)) << "run " << i;
      other.wait();
    }
  } else {
    Graph graph = Graph::capture(stream, run);
    for (int i = 0; i < 2; ++i) {
      (results.clear(stream), ...);
      graph.launch(stream);
      ASSERT_TRUE((results.is_expected(stream) && ...)) << "launch " << i;
    }
  }
}

}  // namespace weft::kernels::test
