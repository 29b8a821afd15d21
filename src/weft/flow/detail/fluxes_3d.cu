#include "weft/flow/detail/flux_kernel.cuh"

namespace weft::flow::detail {

template std::size_t flux_memory<3>(const TileRange&);
template void launch_fluxes<3>(Stream&, const TileRange&, const FluxChoice&, const FluxArgs&);
template void launch_boundary_fluxes<3>(Stream&, const FluxChoice&, const FluxArgs&, Conserved*);

}  // namespace weft::flow::detail
