#pragma once
/// The arrays of pending exchanges of this rank. A pair is identified by its link, which a moved pair keeps and every exchange of
/// the pair refers to, so that pairs with memory on one side only, or without rows, are recognised as well.
#include <memory>
#include <type_traits>
#include <utility>

#include "weft/array/pair_link.hpp"

namespace weft::detail {

/// Marks a pair as part of a pending exchange. @throws ContractError if it already is.
void begin_pending(PairLink& link);
/// Ends that; frees the memory of a pair that was destroyed meanwhile.
void end_pending(PairLink& link) noexcept;
/// Returns true if the memory must outlive its use in the pair, as PairLink::retained: until the exchange has completed.
[[nodiscard]] inline bool must_be_retained(const PairLink& link) noexcept { return link.pending || link.exposed; }
/// Moves the array of a pair to PairLink::retained, in addition to what that contains.
template <class A>
  requires(!std::is_reference_v<A>)
void retain(PairLink& link, A&& array) {
  using Retained = std::pair<std::shared_ptr<void>, A>;
  link.retained = std::make_shared<Retained>(link.retained, std::forward<A>(array));
  link.exposed = false;
}
/// Ends an exchange that will never complete: MPI may access the memory at any time, so it is never freed once its owner is
/// destroyed or has other memory. The pair may take part in other exchanges.
void abandon_pending(const std::shared_ptr<PairLink>& link) noexcept;
/// Checks that a pair is in no pending exchange; a null link is in none. @throws ContractError otherwise; `what` is the rejected
/// operation.
void expect_not_pending(const PairLink* link, const char* what);

}  // namespace weft::detail
