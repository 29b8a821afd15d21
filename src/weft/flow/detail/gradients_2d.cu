#include "weft/flow/detail/tile_kernels.cuh"

namespace weft::flow::detail {

template void launch_gradients<2>(Stream&, const TileRange&, GradientKind, const LimiterChoice&, const GradientArgs&);

}  // namespace weft::flow::detail
