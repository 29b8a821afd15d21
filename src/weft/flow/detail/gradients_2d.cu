#include "weft/flow/detail/gradient_kernel.cuh"

namespace weft::flow::detail {

template std::size_t gradient_memory<2>(const TileRange&);
template void launch_gradients<2>(Stream&, const TileRange&, GradientKind, const LimiterChoice&, const GradientArgs&);

}  // namespace weft::flow::detail
