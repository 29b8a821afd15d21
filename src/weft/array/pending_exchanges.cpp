#include "weft/array/pending_exchanges.hpp"

#include <fmt/format.h>

#include "weft/base/error.hpp"

namespace weft::detail {
namespace {

// Never destroyed: what MPI may access must outlive every other static object.
std::shared_ptr<PairLink>& last_abandoned() {
  static auto& link = *new std::shared_ptr<PairLink>;
  return link;
}

}  // namespace

void begin_pending(PairLink& link) {
  if (link.pending) {
    throw ContractError("an array is in two exchanges at once", "finish() or wait() for the first before starting the second");
  }
  link.pending = true;
}

void end_pending(PairLink& link) noexcept {
  link.pending = false;
  if (!link.abandoned) link.retained.reset();
}

void abandon_pending(const std::shared_ptr<PairLink>& link) noexcept {
  link->pending = false;
  link->exposed = link->array != nullptr;  // the memory of a destroyed pair is retained already
  if (link->abandoned) return;
  link->abandoned = true;
  link->next_abandoned = last_abandoned();
  last_abandoned() = link;
}

void expect_not_pending(const PairLink* link, const char* what) {
  if (link != nullptr && link->pending) {
    throw ContractError(fmt::format("{} while an exchange of the array is in flight", what), "finish() or wait() first");
  }
}

}  // namespace weft::detail
