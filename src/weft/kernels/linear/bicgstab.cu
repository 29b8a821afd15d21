// BiCGStab on a GPU.
#include "weft/base/contracts.hpp"
#include "weft/kernels/linear/bicgstab.hpp"
#include "weft/kernels/linear/bicgstab_steps.hpp"
#include "weft/kernels/linear/instances.hpp"
#include "weft/kernels/linear/krylov_machine.cuh"

namespace weft::kernels {

template <LinearScalar T, int B>
  requires BlockSize<B>
void BiCgStab<T, B>::start(space::cuda, Stream& stream, const BsrView<const T, B>& a, Preconditioner<T>* preconditioner,
                           std::span<const T> b, std::span<T> x, double tolerance) {
  WEFT_EXPECTS(!stream.is_host() && vectors_.backend() != Backend::host && is_system(a, b, x, tolerance));
  prepare(a, preconditioner, b, x);
  detail::CudaMachine machine{stream};
  detail::start(machine, system_, tolerance);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void BiCgStab<T, B>::iterate(space::cuda, Stream& stream, int count) {
  WEFT_EXPECTS(!stream.is_host() && vectors_.backend() != Backend::host && system_.scalars != nullptr);
  (void)scalars_.read_write(Side::device);  // the host side is stale after these iterations
  detail::CudaMachine machine{stream};
  for (int i = 0; i < count; ++i) detail::iterate(machine, system_);
}

#define WEFT_INSTANTIATE(T, B)                                                                                                  \
  template void BiCgStab<T, B>::start(space::cuda, Stream&, const BsrView<const T, B>&, Preconditioner<T>*, std::span<const T>, \
                                      std::span<T>, double);                                                                    \
  template void BiCgStab<T, B>::iterate(space::cuda, Stream&, int);
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
