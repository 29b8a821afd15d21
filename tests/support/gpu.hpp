#pragma once
/// Tests that need a GPU: skipped, with the reason, if there is none.
#include <gtest/gtest.h>

#include "weft/device/device.hpp"
#include "weft/device/space.hpp"

/// Skips a test without a GPU; used in a test or SetUp(). Such tests have "cuda" or "Cuda" in their names: tools/gpu-check runs
/// those under compute-sanitizer.
#define WEFT_NEEDS_GPU() \
  if (::weft::device_count() == 0) GTEST_SKIP() << ::weft::cuda_unavailable_reason()

/// Skips a test of what happens without a GPU.
#define WEFT_NEEDS_NO_GPU() \
  if (::weft::device_count() > 0) GTEST_SKIP() << "tests the errors of a machine without a GPU, and this one has a GPU"

namespace weft::test {

/// A test that is run for several backends.
class BackendTest : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (is_cuda(GetParam())) WEFT_NEEDS_GPU();
  }
};

inline const char* backend_name(const ::testing::TestParamInfo<Backend>& info) { return to_string(info.param); }
inline auto every_backend() {
  return ::testing::Values(Backend::host, Backend::mirror, Backend::cuda, Backend::cuda_managed, Backend::cuda_mapped);
}
/// Returns the backends whose sides can differ.
inline auto device_backends() {
  return ::testing::Values(Backend::mirror, Backend::cuda, Backend::cuda_managed, Backend::cuda_mapped);
}

}  // namespace weft::test
