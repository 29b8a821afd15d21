// Products of block-sparse matrices and vectors on a GPU: a thread for each scalar row or column.
#include "weft/base/contracts.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/bsr_product.hpp"
#include "weft/kernels/linear/instances.hpp"

namespace weft::kernels {

namespace {

constexpr int kThreads = 256;
constexpr int kPass = 1024;  ///< entries of y per pass of a block with scalar products

/// Returns entry i of A x. Threads with adjacent i read adjacent entries of the blocks.
template <class T, int B>
__device__ T multiply_row(const BsrView<const T, B>& a, const T* x, std::int64_t i) {
  const auto row = static_cast<std::int32_t>(i / B);
  const auto within = static_cast<int>(i - std::int64_t{row} * B);
  const std::int64_t first = a.pattern.slot(row, 0);
  const std::int32_t size = a.pattern.sizes[row];
  const std::int32_t* column = a.pattern.column + first;
  const T* block = a.values + BsrView<const T, B>::index(first, within, 0);
  T sum{};
  for (std::int32_t k = 0; k < size; ++k) {
    const T* const from = x + std::int64_t{*column} * B;
    T entry[B];
#pragma unroll
    for (int j = 0; j < B; ++j) entry[j] = block[j * kBsrSlice * B];
#pragma unroll
    for (int j = 0; j < B; ++j) sum += entry[j] * from[j];
    column += kBsrSlice;
    block += kBsrSlice * B * B;
  }
  return sum;
}

/// Computes a row per thread. @tparam Finish  detail::PlainProduct or ProductPlusVector.
template <class T, int B, class Finish>
__global__ void __launch_bounds__(kThreads)
    bsr_multiply_kernel(const BsrView<const T, B> a, const T* x, const Finish finish, T* y, std::int64_t entries) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  trigger_dependent_launch();
  grid_dependency_sync();
  if (i < entries) y[i] = finish(i, multiply_row(a, x, i));
}

/// Computes one block of entries in the sense of weft::reduce() and its scalar products: all threads compute entries of y, then
/// one warp for each scalar product adds the products in the order of reduce_block().
template <class T, int B, class Finish>
__global__ void __launch_bounds__(kThreads)
    bsr_multiply_and_dot_kernel(const BsrView<const T, B> a, const T* x, const Finish finish, T* y, const T* z,
                                std::int64_t entries, int block_size, ProductDots* results) {
  static_assert(weft::detail::kReduceLanes == 32);
  __shared__ double products[2][kPass];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * block_size;
  trigger_dependent_launch();
  grid_dependency_sync();
  double sum = 0;
  for (int pass = 0; pass < block_size; pass += kPass) {
    const std::int64_t rest = entries - begin - pass;
    const int count = rest < kPass ? static_cast<int>(rest) : kPass;
    for (int n = thread; n < count; n += kThreads) {
      const std::int64_t i = begin + pass + n;
      const T value = finish(i, multiply_row(a, x, i));
      y[i] = value;
      products[0][n] = static_cast<double>(z[i]) * static_cast<double>(value);
      products[1][n] = static_cast<double>(value) * static_cast<double>(value);
    }
    __syncthreads();
    if (thread < 64) {
      for (int n = lane; n < count; n += 32) sum += products[thread / 32][n];
    }
    __syncthreads();
  }
  if (thread >= 64) return;
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    const double other = __shfl_down_sync(0xffffffffU, sum, apart);
    if (lane < apart) sum += other;
  }
  if (lane == 0) (thread == 0 ? results[blockIdx.x].zy : results[blockIdx.x].yy) = sum;
}

/// Computes entry i of A^T x: column i % B of the blocks of block column i / B, each of which is contiguous.
template <class T, int B>
__global__ void __launch_bounds__(kThreads)
    bsr_multiply_transposed_kernel(const BsrView<const T, B> a, const BsrTransposeView transpose, const T* x, T* y,
                                   std::int64_t entries) {
  const std::int64_t n = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  trigger_dependent_launch();
  grid_dependency_sync();
  if (n >= entries) return;
  const std::int64_t column = n / B;
  const auto within = static_cast<int>(n - column * B);
  const std::int64_t last = transpose.offsets[column + 1];
  T sum{};
  for (std::int64_t k = transpose.offsets[column]; k < last; ++k) {
    const T* const from = x + std::int64_t{transpose.row[k]} * B;
    const T* const block = a.values + BsrView<const T, B>::index(transpose.slot[k], 0, within);
    T entry[B];
#pragma unroll
    for (int i = 0; i < B; ++i) entry[i] = block[i];
#pragma unroll
    for (int i = 0; i < B; ++i) sum += entry[i] * from[i];
  }
  y[n] = sum;
}

[[nodiscard]] std::int64_t blocks_of(std::int64_t entries) { return (entries + kThreads - 1) / kThreads; }

