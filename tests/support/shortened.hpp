#pragma once
/// Where long integrations are shortened.
#include "weft/comm/communicator.hpp"

namespace weft {

/// Returns whether tests integrate over a tenth of the time and omit the checks of the end. With AddressSanitizer or
/// ThreadSanitizer a step takes about 40 times as long; they check memory accesses, arithmetic and races, for which the first
/// steps suffice. On more than 3 ranks a step on a small mesh takes about 10 times as long, because it mostly waits for the other
/// ranks; that these ranks compute the flow of one is checked by OnRanks and UnevenRanks. Other builds check the end on 1 to 3
/// ranks.
inline bool shortened() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  static const bool many_ranks = Communicator::world().size() > 3;
  return many_ranks;
#endif
}

}  // namespace weft
