// Measures block-sparse products, preconditioners, iterative solvers, batched LU and batched products on one GPU, compared with
// cuSPARSE, cuBLAS and a copy of the same bytes.
//
//   bench_kernels_linear [--edge CELLS]     cells per edge of the box, 128, at most 674
//
// Reports medians of 20 runs, timed by GPU events, as a table and then as JSON. The matrix has the seven-point pattern of a box
// of cells in lexicographic order, with random blocks. Bytes are the minimum traffic: one read of every block and its column
// index, of each row size, of x, and one write of y; for batches one read of every input and one write of every output. "own" and
// "library" are relative to a copy on the device, and "library/own" above 1 means that the own kernels are faster. cuSPARSE reads
// the same matrix in its own format; batches of cuBLAS hold the same matrices. Working sets are larger than the L2 cache.
//
// The colours of the rows are computed by calls that wait for the GPU, so that their time is elapsed time of the host; "library"
// is the time of all threads of the host instead, by the same method. Bytes are those of one sweep over the pattern. ILU(0) and
// LU-SGS move the bytes of their cost in colored_factors.hpp: the factors of ILU(0) also those of a row of U for each block of L.
//
// The solvers iterate on matrices with blocks of 5 x 5 (10.5 million rows for 128 cells per edge): a seven-point Poisson matrix,
// and the Jacobian of an implicit step of the Euler equations (euler_matrix.hpp) at a CFL number of 100. A cycle of GMRES(30)
// with block Jacobi is compared with the sum of its kernels: products and preconditioner as measured alone, and the vectors that
// the passes over the basis must read and write, 3 (j + 1) + 5 in iteration j, at the rate of the copy. GMRES(30) then iterates
// with each preconditioner to a residual of 1e-6 of the right-hand side, at most 100 cycles, in elapsed time; the factors, which
// are computed once before, are lines of their own.
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/cores.hpp"
#include "weft/base/team.hpp"
#include "weft/device/device.hpp"
#include "weft/device/info.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/batched_product.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/bsr_product.hpp"

#include "arguments.hpp"
#include "gpu_timing.hpp"
#include "kernels/box_matrix.hpp"
#include "kernels/cuda_libraries.hpp"
#include "kernels/linear/systems.hpp"
#include "kernels/linear/table.cuh"

