#include "weft/flow/cuda/flux_kernel.cuh"

namespace weft::flow::detail {

using Args = FluxArgs<double, double>;

template std::size_t flux_memory<3, double>(const TileRange&);
template void launch_fluxes<3>(Stream&, const TileRange&, const FluxChoice&, const Args&);
template void launch_boundary_fluxes<3>(Stream&, const FluxChoice&, const Args&, Conserved*);

}  // namespace weft::flow::detail
