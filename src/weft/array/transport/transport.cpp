#include "weft/array/transport/transport.hpp"

namespace weft::detail {

void retain_abandoned(std::unique_ptr<TransportBody> abandoned) noexcept {
  static TransportBody* all = nullptr;
  abandoned->next_abandoned_ = all;
  all = abandoned.release();
}

}  // namespace weft::detail
