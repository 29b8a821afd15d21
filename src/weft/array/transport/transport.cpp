#include "weft/array/transport/transport.hpp"

namespace weft::detail {

void keep_for_ever(std::unique_ptr<TransportBody> abandoned) noexcept {
  static TransportBody* all = nullptr;
  abandoned->next_abandoned_ = all;
  all = abandoned.release();
}

}  // namespace weft::detail