/// Enqueues y = A x, finished.
template <class T, int B, class Finish>
void multiply_rows(Stream& stream, const char* name, const BsrView<const T, B>& a, std::span<const T> x, const Finish& finish,
                   std::span<T> y) {
  WEFT_EXPECTS(!stream.is_host() && detail::are_vectors_of<T>(a.pattern.rows, a.pattern.columns, B, x, y));
  if (y.empty()) return;
  const auto entries = static_cast<std::int64_t>(y.size());
  launch(stream, name, {.blocks = blocks_of(entries), .threads = kThreads}, bsr_multiply_kernel<T, B, Finish>, a, x.data(),
         finish, y.data(), entries);
}

/// Enqueues y = A x, finished, and its scalar products.
template <class T, int B, class Finish>
void multiply_rows_and_dot(Stream& stream, const char* name, const BsrView<const T, B>& a, std::span<const T> x,
                           const Finish& finish, std::span<T> y, std::span<const T> z, ProductDots* result) {
  WEFT_EXPECTS(!stream.is_host() && detail::are_vectors_of<T>(a.pattern.rows, a.pattern.columns, B, x, y));
  WEFT_EXPECTS(detail::can_be_factor(z, y));
  const auto entries = static_cast<std::int64_t>(y.size()), blocks = weft::detail::reduce_blocks(entries);
  const DeviceVector<ProductDots> scratch(stream, reduce_scratch(entries));
  ProductDots* const of_blocks = blocks == 1 ? result : scratch.data();
  launch(stream, name, {.blocks = blocks, .threads = kThreads}, bsr_multiply_and_dot_kernel<T, B, Finish>, a, x.data(), finish,
         y.data(), z.data(), entries, weft::detail::reduce_block_size(entries), of_blocks);
  weft::detail::combine_blocks_into<ProductDots>(stream, blocks, of_blocks, of_blocks + blocks, detail::AddDots{}, result);
}

}  // namespace

template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply(space::cuda, Stream& stream, const BsrView<const T, B>& a, std::span<const std::type_identity_t<T>> x,
              std::span<std::type_identity_t<T>> y) {
  multiply_rows(stream, "bsr_multiply", a, x, detail::PlainProduct<T>{}, y);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_and_dot(space::cuda, Stream& stream, const BsrView<const T, B>& a, std::span<const std::type_identity_t<T>> x,
                      std::span<std::type_identity_t<T>> y, std::span<const std::type_identity_t<T>> z, ProductDots* result) {
  multiply_rows_and_dot(stream, "bsr_multiply_and_dot", a, x, detail::PlainProduct<T>{}, y, z, result);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_add(space::cuda, Stream& stream, std::type_identity_t<T> alpha, const BsrView<const T, B>& a,
                  std::span<const std::type_identity_t<T>> x, std::type_identity_t<T> beta,
                  std::span<const std::type_identity_t<T>> b, std::span<std::type_identity_t<T>> y) {
  WEFT_EXPECTS(detail::can_be_added(b, y));
  multiply_rows(stream, "bsr_multiply_add", a, x, detail::ProductPlusVector<T>{alpha, beta, b.data()}, y);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_add_and_dot(space::cuda, Stream& stream, std::type_identity_t<T> alpha, const BsrView<const T, B>& a,
                          std::span<const std::type_identity_t<T>> x, std::type_identity_t<T> beta,
                          std::span<const std::type_identity_t<T>> b, std::span<std::type_identity_t<T>> y,
                          std::span<const std::type_identity_t<T>> z, ProductDots* result) {
  WEFT_EXPECTS(detail::can_be_added(b, y));
  multiply_rows_and_dot(stream, "bsr_multiply_add_and_dot", a, x, detail::ProductPlusVector<T>{alpha, beta, b.data()}, y, z,
                        result);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_transposed(space::cuda, Stream& stream, const BsrView<const T, B>& a, const BsrTransposeView& transpose,
                         std::span<const std::type_identity_t<T>> x, std::span<std::type_identity_t<T>> y) {
  WEFT_EXPECTS(!stream.is_host() && detail::are_vectors_of<T>(a.pattern.columns, a.pattern.rows, B, x, y));
  if (y.empty()) return;
  const auto entries = static_cast<std::int64_t>(y.size());
  launch(stream, "bsr_multiply_transposed", {.blocks = blocks_of(entries), .threads = kThreads},
         bsr_multiply_transposed_kernel<T, B>, a, transpose, x.data(), y.data(), entries);
}

#define WEFT_INSTANTIATE(T, B)                                                                                               \
  template void multiply(space::cuda, Stream&, const BsrView<const T, B>&, std::span<const T>, std::span<T>);                \
  template void multiply_and_dot(space::cuda, Stream&, const BsrView<const T, B>&, std::span<const T>, std::span<T>,         \
                                 std::span<const T>, ProductDots*);                                                          \
  template void multiply_add(space::cuda, Stream&, T, const BsrView<const T, B>&, std::span<const T>, T, std::span<const T>, \
                             std::span<T>);                                                                                  \
  template void multiply_add_and_dot(space::cuda, Stream&, T, const BsrView<const T, B>&, std::span<const T>, T,             \
                                     std::span<const T>, std::span<T>, std::span<const T>, ProductDots*);                    \
  template void multiply_transposed(space::cuda, Stream&, const BsrView<const T, B>&, const BsrTransposeView&,               \
                                    std::span<const T>, std::span<T>);
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
