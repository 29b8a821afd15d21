#if defined(WEFT_SIMD_WIDTH_8)
#include "weft/flow/host/simd_update_impl.hpp"

namespace weft::flow::detail {

template UpdateReport simd_update<8>(const UpdateView&, std::int32_t);

}  // namespace weft::flow::detail
#endif
