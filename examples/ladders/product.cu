// The product of two matrices of floats, from one thread per entry to asynchronous copies, compared with cuBLAS without TF32,
// and of halves by tensor cores. Each step is a file in product/, which states what changes and the predicted rate;
// docs/guide/kernel_ladders.md has the measured ones.
//
//   ladder_product_gpu [--quick]
#include "product/1_naive.cuh"
#include "product/2_coalesced.cuh"
#include "product/3_shared_tile.cuh"
#include "product/4_register_tile.cuh"
#include "product/5_asynchronous.cuh"
#include "product/6_tensor_cores.cuh"
#ifdef LADDER_HAS_CUBLAS
#include <cublas_v2.h>
#endif

namespace {

using namespace ladder;

constexpr double kIsReference = 0;     ///< in place of a prediction
constexpr std::int32_t kLarge = 4096;  ///< rows and columns to which the predictions apply

#ifdef LADDER_HAS_CUBLAS
/// A handle of cuBLAS, which computes c^T = b^T a^T by columns, that is c = a b by rows. Its default is fp32 without TF32.
class Cublas {
 public:
  Cublas() { check(cublasCreate(&handle_)); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas() { cublasDestroy(handle_); }
  template <class T>
  void run(weft::Stream& stream, const ProductSize& size, const T* a, const T* b, float* c) {
    const float one = 1, zero = 0;
    constexpr cudaDataType kType = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_16F;
    check(cublasSetStream(handle_, weft::native(stream)));
    check(cublasGemmEx(handle_, CUBLAS_OP_N, CUBLAS_OP_N, size.n, size.m, size.k, &one, b, kType, size.n, a, kType, size.k, &zero,
                       c, CUDA_R_32F, size.n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  }

 private:
  static void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) {
      throw weft::DeviceError(std::string("cuBLAS failed (") + cublasGetStatusString(status) + "); free memory of the GPU");
    }
  }
  cublasHandle_t handle_ = nullptr;
};
template <class T>
void cublas_product(weft::Stream& stream, const ProductSize& size, const T* a, const T* b, float* c) {
  static Cublas cublas;
  cublas.run(stream, size, a, b, c);
}
#endif

constexpr ProductStep kSteps[] = {
#ifdef LADDER_HAS_CUBLAS
    {"library: cuBLAS, fp32", kIsReference, cublas_product<float>},
#endif
    kNaiveProduct,
    kCoalescedProduct,
    kTileProduct,
    kRegisterProduct,
    kAsyncProduct};
constexpr HalfProductStep kHalfSteps[] = {
#ifdef LADDER_HAS_CUBLAS
    {"library: cuBLAS, fp16, sums in fp32", kIsReference, cublas_product<__half>},
#endif
    kTensorProduct};

/// 1 .. 5: a sum of up to 600,000 products is exact in float, in any order, and is never -0.
template <class T>
constexpr Random<T> kRandomA{1, 5, 1};
template <class T>
constexpr Random<T> kRandomB{1001, 5, 1};

std::string text(const ProductSize& size) {
  return std::to_string(size.m) + " x " + std::to_string(size.k) + " times " + std::to_string(size.k) + " x " +
         std::to_string(size.n);
}

/// Compares all steps with the host entry by entry, including entries behind the result, which no step may write.
template <class T, std::size_t kCount>
bool are_right(weft::Stream& stream, const Step<const ProductSize&, const T*, const T*, float*> (&steps)[kCount],
               const ProductSize& size) {
  constexpr std::int64_t kBehind = 64;
  const auto a = on_gpu(stream, kRandomA<T>, size.a()), b = on_gpu(stream, kRandomB<T>, size.b());
  const weft::DeviceVector<float> c(stream, static_cast<std::size_t>(size.c() + kBehind));
  poison(stream, c);
  std::vector<float> expected = to_host(stream, c);
  const std::vector<float> host_b = on_host(kRandomB<float>, size.b());
  for (std::int64_t i = 0; i < size.m; ++i) {
    float* const row = expected.data() + i * size.n;
    std::fill_n(row, size.n, 0.0F);
    for (std::int64_t l = 0; l < size.k; ++l) {
      const float factor = kRandomA<float>(i * size.k + l);
      for (std::int64_t j = 0; j < size.n; ++j) row[j] += factor * host_b[static_cast<std::size_t>(l * size.n + j)];
    }
  }
  bool right = true;
  for (const auto& step : steps) {
    poison(stream, c);
    step.run(stream, size, a.data(), b.data(), c.data());
    right = is_same(step.name, text(size), to_host(stream, c), expected) && right;
  }
  return right;
}

/// Returns the product of a matrix of integers, rows x columns, and a vector, modulo 2^64. NaN, which poison() leaves in entries
/// that are not written, counts as 2^30.
std::vector<std::uint64_t> times(const std::vector<float>& matrix, std::int64_t columns, const std::vector<std::uint64_t>& x) {
  std::vector<std::uint64_t> y(matrix.size() / static_cast<std::size_t>(columns));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float* const row = matrix.data() + i * static_cast<std::size_t>(columns);
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t entry = row[j] == row[j] ? static_cast<std::int64_t>(row[j]) : 1 << 30;
      y[i] += static_cast<std::uint64_t>(entry) * x[static_cast<std::size_t>(j)];
    }
  }
  return y;
}

