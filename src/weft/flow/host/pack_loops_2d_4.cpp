#include "weft/flow/host/pack_loops_impl.hpp"

namespace weft::flow::detail {

template void pack_gradients<2, 4>(const ResidualView&, const LimiterChoice&, const Numbers&);
template void pack_states<2, 4>(const ResidualView&, const LimiterChoice&, const Numbers&, std::span<const FarSide>, FaceState*);
template void pack_sides<2, 4>(const ResidualView&, const Numbers&, FaceState*);
template void pack_fluxes<2, 4>(const ResidualView&, const FluxChoice&, const OwnRows&, const Numbers&, FaceState*);

}  // namespace weft::flow::detail
