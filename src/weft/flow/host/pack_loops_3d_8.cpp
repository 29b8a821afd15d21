#if defined(WEFT_PACKS_OF_8)
#include "weft/flow/host/pack_loops_impl.hpp"

namespace weft::flow::detail {

template void pack_gradients<3, 8>(const ResidualView&, const LimiterChoice&, const Numbers&);
template void pack_states<3, 8>(const ResidualView&, const LimiterChoice&, const Numbers&, std::span<const FarSide>, FaceState*);
template void pack_sides<3, 8>(const ResidualView&, const Numbers&, FaceState*);
template void pack_fluxes<3, 8>(const ResidualView&, const FluxChoice&, const OwnRows&, const Numbers&, FaceState*);

}  // namespace weft::flow::detail
#endif