namespace {

using namespace weft;
using bench::FillRandom;
using bench::kGpu;
using bench::Line;
using bench::random;
using bench::Table;
using kernels::BsrMatrix;
using kernels::BsrPattern;
using kernels::BsrView;

/// cuSPARSE takes numbers of blocks as int.
constexpr int kMostEdge = bench::largest_box(std::numeric_limits<int>::max());

template <class T, int B>
void add_products(Table& table, const bench::CudaLibraries& libraries, Stream& stream, const bench::Box& box,
                  const std::shared_ptr<const BsrPattern>& pattern) {
  const std::string of = bench::of_blocks<T, B>();
  BsrMatrix<T, B> matrix(pattern);
  const BsrView<T, B> values = matrix.template values<space::cuda>();
  parallel_for(kGpu, stream, pattern->slots() * B * B, FillRandom<T>{values.values});
  const BsrView<const T, B> a{values.pattern, values.values};
  const std::int64_t rows = pattern->rows(), entries = rows * B;
  const DeviceVector<T> x = random<T>(stream, entries), y = random<T>(stream, entries), z = random<T>(stream, entries);
  const DeviceVector<kernels::ProductDots> dots(stream, 1);
  const std::vector<std::int32_t> narrow(box.offsets.begin(), box.offsets.end());
  const DeviceVector<std::int32_t> offsets(stream, std::span<const std::int32_t>(narrow));
  const DeviceVector<std::int32_t> columns(stream, std::span<const std::int32_t>(box.columns));
  const DeviceVector<T> blocks(stream, static_cast<std::size_t>(pattern->blocks()) * B * B);
  parallel_for(kGpu, stream, pattern->rows(), bench::ToBlockRows<BsrView<const T, B>, T>{a, B, offsets.data(), blocks.data()});

  const bench::BlockRows<T> in_rows{static_cast<int>(rows), static_cast<int>(pattern->blocks()), B, blocks.data(), offsets.data(),
                                    columns.data()};
  const auto library = [&] { bench::library_product(libraries, in_rows, x.data(), y.data()); };
  const double of_vector = static_cast<double>(entries) * sizeof(T);
  const double bytes = static_cast<double>(pattern->blocks()) * (B * B * sizeof(T) + 4) + 4.0 * static_cast<double>(rows);
  table.add({"product" + of, bytes + 2 * of_vector,
             bench::median_seconds(stream, [&] { kernels::multiply(kGpu, stream, a, x.span(), y.span()); }),
             bench::median_seconds(stream, library)});
  table.add({"product and two dots" + of, bytes + 3 * of_vector,
             bench::median_seconds(
                 stream, [&] { kernels::multiply_and_dot(kGpu, stream, a, x.span(), y.span(), z.span(), dots.data()); }),
             0});
  table.add(
      {"product plus vector" + of, bytes + 3 * of_vector,
       bench::median_seconds(stream, [&] { kernels::multiply_add(kGpu, stream, T(-1), a, x.span(), T(1), z.span(), y.span()); }),
       0});
  table.add({"residual and its norm" + of, bytes + 3 * of_vector,
             bench::median_seconds(stream,
                                   [&] {
                                     kernels::multiply_add_and_dot(kGpu, stream, T(-1), a, x.span(), T(1), z.span(), y.span(),
                                                                   z.span(), dots.data());
                                   }),
             0});
  const kernels::BsrTransposeView transpose = pattern->transpose<space::cuda>();
  table.add({"transposed product" + of, bytes + 8.0 * static_cast<double>(pattern->blocks()) + 2 * of_vector,
             bench::median_seconds(stream, [&] { kernels::multiply_transposed(kGpu, stream, a, transpose, x.span(), y.span()); }),
             0});
  kernels::BlockJacobi<T, B> jacobi(pattern->rows(), Backend::cuda);
  const double of_diagonal = static_cast<double>(rows) * B * B * sizeof(T);
  table.add(
      {"block Jacobi, factors" + of, 2 * of_diagonal, bench::median_seconds(stream, [&] { jacobi.factor(kGpu, stream, a); }), 0});
  table.add({"block Jacobi, applied" + of, of_diagonal + 2 * of_vector,
             bench::median_seconds(stream, [&] { jacobi.apply(kGpu, stream, x.span(), y.span()); }), 0});
}

template <class T>
void add_batch(Table& table, const bench::CudaLibraries& libraries, Stream& stream, int n) {
  const auto square = std::int64_t{n} * n, size = std::int64_t{1'000'000'000} / (square * static_cast<std::int64_t>(sizeof(T)));
  const auto count = static_cast<std::size_t>(size), width = static_cast<std::size_t>(n);
  const std::string of = std::string(sizeof(T) == 8 ? ", fp64, n = " : ", fp32, n = ") + std::to_string(n);
  const DeviceVector<T> original = random<T>(stream, size * square, n, T(2)), factors(stream, original.size());
  const DeviceVector<std::uint8_t> pivots(stream, count * width), status(stream, count);
  const DeviceVector<T> b = random<T>(stream, size * n), x(stream, b.size());
  const DeviceVector<T*> matrices(stream, count), vectors(stream, count);
  const DeviceVector<int> rows(stream, count * width), info(stream, count);
  parallel_for(kGpu, stream, size, bench::StoreAddress<T>{factors.data(), square, matrices.data()});
  parallel_for(kGpu, stream, size, bench::StoreAddress<T>{x.data(), n, vectors.data()});
  const kernels::LuBatch<T> batch{n, factors.span(), pivots.span(), status.span()};
  const auto refill = [&] { copy_bytes(stream, factors.data(), original.data(), original.bytes()); };
  const auto refill_x = [&] { copy_bytes(stream, x.data(), b.data(), b.bytes()); };

  const auto library_factor = [&] { bench::library_factor(libraries, n, matrices.data(), rows.data(), info.data(), size); };
  const auto library_solve = [&] { bench::library_solve(libraries, n, matrices.data(), rows.data(), vectors.data(), size); };
  const double of_matrices = static_cast<double>(size * square) * sizeof(T),
               of_vectors = static_cast<double>(size * n) * sizeof(T);
  const double of_pivots = static_cast<double>(size) * (n + 1);
  const double library_seconds = bench::median_seconds(stream, library_factor, refill);
  const double library_solve_seconds = bench::median_seconds(stream, library_solve, refill_x);
  const double own_seconds = bench::median_seconds(
      stream, [&] { kernels::lu_factor(kGpu, stream, batch); }, refill);
  const double own_solve_seconds =
      bench::median_seconds(stream, [&] { kernels::lu_solve(kGpu, stream, batch, b.span(), x.span()); });
  table.add({"LU factors" + of, 2 * of_matrices + of_pivots, own_seconds, library_seconds});
  table.add({"LU solution" + of, of_matrices + of_pivots + 2 * of_vectors, own_solve_seconds, library_solve_seconds});
}

template <class T>
void add_batched_products(Table& table, const bench::CudaLibraries& libraries, Stream& stream, int n) {
  const auto square = std::int64_t{n} * n, size = std::int64_t{1'000'000'000} / (square * static_cast<std::int64_t>(sizeof(T)));
  const DeviceVector<T> a = random<T>(stream, size * square), b = random<T>(stream, size * square), c(stream, a.size());
  const kernels::ProductBatch<T> batch{n, a.span(), b.span(), c.span()};
  const auto library = [&] { bench::library_products(libraries, n, a.data(), b.data(), c.data(), size); };
  table.add({std::string("batched product, ") + (sizeof(T) == 8 ? "fp64, n = " : "fp32, n = ") + std::to_string(n),
             3 * static_cast<double>(a.bytes()),
             bench::median_seconds(stream, [&] { kernels::multiply_batch(kGpu, stream, batch); }),
             bench::median_seconds(stream, library)});
}

}  // namespace

int main(int argc, char** argv) {
  int edge = 128;
  bench::Arguments arguments("bench_kernels_linear", "Measures the kernels of kernels/linear on a GPU.");
  arguments.add("--edge", edge,
                "Cells per edge of the box, at most " + std::to_string(kMostEdge) + ": cuSPARSE counts blocks in 32 bits", 1,
                kMostEdge);
  if (const auto ends = arguments.parse(argc, argv)) return *ends;
  if (!bench::describe_gpu()) return 0;
  Table table{.copy = measure_bandwidth(current_device()).copy, .lines = {}};
  std::printf("copy on the device, read + written: %.1f GB/s; box of %d^3 cells\n\n", 1e-9 * table.copy, edge);
  std::printf("%-54s %9s %11s %9s %9s %9s\n", "", "MB", "own", "own", "library", "library /");
  std::printf("%-54s %9s %11s %9s %9s %9s\n", "", "", "us", "of copy", "of copy", "own");

  Stream stream;
  const bench::CudaLibraries libraries(stream);
  {
    const bench::Box box(edge);
    Team team(usable_cores());
    const auto rows = static_cast<std::int32_t>(box.offsets.size() - 1);
    const auto pattern = std::make_shared<const BsrPattern>(box.offsets, box.columns, rows, Backend::cuda, team);
    add_products<double, 4>(table, libraries, stream, box, pattern);
    add_products<double, 5>(table, libraries, stream, box, pattern);
    add_products<double, 6>(table, libraries, stream, box, pattern);
    add_products<double, 7>(table, libraries, stream, box, pattern);
    add_products<float, 4>(table, libraries, stream, box, pattern);
    add_products<float, 5>(table, libraries, stream, box, pattern);
    add_products<float, 6>(table, libraries, stream, box, pattern);
    add_products<float, 7>(table, libraries, stream, box, pattern);
    bench::add_systems(table, stream, pattern, edge, team);
  }
  for (const int n : {4, 5, 6, 7, 8, 16, 32}) {
    add_batch<double>(table, libraries, stream, n);
    add_batch<float>(table, libraries, stream, n);
    add_batched_products<double>(table, libraries, stream, n);
    add_batched_products<float>(table, libraries, stream, n);
  }

  std::printf("\n{\"benchmark\": \"kernels/linear\", \"gpu\": \"%s\", \"copy\": %.4e, \"edge\": %d, \"results\": [",
              cuda_info().devices[0].name.c_str(), table.copy, edge);
  for (const Line& line : table.lines) {
    std::printf(
        "%s{\"what\": \"%s\", \"bytes\": %.0f, \"own_microseconds\": %.3f, \"library_microseconds\": %.3f, "
        "\"own_of_copy\": %.4f, \"library_of_copy\": %.4f, \"iterations\": %d}",
        &line == table.lines.data() ? "" : ", ", line.what.c_str(), line.bytes, 1e6 * line.own, 1e6 * line.library,
        table.of_copy(line, line.own), table.of_copy(line, line.library), static_cast<int>(line.iterations));
  }
  std::printf("]}\n");
  return 0;
}