/// Measures all steps and compares their products c with the host by c x = a (b x) for a random vector x, in integers modulo
/// 2^64 (Freivalds 1977): a wrong row passes with a probability below 2^-30, at the cost of three passes over matrices.
template <class T, std::size_t kCount>
bool measure_all(weft::Stream& stream, const Step<const ProductSize&, const T*, const T*, float*> (&steps)[kCount],
                 const ProductSize& size) {
  const Inputs<T> a(stream, kRandomA<T>, size.a()), b(stream, kRandomB<T>, size.b());
  const weft::DeviceVector<float> c(stream, static_cast<std::size_t>(size.c()));
  const double operations = 2.0 * size.m * size.n * size.k;
  const std::vector<std::uint64_t> x = on_host(Random<std::uint64_t>{7, std::uint64_t{1} << 62, 0}, size.n);
  const std::vector<std::uint64_t> expected =
      times(on_host(kRandomA<float>, size.a()), size.k, times(on_host(kRandomB<float>, size.b()), size.n, x));
  Table table{"TFLOP/s", 1e-12, size.m == kLarge};
  table.header(std::string(sizeof(T) == 4 ? "Product of floats, " : "Product of halves, ") + text(size) +
               "; share of the rate of cuBLAS");
  bool right = true;
  for (const auto& step : steps) {
    poison(stream, c);
    step.run(stream, size, a[0].data(), b[0].data(), c.data());
    right = is_same(step.name, text(size) + ", row sums", times(to_host(stream, c), size.n, x), expected) && right;
    const Timing time = measure(stream, [&](int run) { step.run(stream, size, a[run].data(), b[run].data(), c.data()); });
    if (step.predicted == kIsReference) table.rate = operations / time.median;
    table.line(step.name, time, operations, step.predicted);
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = start(argc, argv);
  if (options.exit_code >= 0) return options.exit_code;
#ifndef LADDER_HAS_CUBLAS
  std::printf("cuBLAS is not measured, because CMake did not find it\n");
#endif
  weft::Stream stream;
  bool right = true;
  for (const ProductSize& size : {ProductSize{1, 1, 1}, ProductSize{3, 5, 7}, ProductSize{127, 129, 33},
                                  ProductSize{200, 136, 72}, ProductSize{200, 132, 68}, ProductSize{257, 263, 251}}) {
    right = are_right(stream, kSteps, size) && right;
    right = are_right(stream, kHalfSteps, size) && right;
  }
  const std::int32_t large = options.quick ? 512 : kLarge;
  for (const ProductSize& size : {ProductSize{large, large, large}, ProductSize{large - 1, large + 1, large - 3}}) {
    right = measure_all(stream, kSteps, size) && right;  // second size: no row but the first is aligned to 16 bytes
    right = measure_all(stream, kHalfSteps, size) && right;
  }
  std::printf("%s\n", right ? "all steps have the products of the host" : "WRONG products");
  return right ? 0 : 1;
}
