#include "weft/flow/cuda/flux_kernel.cuh"

namespace weft::flow::detail {

using Args = FluxArgs<float, float>;

template void launch_fluxes<2>(Stream&, const TileRange&, const FluxChoice&, const Args&);
template void launch_boundary_fluxes<2>(Stream&, const FluxChoice&, const Args&, Conserved*);

}  // namespace weft::flow::detail
