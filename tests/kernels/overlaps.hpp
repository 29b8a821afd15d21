#pragma once
/// Calls of every primitive with arguments that overlap, which must be refused in every build.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>

#include "weft/base/error.hpp"
#include "weft/kernels/primitives/line_stencil.hpp"
#include "weft/kernels/primitives/operators.hpp"
#include "weft/kernels/primitives/star_stencil.hpp"
#include "weft/kernels/primitives/stencil.hpp"

namespace weft::kernels::test {

/// Checks that a call throws the ContractError of overlapping arguments, whose text differs from that of a checked contract.
template <class Call>
void expect_refused_overlap(const char* names, const Call& call) {
  try {
    call();
    ADD_FAILURE() << names << " overlap and were accepted";
  } catch (const ContractError& error) {
    EXPECT_EQ(std::string(error.what()), std::string(names) + " overlap; pass memory that does not overlap");
  }
}

/// The memory of which all arguments are parts, of the host or of a GPU.
struct OverlapMemory {
  std::span<double> numbers;  ///< at least 4096
  std::span<std::int64_t>
      integers;                   ///< 0, 4, 4, 4, ..., at least 16, so that the first ones are offsets of segments of 4 entries
  std::span<std::uint8_t> bytes;  ///< at least 16

  [[nodiscard]] std::span<const double> in(std::size_t n) const { return numbers.first(n); }
  [[nodiscard]] std::span<double> out(std::size_t first, std::size_t n) const { return numbers.subspan(first, n); }
  [[nodiscard]] std::span<const std::int64_t> offsets(std::size_t n) const { return integers.first(n); }
};

/// @param machine  nothing, or space::cuda and a stream.
template <class... Machine>
void refuse_overlaps_of_scans(const OverlapMemory& m, Machine&... machine) {
  const std::span<std::int64_t> integers = m.integers;
  const std::span<const std::uint8_t> bytes = m.bytes;
  expect_refused_overlap("in and out of a scan", [&] { (void)exclusive_scan(machine..., m.in(4), m.out(1, 4)); });
  expect_refused_overlap("in and out of a scan", [&] { (void)inclusive_scan(machine..., m.in(4), m.out(3, 4), 0.0, Minimum{}); });
  expect_refused_overlap("in and out of a scan", [&] { (void)inclusive_scan(machine..., m.offsets(4), integers.subspan(3, 4)); });
  expect_refused_overlap("in and out of a segmented scan",
                         [&] { segmented_inclusive_scan(machine..., m.in(4), bytes.first(4), m.out(1, 4), 0.0, Plus{}); });
  expect_refused_overlap("heads and out of a segmented scan", [&] {
    segmented_exclusive_scan(machine..., bytes.first(4), bytes.subspan(4, 4), m.bytes.subspan(5, 4), std::uint8_t{0}, Plus{});
  });
  expect_refused_overlap("offsets and out of a segmented scan", [&] {
    segmented_inclusive_scan(machine..., std::span<const std::int64_t>(integers.last(4)), m.offsets(2), integers.subspan(1, 4),
                             std::int64_t{0}, Plus{});
  });
  expect_refused_overlap("values and results of segmented_reduce",
                         [&] { segmented_sum(machine..., m.in(4), m.offsets(3), m.out(3, 2)); });
  expect_refused_overlap("offsets and results of segmented_reduce", [&] {
    segmented_sum(machine..., std::span<const std::int64_t>(integers.last(4)), m.offsets(3), integers.subspan(2, 2));
  });
}

template <class... Machine>
void refuse_overlaps_of_sorts(const OverlapMemory& m, Machine&... machine) {
  const std::span<std::int64_t> integers = m.integers;
  expect_refused_overlap("keys and values of stable_sort_by_key",
                         [&] { stable_sort_by_key(machine..., integers.first(3), integers.subspan(2, 3)); });
  expect_refused_overlap("keys and offsets of segmented_sort",
                         [&] { segmented_sort(machine..., integers.subspan(1, 4), m.offsets(2)); });
  expect_refused_overlap("keys and values of segmented_stable_sort_by_key", [&] {
    segmented_stable_sort_by_key(machine..., integers.subspan(4, 4), integers.subspan(7, 4), m.offsets(2));
  });
  expect_refused_overlap("keys and offsets of segmented_stable_sort_by_key", [&] {
    segmented_stable_sort_by_key(machine..., integers.subspan(1, 4), integers.subspan(8, 4), m.offsets(2));
  });
  expect_refused_overlap("values and offsets of segmented_stable_sort_by_key", [&] {
    segmented_stable_sort_by_key(machine..., integers.subspan(8, 4), integers.subspan(1, 4), m.offsets(2));
  });
}

template <class... Machine>
void refuse_overlaps_of_rows(const OverlapMemory& m, Machine&... machine) {
  const std::span<std::int64_t> integers = m.integers;
  const std::span<const std::int64_t> zero = m.offsets(1), words = integers;
  expect_refused_overlap("in and out of gather", [&] { gather(machine..., m.in(4), zero, m.out(3, 1)); });
  expect_refused_overlap("index and out of gather", [&] { gather(machine..., words.subspan(8, 4), zero, integers.first(1)); });
  expect_refused_overlap("in and out of scatter", [&] { scatter(machine..., m.in(1), zero, m.out(0, 4)); });
  expect_refused_overlap("index and out of scatter", [&] { scatter(machine..., words.subspan(8, 1), zero, integers.first(4)); });
  expect_refused_overlap("aos and soa of aos_to_soa", [&] { aos_to_soa(machine..., m.in(6), 3, 2, 3, m.out(5, 6)); });
  expect_refused_overlap("soa and aos of soa_to_aos", [&] { soa_to_aos(machine..., m.in(8), 3, 2, 4, m.out(7, 6)); });
  expect_refused_overlap("in and out of transpose", [&] { transpose(machine..., m.in(6), 2, 3, m.out(5, 6)); });
  expect_refused_overlap("in and out of transpose", [&] { transpose_batch(machine..., m.in(12), 2, 2, 3, m.out(0, 12)); });
}

template <class... Machine>
void refuse_overlaps_of_stencils(const OverlapMemory& m, Machine&... machine) {
  const Box box{2, 2, 2};
  const StarBox star{2, 2, 2};
  const auto entries = static_cast<std::size_t>(box.entries()), of_star = static_cast<std::size_t>(star.entries());
  expect_refused_overlap("in and out of apply_stencil", [&] {
    apply_stencil(machine..., StencilWeights<double>{}, box, m.in(entries), m.out(entries - 1, entries));
  });
  expect_refused_overlap("in and out of apply_star_stencil", [&] {
    apply_star_stencil(machine..., StarWeights<double>{}, star, m.in(of_star), m.out(of_star - 1, of_star));
  });
  expect_refused_overlap("in and out of apply_line_stencil",
                         [&] { apply_line_stencil(machine..., LineStencil<double, 1>{}, m.in(10), m.out(9, 8)); });
}

}  // namespace weft::kernels::test
