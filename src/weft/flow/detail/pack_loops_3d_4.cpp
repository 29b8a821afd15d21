#include "weft/flow/detail/pack_loops_impl.hpp"

namespace weft::flow::detail {

template void pack_gradients<3, 4>(const ResidualView&, const LimiterChoice&, std::int32_t, std::int32_t);
template void pack_fluxes<3, 4>(const ResidualView&, const FluxChoice&, bool, std::int32_t, std::int32_t);

}  // namespace weft::flow::detail
