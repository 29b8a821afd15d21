#include "weft/flow/detail/loops_impl.hpp"

namespace weft::flow::detail {

template void gradient_loop<3>(const ResidualView&, GradientKind, const LimiterChoice&, std::int32_t, std::int32_t);
template void inner_face_loop<3>(const ResidualView&, const FluxChoice&, std::int32_t, std::int32_t);
template void ghost_face_loop<3>(const ResidualView&, const FluxChoice&, std::int32_t, std::int32_t);
template void boundary_face_loop<3>(const ResidualView&, const FluxChoice&, const BoundaryParams&, const Primitive*, std::int32_t,
                                    std::int32_t);

}  // namespace weft::flow::detail
