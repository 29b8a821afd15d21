#include "weft/flow/cuda/gradient_kernel.cuh"

namespace weft::flow::detail {

template std::size_t gradient_memory<2, double>(const TileRange&, GradientWeights);
template std::size_t gradient_memory<2, float>(const TileRange&, GradientWeights);
template void launch_gradients<2>(Stream&, const TileRange&, GradientWeights, const LimiterChoice&, const GradientArgs<double>&);
template void launch_gradients<2>(Stream&, const TileRange&, GradientWeights, const LimiterChoice&, const GradientArgs<float>&);

}  // namespace weft::flow::detail
