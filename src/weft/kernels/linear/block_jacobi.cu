// The diagonal blocks of a block-sparse matrix, extracted and factorised on a GPU.
#include "weft/base/contracts.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/instances.hpp"

namespace weft::kernels {

template <LinearScalar T, int B>
  requires BlockSize<B>
void BlockJacobi<T, B>::factor(space::cuda gpu, Stream& stream, const BsrView<const T, B>& a) {
  const LuBatch<T> blocks = batch<space::cuda>();
  WEFT_EXPECTS(!stream.is_host() && a.pattern.rows == blocks.size());
  parallel_for(gpu, stream, std::int64_t{a.pattern.rows} * B, detail::CopyDiagonal<T, B>{a, blocks.factors.data()});
  lu_factor(gpu, stream, blocks);
}

#define WEFT_INSTANTIATE(T, B) template void BlockJacobi<T, B>::factor(space::cuda, Stream&, const BsrView<const T, B>&);
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
