// Replaces the functions on GPUs in a build without CUDA.
#include "weft/device/device.hpp"
#include "weft/kernels/linear/batched_lu.hpp"
#include "weft/kernels/linear/batched_product.hpp"
#include "weft/kernels/linear/bicgstab.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/bsr_product.hpp"
#include "weft/kernels/linear/colored_factors.hpp"
#include "weft/kernels/linear/gmres.hpp"
#include "weft/kernels/linear/instances.hpp"
#include "weft/kernels/linear/row_colors.hpp"

namespace weft::kernels {

template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply(space::cuda, Stream& /*stream*/, const BsrView<const T, B>& /*a*/, std::span<const std::type_identity_t<T>> /*x*/,
              std::span<std::type_identity_t<T>> /*y*/) {
  throw no_gpu();
}
template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_and_dot(space::cuda, Stream& /*stream*/, const BsrView<const T, B>& /*a*/,
                      std::span<const std::type_identity_t<T>> /*x*/, std::span<std::type_identity_t<T>> /*y*/,
                      std::span<const std::type_identity_t<T>> /*z*/, ProductDots* /*result*/) {
  throw no_gpu();
}
template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_add(space::cuda, Stream& /*stream*/, std::type_identity_t<T> /*alpha*/, const BsrView<const T, B>& /*a*/,
                  std::span<const std::type_identity_t<T>> /*x*/, std::type_identity_t<T> /*beta*/,
                  std::span<const std::type_identity_t<T>> /*b*/, std::span<std::type_identity_t<T>> /*y*/) {
  throw no_gpu();
}
template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_add_and_dot(space::cuda, Stream& /*stream*/, std::type_identity_t<T> /*alpha*/, const BsrView<const T, B>& /*a*/,
                          std::span<const std::type_identity_t<T>> /*x*/, std::type_identity_t<T> /*beta*/,
                          std::span<const std::type_identity_t<T>> /*b*/, std::span<std::type_identity_t<T>> /*y*/,
                          std::span<const std::type_identity_t<T>> /*z*/, ProductDots* /*result*/) {
  throw no_gpu();
}
template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_transposed(space::cuda, Stream& /*stream*/, const BsrView<const T, B>& /*a*/, const BsrTransposeView& /*transpose*/,
                         std::span<const std::type_identity_t<T>> /*x*/, std::span<std::type_identity_t<T>> /*y*/) {
  throw no_gpu();
}
template <LinearScalar T>
void lu_factor(space::cuda, Stream& /*stream*/, const LuBatch<T>& /*batch*/) {
  throw no_gpu();
}
template <LinearScalar T>
void lu_solve(space::cuda, Stream& /*stream*/, const LuBatch<T>& /*batch*/, std::span<const std::type_identity_t<T>> /*b*/,
              std::span<std::type_identity_t<T>> /*x*/) {
  throw no_gpu();
}
template <LinearScalar T>
void multiply_batch(space::cuda, Stream& /*stream*/, const ProductBatch<T>& /*batch*/) {
  throw no_gpu();
}
template <LinearScalar T>
void multiply_add_batch(space::cuda, Stream& /*stream*/, const ProductBatch<T>& /*batch*/) {
  throw no_gpu();
}
void first_singular(space::cuda, Stream& /*stream*/, std::span<const std::uint8_t> /*status*/, std::int64_t* /*result*/) {
  throw no_gpu();
}
template <LinearScalar T, int B>
  requires BlockSize<B>
void BlockJacobi<T, B>::factor(space::cuda, Stream& /*stream*/, const BsrView<const T, B>& /*a*/) {
  throw no_gpu();
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void BiCgStab<T, B>::start(space::cuda, Stream& /*stream*/, const BsrView<const T, B>& /*a*/,
                           Preconditioner<T>* /*preconditioner*/, std::span<const T> /*b*/, std::span<T> /*x*/,
                           double /*tolerance*/) {
  throw no_gpu();
}
template <LinearScalar T, int B>
  requires BlockSize<B>
void BiCgStab<T, B>::iterate(space::cuda, Stream& /*stream*/, int /*count*/) {
  throw no_gpu();
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void Gmres<T, B>::start(space::cuda, Stream& /*stream*/, const BsrView<const T, B>& /*a*/, Preconditioner<T>* /*preconditioner*/,
                        std::span<const T> /*b*/, std::span<T> /*x*/, double /*tolerance*/) {
  throw no_gpu();
}
template <LinearScalar T, int B>
  requires BlockSize<B>
void Gmres<T, B>::cycle(space::cuda, Stream& /*stream*/, int /*count*/) {
  throw no_gpu();
}

RowColors::RowColors(space::cuda, Stream& /*stream*/, const BsrPattern& /*pattern*/) { throw no_gpu(); }

template <LinearScalar T, int B>
  requires BlockSize<B>
void ColoredFactors<T, B>::factor(space::cuda, Stream& /*stream*/, const BsrView<const T, B>& /*a*/) {
  throw no_gpu();
}
template <LinearScalar T, int B>
  requires BlockSize<B>
void ColoredFactors<T, B>::apply(space::cuda, Stream& /*stream*/, std::span<const T> /*r*/, std::span<T> /*z*/) {
  throw no_gpu();
}

template void lu_factor(space::cuda, Stream&, const LuBatch<float>&);
template void lu_factor(space::cuda, Stream&, const LuBatch<double>&);
template void lu_solve(space::cuda, Stream&, const LuBatch<float>&, std::span<const float>, std::span<float>);
template void lu_solve(space::cuda, Stream&, const LuBatch<double>&, std::span<const double>, std::span<double>);

template void multiply_batch(space::cuda, Stream&, const ProductBatch<float>&);
template void multiply_batch(space::cuda, Stream&, const ProductBatch<double>&);
template void multiply_add_batch(space::cuda, Stream&, const ProductBatch<float>&);
template void multiply_add_batch(space::cuda, Stream&, const ProductBatch<double>&);

#define WEFT_INSTANTIATE(T, B)                                                                                                  \
  template void multiply(space::cuda, Stream&, const BsrView<const T, B>&, std::span<const T>, std::span<T>);                   \
  template void multiply_and_dot(space::cuda, Stream&, const BsrView<const T, B>&, std::span<const T>, std::span<T>,            \
                                 std::span<const T>, ProductDots*);                                                             \
  template void multiply_add(space::cuda, Stream&, T, const BsrView<const T, B>&, std::span<const T>, T, std::span<const T>,    \
                             std::span<T>);                                                                                     \
  template void multiply_add_and_dot(space::cuda, Stream&, T, const BsrView<const T, B>&, std::span<const T>, T,                \
                                     std::span<const T>, std::span<T>, std::span<const T>, ProductDots*);                       \
  template void multiply_transposed(space::cuda, Stream&, const BsrView<const T, B>&, const BsrTransposeView&,                  \
                                    std::span<const T>, std::span<T>);                                                          \
  template void BlockJacobi<T, B>::factor(space::cuda, Stream&, const BsrView<const T, B>&);                                    \
  template void BiCgStab<T, B>::start(space::cuda, Stream&, const BsrView<const T, B>&, Preconditioner<T>*, std::span<const T>, \
                                      std::span<T>, double);                                                                    \
  template void BiCgStab<T, B>::iterate(space::cuda, Stream&, int);                                                             \
  template void Gmres<T, B>::start(space::cuda, Stream&, const BsrView<const T, B>&, Preconditioner<T>*, std::span<const T>,    \
                                   std::span<T>, double);                                                                       \
  template void Gmres<T, B>::cycle(space::cuda, Stream&, int);                                                                  \
  template void ColoredFactors<T, B>::factor(space::cuda, Stream&, const BsrView<const T, B>&);                                 \
  template void ColoredFactors<T, B>::apply(space::cuda, Stream&, std::span<const T>, std::span<T>);
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
