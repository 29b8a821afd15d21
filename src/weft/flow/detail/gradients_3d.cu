#include "weft/flow/detail/gradient_kernel.cuh"

namespace weft::flow::detail {

template std::size_t gradient_memory<3>(const TileRange&);
template void launch_gradients<3>(Stream&, const TileRange&, GradientKind, const LimiterChoice&, const GradientArgs&);

}  // namespace weft::flow::detail
