// Arguments in the memory of a GPU that overlap, which the primitives refuse in every build.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "weft/kernels/primitives/aos_soa.cuh"
#include "weft/kernels/primitives/gather.cuh"
#include "weft/kernels/primitives/line_stencil.cuh"
#include "weft/kernels/primitives/ordered_scan.cuh"
#include "weft/kernels/primitives/reduce.cuh"
#include "weft/kernels/primitives/scan.cuh"
#include "weft/kernels/primitives/segmented_sort.cuh"
#include "weft/kernels/primitives/select.cuh"
#include "weft/kernels/primitives/sort.cuh"
#include "weft/kernels/primitives/star_stencil.cuh"
#include "weft/kernels/primitives/stencil.cuh"
#include "weft/kernels/primitives/transpose.cuh"

#include "kernels/on_gpu.hpp"
#include "kernels/overlaps.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::overlap_test {
namespace {

using test::expect_refused_overlap;
using test::OnGpu;

struct IsPositive {
  template <class T>
  WEFT_HD bool operator()(T value) const {
    return value > 0;
  }
};

TEST(CudaOverlap, is_refused) {
  WEFT_NEEDS_GPU();
  Stream stream;
  space::cuda gpu;
  const OnGpu numbers(stream, std::vector<double>(4096, 1));
  const OnGpu integers(stream, std::vector<std::int64_t>(16, 4));
  const OnGpu bytes(stream, std::vector<std::uint8_t>(16));
  const test::OverlapMemory memory{numbers.span(), integers.span(), bytes.span()};
  test::refuse_overlaps_of_scans(memory, gpu, stream);
  test::refuse_overlaps_of_sorts(memory, gpu, stream);
  test::refuse_overlaps_of_rows(memory, gpu, stream);
  test::refuse_overlaps_of_stencils(memory, gpu, stream);
}

TEST(CudaOverlap, of_vectors_is_refused) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu x(stream, std::vector<double>(8)), y(stream, std::vector<double>(4)), alpha(stream, std::vector<double>(1));
  const auto update = [&](const double* factor, std::span<const double> from, std::span<double> to,
                          std::span<const double> with) {
    axpy_dot(space::cuda{}, stream, factor, from, to, with, alpha.data());
  };
  expect_refused_overlap("x and y of axpy_dot",
                         [&] { update(alpha.data(), x.input().first(4), x.span().subspan(3, 4), x.input().first(4)); });
  expect_refused_overlap("z and y of axpy_dot",
                         [&] { update(alpha.data(), y.input(), x.span().first(4), x.input().subspan(3, 4)); });
  expect_refused_overlap("alpha and y of axpy_dot",
                         [&] { update(x.data() + 3, y.input(), x.span().first(4), x.input().first(4)); });
}

TEST(CudaOverlap, of_selections_is_refused) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const space::cuda gpu;
  const OnGpu integers(stream, std::vector<std::int64_t>(20)), count(stream, std::vector<std::int64_t>(1));
  const std::span<const std::int64_t> in = integers.input().first(4);
  const std::span<std::int64_t> all = integers.span();
  expect_refused_overlap("in and out of copy_if",
                         [&] { copy_if(gpu, stream, in, IsPositive{}, all.subspan(3, 4), count.data()); });
  expect_refused_overlap("in and out of partition",
                         [&] { partition(gpu, stream, in, IsPositive{}, all.first(4), count.data()); });
  expect_refused_overlap("keys and out of unique", [&] { unique(gpu, stream, in, all.subspan(3, 4), count.data()); });
  expect_refused_overlap("keys and out of run_length_encode",
                         [&] { run_length_encode(gpu, stream, in, all.subspan(3, 4), all.last(5), count.data()); });
  expect_refused_overlap("keys and offsets of run_length_encode",
                         [&] { run_length_encode(gpu, stream, in, all.last(4), all.subspan(3, 5), count.data()); });
  expect_refused_overlap("out and offsets of run_length_encode",
                         [&] { run_length_encode(gpu, stream, in, all.last(4), all.subspan(12, 5), count.data()); });
}

}  // namespace
}  // namespace weft::kernels::overlap_test
