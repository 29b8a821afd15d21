#if defined(WEFT_SIMD_WIDTH_8)
#include "weft/flow/host/simd_loops_impl.hpp"

namespace weft::flow::detail {

template void simd_gradients<2, 8>(const ResidualView&, const LimiterChoice&, const Indices&);
template void simd_states<2, 8>(const ResidualView&, const LimiterChoice&, const Indices&, std::span<const StoredSide>,
                                FaceState*);
template void simd_sides<2, 8>(const ResidualView&, const Indices&, FaceState*);
template void simd_fluxes<2, 8>(const ResidualView&, const FluxChoice&, const OwnRows&, const Indices&, FaceState*);

}  // namespace weft::flow::detail
#endif
