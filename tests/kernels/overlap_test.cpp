// Arguments that overlap, which the primitives refuse in every build.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "weft/kernels/primitives/aos_soa.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/gather.hpp"
#include "weft/kernels/primitives/reduce.hpp"
#include "weft/kernels/primitives/scan.hpp"
#include "weft/kernels/primitives/segmented_sort.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/kernels/primitives/sort.hpp"
#include "weft/kernels/primitives/transpose.hpp"

#include "kernels/overlaps.hpp"

namespace weft::kernels::overlap_test {
namespace {

using test::expect_refused_overlap;

struct IsPositive {
  bool operator()(double value) const { return value > 0; }
};

class Overlap : public ::testing::Test {
 protected:
  [[nodiscard]] test::OverlapMemory memory() { return {numbers_, integers_, bytes_}; }

 private:
  std::vector<double> numbers_ = std::vector<double>(4096, 1);
  std::vector<std::int64_t> integers_{0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(16);
};

TEST_F(Overlap, of_scans_and_segments_is_refused) { test::refuse_overlaps_of_scans(memory()); }
TEST_F(Overlap, of_sorts_is_refused) { test::refuse_overlaps_of_sorts(memory()); }
TEST_F(Overlap, of_rows_and_matrices_is_refused) { test::refuse_overlaps_of_rows(memory()); }
TEST_F(Overlap, of_stencils_is_refused) { test::refuse_overlaps_of_stencils(memory()); }

TEST_F(Overlap, of_vectors_is_refused) {
  const test::OverlapMemory m = memory();
  expect_refused_overlap("x and y of axpy_dot", [&] { (void)axpy_dot(1.0, m.in(4), m.out(3, 4), m.in(4)); });
  expect_refused_overlap("z and y of axpy_dot", [&] { (void)axpy_dot(1.0, m.in(2), m.out(3, 2), m.in(4).last(2)); });
}

TEST_F(Overlap, of_selections_is_refused) {
  const test::OverlapMemory m = memory();
  const std::span<std::int64_t> integers = m.integers;
  expect_refused_overlap("in and out of copy_if", [&] { (void)copy_if(m.in(4), IsPositive{}, m.out(3, 4)); });
  expect_refused_overlap("in and out of partition", [&] { (void)partition(m.in(4), IsPositive{}, m.out(0, 4)); });
  expect_refused_overlap("keys and out of unique", [&] { (void)unique(m.in(4), m.out(3, 4)); });
  expect_refused_overlap("keys and out of run_length_encode",
                         [&] { (void)run_length_encode(m.in(4), m.out(3, 4), integers.first(5)); });
  expect_refused_overlap("keys and offsets of run_length_encode",
                         [&] { (void)run_length_encode(m.offsets(4), integers.last(4), integers.subspan(3, 5)); });
  expect_refused_overlap("out and offsets of run_length_encode",
                         [&] { (void)run_length_encode(m.offsets(4), integers.last(4), integers.subspan(8, 5)); });
}

TEST_F(Overlap, of_adjacent_empty_and_equal_spans_is_accepted) {
  const test::OverlapMemory m = memory();
  const std::span<double> all = m.numbers;
  EXPECT_NO_THROW(detail::refuse_overlap(all.first(4), all.subspan(4, 4), "a and b"));
  EXPECT_NO_THROW(detail::refuse_overlap(all.subspan(4, 4), all.first(4), "a and b"));
  EXPECT_NO_THROW(detail::refuse_overlap(all.first(4), all.subspan(2, 0), "a and b"));
  EXPECT_NO_THROW(detail::refuse_overlap(std::span<double>{}, std::span<double>{}, "a and b"));
  expect_refused_overlap("a and b", [&] { detail::refuse_overlap(all.first(4), all.first(4), "a and b"); });
  expect_refused_overlap("a and b", [&] { detail::refuse_overlap(all.subspan(1, 2), all.first(4), "a and b"); });
  EXPECT_NO_THROW(detail::refuse_partial_overlap(all.first(4), all.first(4), "a and b"));
  expect_refused_overlap("a and b", [&] { detail::refuse_partial_overlap(all.first(4), all.subspan(1, 4), "a and b"); });
  const std::span<float> narrow(reinterpret_cast<float*>(all.data()), 4);
  expect_refused_overlap("a and b", [&] { detail::refuse_partial_overlap(all.first(4), narrow, "a and b"); });
}

}  // namespace
}  // namespace weft::kernels::overlap_test
