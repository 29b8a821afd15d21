// Each operation of a GPU has the bits of the host, in every run while another kernel competes, and in a captured graph.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/kernels/primitives/aos_soa.cuh"
#include "weft/kernels/primitives/gather.cuh"
#include "weft/kernels/primitives/histogram.cuh"
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

#include "kernels/associative.hpp"
#include "kernels/block_sparse.hpp"
#include "kernels/keys.hpp"
#include "kernels/on_gpu.hpp"
#include "kernels/segment_lengths.hpp"
#include "kernels/ways.cuh"
#include "support/gpu.hpp"

namespace weft::kernels::operations_test {
namespace {

using test::check;
using test::OnGpu;
using test::Result;
using test::view;
using test::Way;

constexpr space::cuda kGpu{};

template <class T>
void copy(Stream& stream, const OnGpu<T>& from, const OnGpu<T>& to) {
  copy_bytes(stream, to.data(), from.data(), from.span().size_bytes());
}

/// Returns n entries as clear() leaves them, for results that do not fill the array: run lengths, and stencils without ghosts.
template <class T>
std::vector<T> cleared(std::size_t n) {
  std::vector<T> values(n);
  std::memset(values.data(), 0x5b, n * sizeof(T));
  return values;
}

void sums(Way way) {
  Stream stream;
  const std::vector<double> numbers = test::cancelling_numbers<double>(1'000'003);
  const std::vector<double> sum_of_host{sum(view(numbers))}, dot_of_host{dot(view(numbers), view(numbers))};
  const OnGpu x(stream, numbers), sum_of_gpu(stream, sum_of_host), dot_of_gpu(stream, dot_of_host);
  const auto run = [&](Stream& s) {
    sum(kGpu, s, x.input(), sum_of_gpu.data());
    dot(kGpu, s, x.input(), x.input(), dot_of_gpu.data());
  };
  check(way, stream, 1, run, Result<double>{sum_of_gpu, sum_of_host}, Result<double>{dot_of_gpu, dot_of_host});
}

struct SquareOf {
  const double* values;
  WEFT_HD double operator()(std::int64_t i) const { return values[i] * values[i]; }
};

void updated_dots(Way way) {
  Stream stream;
  const std::vector<double> x = test::cancelling_numbers<double>(300'007), y(x.size(), 0.7), alpha{0.3};
  std::vector<double> updated = y;
  const std::vector<double> dot{axpy_dot(0.3, view(x), std::span(updated), view(x))},
      largest{transform_reduce(static_cast<std::int64_t>(x.size()), 0.0, SquareOf{x.data()}, Maximum{})};
  const OnGpu x_of_gpu(stream, x), y_in(stream, y), y_of_gpu(stream, y), alpha_of_gpu(stream, alpha), dot_of_gpu(stream, dot),
      largest_of_gpu(stream, largest);
  const auto run = [&](Stream& s) {
    copy(s, y_in, y_of_gpu);
    axpy_dot(kGpu, s, alpha_of_gpu.data(), x_of_gpu.input(), y_of_gpu.span(), x_of_gpu.input(), dot_of_gpu.data());
    reduce_into(kGpu, s, static_cast<std::int64_t>(x.size()), 0.0, SquareOf{x_of_gpu.data()}, Maximum{}, largest_of_gpu.data());
  };
  check(way, stream, 1, run, Result<double>{y_of_gpu, updated}, Result<double>{dot_of_gpu, dot},
        Result<double>{largest_of_gpu, largest});
}

void segmented_sums(Way way) {
  Stream stream;
  const std::vector<double> numbers = test::cancelling_numbers<double>(1'000'003);
  const std::vector<std::int64_t> offsets = test::segment_offsets(numbers.size(), 4500);
  std::vector<double> expected(offsets.size() - 1);
  segmented_sum(view(numbers), view(offsets), std::span(expected));
  const OnGpu x(stream, numbers), results(stream, expected);
  const OnGpu segments(stream, offsets);
  const auto run = [&](Stream& s) { segmented_sum(kGpu, s, x.input(), segments.input(), results.span()); };
  check(way, stream, 1, run, Result<double>{results, expected});
}

/// Scans of integers, which look back at the sums that other blocks have published.
template <class Sum>
void integer_scan(Way way) {
  Stream stream;
  std::vector<std::uint32_t> numbers(1'000'003);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(mix_bits(i) % 1000);
  std::vector<Sum> expected(numbers.size()), total(1);
  total[0] = exclusive_scan(view(numbers), std::span(expected));
  const OnGpu in(stream, numbers);
  const OnGpu out(stream, expected), total_of_gpu(stream, total);
  const auto run = [&](Stream& s) { exclusive_scan(kGpu, s, in.input(), out.span(), total_of_gpu.data()); };
  check(way, stream, 1, run, Result<Sum>{out, expected}, Result<Sum>{total_of_gpu, total});
}

/// Scans in a fixed order, for operators that round or do not commute.
template <class T, class Combine>
void ordered_scan(Way way, const std::vector<T>& entries, const T& identity, const Combine& combine) {
  Stream stream;
  std::vector<T> expected(entries.size());
  inclusive_scan(view(entries), std::span(expected), identity, combine);
  const OnGpu in(stream, entries), out(stream, expected);
  const auto run = [&](Stream& s) { inclusive_scan(kGpu, s, in.input(), out.span(), identity, combine); };
  check(way, stream, 1, run, Result<T>{out, expected});
}
void scan_of_doubles(Way way) { ordered_scan(way, test::cancelling_numbers<double>(200'003), 0.0, Plus{}); }
void scan_of_functions(Way way) { ordered_scan(way, test::affine_functions(200'003), test::Affine{}, test::Compose{}); }

void segmented_scan(Way way) {
  Stream stream;
  const std::vector<double> numbers = test::cancelling_numbers<double>(200'003);
  const std::vector<std::int64_t> offsets = test::segment_offsets(numbers.size(), 1000);
  std::vector<double> expected(numbers.size());
  segmented_exclusive_scan(view(numbers), view(offsets), std::span(expected), 0.0, Plus{});
  const OnGpu in(stream, numbers), out(stream, expected);
  const OnGpu segments(stream, offsets);
  const auto run = [&](Stream& s) { segmented_exclusive_scan(kGpu, s, in.input(), segments.input(), out.span(), 0.0, Plus{}); };
  check(way, stream, 1, run, Result<double>{out, expected});
}

void sort_of_keys(Way way) {
  Stream stream;
  const std::vector<double> keys = test::keys<double>(500'003, test::Distribution::random);
  std::vector<double> expected = keys;
  sort(std::span(expected));
  const OnGpu in(stream, keys), out(stream, keys);
  const auto run = [&](Stream& s) {
    copy(s, in, out);
    sort(kGpu, s, out.span());
  };
  check(way, stream, 1, run, Result<double>{out, expected});
}

void sort_of_pairs(Way way) {
  Stream stream;
  const std::vector<std::uint32_t> keys = test::keys<std::uint32_t>(500'003, test::Distribution::few);
  std::vector<std::int32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const OnGpu in(stream, keys), out(stream, keys);
  const OnGpu values_in(stream, order), values(stream, order);
  std::vector<std::uint32_t> expected = keys;
  stable_sort_by_key(std::span(expected), std::span(order));
  const auto run = [&](Stream& s) {
    copy(s, in, out);
    copy(s, values_in, values);
    stable_sort_by_key(kGpu, s, out.span(), values.span());
  };
  check(way, stream, 1, run, Result<std::uint32_t>{out, expected}, Result<std::int32_t>{values, order});
}

void segmented_sort_of_pairs(Way way) {
  Stream stream;
  const std::vector<std::uint32_t> keys = test::keys<std::uint32_t>(100'003, test::Distribution::few);
  const std::vector<std::int64_t> offsets = test::offsets_to(100'003, test::segment_lengths()[3]);
  std::vector<std::int32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const OnGpu in(stream, keys), out(stream, keys);
  const OnGpu values_in(stream, order), values(stream, order);
  const OnGpu segments(stream, offsets);
  std::vector<std::uint32_t> expected = keys;
  segmented_stable_sort_by_key(std::span(expected), std::span(order), view(offsets));
  const auto run = [&](Stream& s) {
    copy(s, in, out);
    copy(s, values_in, values);
    segmented_stable_sort_by_key(kGpu, s, out.span(), values.span(), segments.input());
  };
  check(way, stream, 1, run, Result<std::uint32_t>{out, expected}, Result<std::int32_t>{values, order});
}

struct BinOf {
  std::int32_t bins;
  WEFT_HD std::int32_t operator()(std::int64_t i) const {
    return static_cast<std::int32_t>(mix_bits(static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(bins + 1)) - 1;
  }
};

/// Bins that are counted in shared memory, and more, which are counted in global memory.
void histograms(Way way) {
  Stream stream;
  std::vector<std::int64_t> few(1000), many(20'000);
  histogram(500'003, BinOf{1000}, std::span(few));
  histogram(500'003, BinOf{20'000}, std::span(many));
  const OnGpu few_of_gpu(stream, few), many_of_gpu(stream, many);
  const auto run = [&](Stream& s) {
    histogram(kGpu, s, 500'003, BinOf{1000}, few_of_gpu.span());
    histogram(kGpu, s, 500'003, BinOf{20'000}, many_of_gpu.span());
  };
  check(way, stream, 1, run, Result<std::int64_t>{few_of_gpu, few}, Result<std::int64_t>{many_of_gpu, many});
}

struct IsMultiple {
  WEFT_HD bool operator()(std::uint32_t value) const { return value % 3 == 0; }
};

void partitions(Way way) {
  Stream stream;
  std::vector<std::uint32_t> numbers(1'000'003), expected(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(mix_bits(i) % 7);
  const std::vector<std::int64_t> selected{partition(view(numbers), IsMultiple{}, std::span(expected))};
  const OnGpu in(stream, numbers, 1), out(stream, expected);
  const OnGpu count(stream, selected);
  const auto run = [&](Stream& s) { partition(kGpu, s, in.input(), IsMultiple{}, out.span(), count.data()); };
  check(way, stream, 1, run, Result<std::uint32_t>{out, expected}, Result<std::int64_t>{count, selected});
}

struct IsChosen {
  WEFT_HD bool operator()(std::int64_t i) const { return mix_bits(static_cast<std::uint64_t>(i)) % 3 == 0; }
};

void selections(Way way) {
  Stream stream;
  std::vector<std::int32_t> indices = select(500'003, IsChosen{});
  const std::vector<std::int64_t> selected{std::ssize(indices)};
  const std::vector<std::int32_t> rest = cleared<std::int32_t>(500'003 - indices.size());
  indices.insert(indices.end(), rest.begin(), rest.end());
  const OnGpu out(stream, indices);
  const OnGpu count(stream, selected);
  const auto run = [&](Stream& s) { select(kGpu, s, IsChosen{}, out.span(), count.data()); };
  check(way, stream, 1, run, Result<std::int32_t>{out, indices}, Result<std::int64_t>{count, selected});
}

void run_lengths(Way way) {
  Stream stream;
  std::vector<std::uint32_t> keys(500'003);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(mix_bits(i / 2) % 3);
  std::vector<std::uint32_t> firsts = cleared<std::uint32_t>(keys.size());
  std::vector<std::int64_t> offsets = cleared<std::int64_t>(keys.size() + 1), runs(1);
  runs[0] = run_length_encode(view(keys), std::span(firsts), std::span(offsets));
  const OnGpu in(stream, keys), firsts_of_gpu(stream, firsts);
  const OnGpu offsets_of_gpu(stream, offsets), runs_of_gpu(stream, runs);
  const auto run = [&](Stream& s) {
    run_length_encode(kGpu, s, in.input(), firsts_of_gpu.span(), offsets_of_gpu.span(), runs_of_gpu.data());
  };
  check(way, stream, 1, run, Result<std::uint32_t>{firsts_of_gpu, firsts}, Result<std::int64_t>{offsets_of_gpu, offsets},
        Result<std::int64_t>{runs_of_gpu, runs});
}

void rows_by_index(Way way) {
  Stream stream;
  constexpr std::size_t kRows = 50'001, kWidth = 5;
  std::vector<std::int32_t> index(kRows);
  for (std::size_t i = 0; i < kRows; ++i) index[i] = static_cast<std::int32_t>((i * 7919 + 3) % kRows);  // 7919 is prime
  const std::vector<double> rows = test::cancelling_numbers<double>(kRows * kWidth);
  std::vector<double> gathered(rows.size()), scattered(rows.size());
  gather(std::span(rows), std::span(index), std::span(gathered), kWidth);
  scatter(std::span(rows), std::span(index), std::span(scattered), kWidth);
  const OnGpu in(stream, rows), by_gather(stream, rows), by_scatter(stream, rows);
  const OnGpu indices(stream, index);
  const auto run = [&](Stream& s) {
    gather(kGpu, s, in.input(), indices.input(), by_gather.span(), kWidth);
    scatter(kGpu, s, in.input(), indices.input(), by_scatter.span(), kWidth);
  };
  check(way, stream, 1, run, Result<double>{by_gather, gathered}, Result<double>{by_scatter, scattered});
}

void aos_and_soa(Way way) {
  Stream stream;
  constexpr std::int64_t kRows = 50'001, kWidth = 5;
  const std::vector<double> rows = test::cancelling_numbers<double>(kRows * kWidth);
  std::vector<double> soa(rows.size()), aos(rows.size());
  aos_to_soa(view(rows), kRows, kWidth, kRows, std::span(soa));
  soa_to_aos(view(rows), kRows, kWidth, kRows, std::span(aos));
  const OnGpu in(stream, rows), soa_of_gpu(stream, soa), aos_of_gpu(stream, aos);
  const auto run = [&](Stream& s) {
    aos_to_soa(kGpu, s, in.input(), kRows, kWidth, kRows, soa_of_gpu.span());
    soa_to_aos(kGpu, s, in.input(), kRows, kWidth, kRows, aos_of_gpu.span());
  };
  check(way, stream, 1, run, Result<double>{soa_of_gpu, soa}, Result<double>{aos_of_gpu, aos});
}

void transposes(Way way) {
  Stream stream;
  const std::vector<float> numbers = test::cancelling_numbers<float>(700 * 900);
  std::vector<float> matrix(numbers.size()), matrices(numbers.size());
  transpose(view(numbers), 700, 900, std::span(matrix));
  transpose_batch(view(numbers), 700, 30, 30, std::span(matrices));
  const OnGpu in(stream, numbers), one(stream, matrix), many(stream, matrices);
  const auto run = [&](Stream& s) {
    transpose(kGpu, s, in.input(), 700, 900, one.span());
    transpose_batch(kGpu, s, in.input(), 700, 30, 30, many.span());
  };
  check(way, stream, 1, run, Result<float>{one, matrix}, Result<float>{many, matrices});
}

void stencil_of_seven_points(Way way) {
  Stream stream;
  const Box box{130, 33, 65};
  const StencilWeights<double> weights{0.41, 0.113, -0.097, 0.123, 0.089, -0.131, 0.071};
  const std::vector<double> numbers = test::cancelling_numbers<double>(static_cast<std::size_t>(box.entries()));
  std::vector<double> expected = cleared<double>(numbers.size());
  apply_stencil(weights, box, view(numbers), std::span(expected));
  const OnGpu in(stream, numbers), out(stream, expected);
  const auto run = [&](Stream& s) { apply_stencil(kGpu, s, weights, box, in.input(), out.span()); };
  check(way, stream, 1, run, Result<double>{out, expected});
}

void stencil_of_25_points(Way way) {
  Stream stream;
  const StarBox box{100, 30, 65};
  const StarWeights<double> weights{0.41, {0.113, -0.097, 0.31, 0.07}, {0.123, 0.089, -0.2, 0.5}, {-0.131, 0.071, 1.3, -0.3}};
  const std::vector<double> numbers = test::cancelling_numbers<double>(static_cast<std::size_t>(box.entries()));
  std::vector<double> expected = cleared<double>(numbers.size());
  apply_star_stencil(weights, box, view(numbers), std::span(expected));
  const OnGpu in(stream, numbers), out(stream, expected);
  const auto run = [&](Stream& s) { apply_star_stencil(kGpu, s, weights, box, in.input(), out.span()); };
  check(way, stream, 1, run, Result<double>{out, expected});
}

void stencil_of_a_line(Way way) {
  Stream stream;
  const LineStencil<double, 4> stencil{{0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8, 0.9}};
  const std::vector<double> numbers = test::cancelling_numbers<double>(300'007);
  std::vector<double> expected(numbers.size() - 8);
  apply_line_stencil(stencil, view(numbers), std::span(expected));
  const OnGpu in(stream, numbers), out(stream, expected);
  const auto run = [&](Stream& s) { apply_line_stencil(kGpu, s, stencil, in.input(), out.span()); };
  check(way, stream, 1, run, Result<double>{out, expected});
}

struct Operation {
  const char* name;
  void (*check)(Way);
  friend std::ostream& operator<<(std::ostream& out, const Operation& operation) { return out << operation.name; }
};
const Operation kPrimitives[] = {{"sum_and_dot", sums},
                                 {"axpy_dot_and_maximum", updated_dots},
                                 {"segmented_sum", segmented_sums},
                                 {"scan_of_integers_32", integer_scan<std::uint32_t>},
                                 {"scan_of_integers_64", integer_scan<std::int64_t>},
                                 {"scan_of_doubles", scan_of_doubles},
                                 {"scan_of_functions", scan_of_functions},
                                 {"segmented_scan", segmented_scan},
                                 {"sort_of_keys", sort_of_keys},
                                 {"sort_of_pairs", sort_of_pairs},
                                 {"segmented_sort_of_pairs", segmented_sort_of_pairs},
                                 {"histogram", histograms},
                                 {"partition", partitions},
                                 {"select", selections},
                                 {"run_lengths", run_lengths},
                                 {"gather_and_scatter", rows_by_index},
                                 {"aos_and_soa", aos_and_soa},
                                 {"transpose_and_batch", transposes},
                                 {"stencil_of_a_line", stencil_of_a_line},
                                 {"stencil_of_7_points", stencil_of_seven_points},
                                 {"stencil_of_25_points", stencil_of_25_points}};
std::string name_of(const ::testing::TestParamInfo<Operation>& info) { return info.param.name; }

class CudaRepeated : public ::testing::TestWithParam<Operation> {};
TEST_P(CudaRepeated, has_the_bits_of_the_host_while_a_kernel_competes) {
  WEFT_NEEDS_GPU();
  GetParam().check(Way::repeated);
}
INSTANTIATE_TEST_SUITE_P(Primitives, CudaRepeated, ::testing::ValuesIn(kPrimitives), name_of);

class CudaCaptured : public ::testing::TestWithParam<Operation> {};
TEST_P(CudaCaptured, has_the_bits_of_the_host_in_a_graph) {
  WEFT_NEEDS_GPU();
  GetParam().check(Way::captured);
}
INSTANTIATE_TEST_SUITE_P(Primitives, CudaCaptured, ::testing::ValuesIn(kPrimitives), name_of);

}  // namespace
}  // namespace weft::kernels::operations_test
