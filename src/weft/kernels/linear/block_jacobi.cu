// The diagonal blocks of a block-sparse matrix, extracted and factorised on a GPU by one kernel.
#include "weft/base/contracts.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/instances.hpp"
#include "weft/kernels/linear/thread_lu.cuh"

namespace weft::kernels {

template <LinearScalar T, int B>
  requires BlockSize<B>
void BlockJacobi<T, B>::factor(space::cuda, Stream& stream, const BsrView<const T, B>& a) {
  const LuBatch<T> blocks = batch<space::cuda>();
  WEFT_EXPECTS(!stream.is_host() && a.pattern.rows == blocks.size());
  if (blocks.size() > 0) detail::launch_lu_factor<B>(stream, blocks, detail::DiagonalBlocks<T, B>{a});
}

#define WEFT_INSTANTIATE(T, B) template void BlockJacobi<T, B>::factor(space::cuda, Stream&, const BsrView<const T, B>&);
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
