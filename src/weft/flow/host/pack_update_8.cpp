#if defined(WEFT_PACKS_OF_8)
#include "weft/flow/host/pack_update_impl.hpp"

namespace weft::flow::detail {

template UpdateReport pack_update<8>(const UpdateView&, std::int32_t);

}  // namespace weft::flow::detail
#endif
