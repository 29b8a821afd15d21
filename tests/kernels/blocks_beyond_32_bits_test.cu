// Counts, selections, layouts and batches of small matrices of more than 2^32 entries on a GPU.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "weft/kernels/linear/batched_lu.hpp"
#include "weft/kernels/linear/batched_product.hpp"
#include "weft/kernels/primitives/aos_soa.cuh"
#include "weft/kernels/primitives/histogram.cuh"
#include "weft/kernels/primitives/select.cuh"

#include "kernels/many_entries.cuh"
#include "support/gpu_memory.hpp"

namespace weft::kernels::blocks_beyond_32_bits_test {
namespace {

using test::entry_at;
using test::kMany;
using test::OnGpu;
using test::StoreEntries;
using test::wrong_entries;

constexpr space::cuda kGpu{};

struct BinOf {
  WEFT_HD std::int32_t operator()(std::int64_t i) const { return static_cast<std::int32_t>(i % 3); }
};

TEST(CudaHistogram, counts_entries_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(std::int64_t{1} << 30);
  Stream stream;
  const OnGpu counts(stream, std::vector<std::int64_t>(3));
  histogram(kGpu, stream, 3 * kMany + 1, BinOf{}, counts.span());
  EXPECT_EQ(counts.values(stream), (std::vector<std::int64_t>{kMany + 1, kMany, kMany}));
}

/// Returns true for the last thousand entries, which are 1.
struct IsLast {
  WEFT_HD bool operator()(std::uint8_t entry) const { return entry == 1; }
};
struct StoreOnes {
  std::uint8_t* to;
  WEFT_HD void operator()(std::int64_t i) const { to[i] = i >= kMany - 1000 ? 1 : 0; }
};
struct FirstAreOne {
  WEFT_HD std::uint8_t operator()(std::int64_t i) const { return i < 1000 ? 1 : 0; }
};

TEST(CudaSelect, selects_entries_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(kMany * 2 + (kMany >> 3));
  Stream stream;
  const DeviceVector<std::uint8_t> in(stream, to_index(kMany)), out(stream, to_index(kMany));
  const OnGpu count(stream, std::vector<std::int64_t>(1));
  parallel_for(kGpu, stream, kMany, StoreOnes{in.data()});
  set_bytes(stream, out.data(), 0, out.bytes());
  partition(kGpu, stream, std::span<const std::uint8_t>(in.span()), IsLast{}, out.span(), count.data());
  EXPECT_EQ(count.values(stream)[0], 1000);
  EXPECT_EQ(wrong_entries(stream, out, FirstAreOne{}), 0U);
}

struct EntryOfSoa {
  std::int64_t rows, width;
  WEFT_HD float operator()(std::int64_t i) const { return entry_at<float>(i % rows * width + i / rows); }
};

TEST(CudaAosSoa, converts_entries_beyond_32_bits) {
  constexpr std::int64_t kWidth = 5, kRows = kMany / kWidth + 1;
  WEFT_NEEDS_GPU_MEMORY(kRows * kWidth * 8);
  Stream stream;
  const DeviceVector<float> aos(stream, to_index(kRows * kWidth)), soa(stream, to_index(kRows * kWidth));
  parallel_for(kGpu, stream, kRows * kWidth, StoreEntries<float>{aos.data()});
  aos_to_soa(kGpu, stream, std::span<const float>(aos.span()), kRows, kWidth, kRows, soa.span());
  EXPECT_EQ(wrong_entries(stream, soa, EntryOfSoa{kRows, kWidth}), 0U);
}

/// Entry i of matrices of n rows that differ from each other: upper triangular, with 2^(matrix % 7) on the diagonal and ones
/// above it, and rows 0 and 1 exchanged.
struct MatrixEntry {
  int n;
  [[nodiscard]] WEFT_HD float of_triangle(std::int64_t i) const {
    const std::int64_t matrix = i / (n * n);
    const auto entry = static_cast<int>(i % (n * n)), row = entry / n, column = entry % n;
    return row == column ? static_cast<float>(1 << matrix % 7) : row < column ? 1.F : 0.F;
  }
  WEFT_HD float operator()(std::int64_t i) const {
    const auto entry = static_cast<int>(i % (n * n)), row = entry / n;
    return of_triangle(row == 0 ? i + n : row == 1 ? i - n : i);
  }
};
/// Entry i of the factors of these matrices: the triangles.
struct FactorEntry {
  MatrixEntry matrices;
  WEFT_HD float operator()(std::int64_t i) const { return matrices.of_triangle(i); }
};
/// Row c of pivots: 1 for columns 0 and 1, and c for others.
struct PivotEntry {
  int n;
  WEFT_HD std::uint8_t operator()(std::int64_t i) const { return static_cast<std::uint8_t>(i % n < 2 ? 1 : i % n); }
};
struct ZeroByte {
  WEFT_HD std::uint8_t operator()(std::int64_t /*i*/) const { return 0; }
};
/// Entry i of the products of the identity and these matrices, which are the matrices.
struct IdentityEntry {
  int n;
  WEFT_HD float operator()(std::int64_t i) const {
    const auto entry = static_cast<int>(i % (n * n));
    return entry / n == entry % n ? 1.F : 0.F;
  }
};
/// Right-hand side i of the solution (0, ..., 0, 1): the last column of its matrix.
struct LastColumn {
  MatrixEntry matrices;
  WEFT_HD float operator()(std::int64_t i) const {
    const int n = matrices.n;
    return matrices(i / n * n * n + i % n * n + n - 1);
  }
};
struct LastIsOne {
  int n;
  WEFT_HD float operator()(std::int64_t i) const { return i % n == n - 1 ? 1.F : 0.F; }
};
template <class Entry>
struct StoreFloats {
  float* to;
  Entry entry;
  WEFT_HD void operator()(std::int64_t i) const { to[i] = entry(i); }
};

void expect_batch(int n) {
  SCOPED_TRACE(n);
  Stream stream;
  const std::int64_t size = kMany / (n * n) + 1, entries = size * n * n;
  const MatrixEntry entry{n};
  const DeviceVector<float> matrices(stream, to_index(entries)), other(stream, to_index(entries)),
      products(stream, to_index(entries)), x(stream, to_index(size * n));
  const DeviceVector<std::uint8_t> pivots(stream, to_index(size * n)), status(stream, to_index(size));
  parallel_for(kGpu, stream, entries, StoreFloats<MatrixEntry>{matrices.data(), entry});
  parallel_for(kGpu, stream, entries, StoreFloats<IdentityEntry>{other.data(), {n}});
  multiply_batch(kGpu, stream, ProductBatch<float>{n, other.span(), matrices.span(), products.span()});
  EXPECT_EQ(wrong_entries(stream, products, entry), 0U);
  set_bytes(stream, pivots.data(), 0xff, pivots.bytes());
  set_bytes(stream, status.data(), 0xff, status.bytes());
  const LuBatch<float> batch{n, matrices.span(), pivots.span(), status.span()};
  lu_factor(kGpu, stream, batch);
  EXPECT_EQ(wrong_entries(stream, matrices, FactorEntry{entry}), 0U);
  EXPECT_EQ(wrong_entries(stream, pivots, PivotEntry{n}), 0U);
  EXPECT_EQ(wrong_entries(stream, status, ZeroByte{}), 0U);
  parallel_for(kGpu, stream, size * n, StoreFloats<LastColumn>{x.data(), {entry}});
  lu_solve(kGpu, stream, batch, x.span(), x.span());
  EXPECT_EQ(wrong_entries(stream, x, LastIsOne{n}), 0U);
}

TEST(CudaBatchedLu, computes_with_entries_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(kMany * 15);
  expect_batch(5);
  expect_batch(8);
  expect_batch(30);
}

}  // namespace
}  // namespace weft::kernels::blocks_beyond_32_bits_test
