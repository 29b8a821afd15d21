// BiCGStab on a GPU.
#include "weft/base/contracts.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/bicgstab.hpp"
#include "weft/kernels/linear/bicgstab_steps.hpp"
#include "weft/kernels/linear/instances.hpp"

namespace weft::kernels {

namespace {

/// Enqueues the steps in a stream.
struct CudaMachine {
  Stream& stream;

  template <class F>
  void loop(std::int64_t n, const F& f) const {
    parallel_for(space::cuda{}, stream, n, f);
  }
  template <class Map>
  void reduce(std::int64_t n, const Map& map, ProductDots* result) const {
    reduce_into(space::cuda{}, stream, n, ProductDots{}, map, detail::AddDots{}, result);
  }
  template <class T, int B>
  void multiply(const BsrView<const T, B>& a, std::span<T> x, std::span<T> y) const {
    kernels::multiply(space::cuda{}, stream, a, x, y);
  }
  template <class T, int B>
  void multiply_and_dot(const BsrView<const T, B>& a, std::span<T> x, std::span<T> y, std::span<T> z, ProductDots* result) const {
    kernels::multiply_and_dot(space::cuda{}, stream, a, x, y, z, result);
  }
  template <class T, int B>
  void apply(BlockJacobi<T, B>& jacobi, std::span<T> r, std::span<T> z) const {
    jacobi.apply(space::cuda{}, stream, r, z);
  }
};

}  // namespace

template <LinearScalar T, int B>
  requires BlockSize<B>
void BiCgStab<T, B>::start(space::cuda, Stream& stream, const BsrView<const T, B>& a, BlockJacobi<T, B>* jacobi,
                           std::span<const T> b, std::span<T> x, double tolerance) {
  WEFT_EXPECTS(!stream.is_host() && vectors_.backend() != Backend::host && is_system(a, b, x, tolerance));
  prepare(a, jacobi, b, x);
  CudaMachine machine{stream};
  detail::start(machine, system_, tolerance);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void BiCgStab<T, B>::iterate(space::cuda, Stream& stream, int count) {
  WEFT_EXPECTS(!stream.is_host() && vectors_.backend() != Backend::host && system_.scalars != nullptr);
  (void)scalars_.read_write(Side::device);  // the host side is stale after these iterations
  CudaMachine machine{stream};
  for (int i = 0; i < count; ++i) detail::iterate(machine, system_);
}

#define WEFT_INSTANTIATE(T, B)                                                                                                  \
  template void BiCgStab<T, B>::start(space::cuda, Stream&, const BsrView<const T, B>&, BlockJacobi<T, B>*, std::span<const T>, \
                                      std::span<T>, double);                                                                    \
  template void BiCgStab<T, B>::iterate(space::cuda, Stream&, int);
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
