#include "weft/flow/host/simd_update_impl.hpp"

namespace weft::flow::detail {

template UpdateReport simd_update<4>(const UpdateView&, std::int32_t);

}  // namespace weft::flow::detail
