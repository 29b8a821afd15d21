// Products of block-sparse matrices with the seven-point pattern of a box of cells, and block Jacobi.
#include <memory>
#include <vector>

#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/bsr_product.hpp"

#include "inputs.cuh"
#include "linear_rows.hpp"
#ifdef WEFT_HAS_CUDA_LIBRARIES
#include "kernels/cuda_libraries.hpp"
#endif

namespace bench {
namespace {

using namespace weft;

constexpr int kB = 5;

/// Copies of a matrix of doubles in blocks of 5 x 5 and of the vectors of its products.
struct System {
  std::shared_ptr<const kernels::BsrPattern> pattern;
  std::vector<kernels::BsrMatrix<double, kB>> matrices;
  Copies<double> x, y, z;

  System(Stream& stream, const Box& box, int copies)
      : pattern(std::make_shared<const kernels::BsrPattern>(box.offsets, box.columns,
                                                            static_cast<std::int32_t>(box.offsets.size() - 1), Backend::cuda)),
        x(random<double>(stream, copies, entries(), 1000)),
        y(stream, copies, entries()),
        z(random<double>(stream, copies, entries(), 1000)) {
    for (int k = 0; k < copies; ++k) {
      matrices.emplace_back(pattern);
      double* const values = matrices.back().values<space::cuda>().values;
      parallel_for(kGpu, stream, pattern->slots() * kB * kB, FillRandom<double>{values, 1000});
    }
  }
  [[nodiscard]] std::int64_t entries() const { return std::int64_t{pattern->rows()} * kB; }
  [[nodiscard]] kernels::BsrView<const double, kB> a(int copy) const {
    return matrices[static_cast<std::size_t>(copy)].view<space::cuda>();
  }
};

#ifdef WEFT_HAS_CUDA_LIBRARIES
/// Returns the times of cuSPARSE, which reads copies of the matrix in its own format.
Times time_library(const Bench& bench, const Box& box, const System& system, int copies) {
  Stream& stream = bench.stream();
  const CudaLibraries libraries(stream);
  const std::vector<std::int32_t> narrow(box.offsets.begin(), box.offsets.end());
  const DeviceVector<std::int32_t> offsets(stream, std::span<const std::int32_t>(narrow));
  const DeviceVector<std::int32_t> columns(stream, std::span<const std::int32_t>(box.columns));
  const Copies<double> blocks(stream, copies, system.pattern->blocks() * kB * kB);
  for (int k = 0; k < copies; ++k) {
    using ToRows = ToBlockRows<kernels::BsrView<const double, kB>, double>;
    parallel_for(kGpu, stream, system.pattern->rows(), ToRows{system.a(k), kB, offsets.data(), blocks[k].data()});
  }
  stream.wait();  // until the offsets are copied
  return bench.time(copies, [&](int k) {
    const BlockRows<double> a{
        system.pattern->rows(), static_cast<int>(system.pattern->blocks()), kB, blocks[k].data(), offsets.data(), columns.data()};
    library_product(libraries, a, system.x[k].data(), system.y[k].data());
  });
}
#endif

}  // namespace

void measure_products(const Bench& bench, std::int64_t n) {
  if (!wants_products(bench)) return;
  Stream& stream = bench.stream();
  const Box box(box_edge(n, kB));
  const ProductTraffic traffic(box, kB);
  const int copies = bench.copies(static_cast<std::int64_t>(traffic.product));
  System s(stream, box, copies);
  const auto report = [&](const char* kernel, double bytes, double operations, std::vector<std::pair<std::string, Times>> times) {
    bench.report({kernel, "double", "blocks of 5 x 5", traffic.entries, bytes, operations, std::move(times)});
  };
  if (bench.wants("multiply")) {
    const auto own = [&](int k) { kernels::multiply(kGpu, stream, s.a(k), s.x.in(k), s.y[k]); };
    std::vector<std::pair<std::string, Times>> times{{"own", bench.time(copies, own)}};
#ifdef WEFT_HAS_CUDA_LIBRARIES
    times.emplace_back("library", time_library(bench, box, s, copies));
#endif
    report("multiply", traffic.product, 2 * traffic.entries, std::move(times));
  }
  if (bench.wants("multiply_add")) {
    const auto own = [&](int k) { kernels::multiply_add(kGpu, stream, -1, s.a(k), s.x.in(k), 1, s.z.in(k), s.y[k]); };
    report("multiply_add", traffic.product + traffic.vector, 2 * traffic.entries, {{"own", bench.time(copies, own)}});
  }
  if (bench.wants("multiply_and_dot")) {
    const DeviceVector<kernels::ProductDots> dots(stream, 1);
    const auto own = [&](int k) { kernels::multiply_and_dot(kGpu, stream, s.a(k), s.x.in(k), s.y[k], s.z.in(k), dots.data()); };
    report("multiply_and_dot", traffic.product + traffic.vector, 2 * traffic.entries, {{"own", bench.time(copies, own)}});
  }
  if (bench.wants("multiply_transposed")) {
    const kernels::BsrTransposeView transpose = s.pattern->transpose<space::cuda>();
    const auto own = [&](int k) { kernels::multiply_transposed(kGpu, stream, s.a(k), transpose, s.x.in(k), s.y[k]); };
    report("multiply_transposed", traffic.transposed, 2 * traffic.entries, {{"own", bench.time(copies, own)}});
  }
  if (!bench.wants("block_jacobi")) return;
  std::vector<std::unique_ptr<kernels::BlockJacobi<double, kB>>> jacobi;
  for (int k = 0; k < copies; ++k) {
    jacobi.push_back(std::make_unique<kernels::BlockJacobi<double, kB>>(s.pattern->rows(), Backend::cuda));
    jacobi.back()->factor(kGpu, stream, s.a(k));
  }
  const auto own = [&](int k) { jacobi[static_cast<std::size_t>(k)]->apply(kGpu, stream, s.x.in(k), s.y[k]); };
  bench.report_own({"block_jacobi", "double", "blocks of 5 x 5, applied", traffic.diagonal,
                    8 * traffic.diagonal + 2 * traffic.vector, 2 * traffic.diagonal},
                   copies, own);
}

}  // namespace bench
