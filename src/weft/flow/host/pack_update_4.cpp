#include "weft/flow/host/pack_update_impl.hpp"

namespace weft::flow::detail {

template UpdateReport pack_update<4>(const UpdateView&, std::int32_t);

}  // namespace weft::flow::detail
