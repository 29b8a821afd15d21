#pragma once
/// Tests that need much memory of a GPU: skipped, with the reason, where it has less.
#include <gtest/gtest.h>

#include <cstddef>

#include "weft/device/device.hpp"
#include "weft/device/info.hpp"

#include "support/gpu.hpp"

/// Skips a test without a GPU whose memory, with 2 GiB for the context and other tests, has `bytes`. Free memory is no criterion,
/// because the pools of earlier tests retain theirs.
#define WEFT_NEEDS_GPU_MEMORY(bytes)                                                                                  \
  WEFT_NEEDS_GPU();                                                                                                   \
  if (const double gibibytes = static_cast<double>(bytes) / (1 << 30) + 2; ::weft::test::gpu_gibibytes() < gibibytes) \
  GTEST_SKIP() << "needs a GPU with " << gibibytes << " GiB of memory, and this one has " << ::weft::test::gpu_gibibytes()

namespace weft::test {

/// Returns the memory of the current GPU in GiB.
inline double gpu_gibibytes() {
  return static_cast<double>(cuda_info().devices.at(static_cast<std::size_t>(current_device())).memory_total_bytes) / (1 << 30);
}

}  // namespace weft::test
