#pragma once
/// A check for overlapping spans.
#include <functional>
#include <span>

namespace weft::kernels::detail {

/// Returns true if the spans do not overlap.
template <class A, class B>
[[nodiscard]] bool disjoint(std::span<A> a, std::span<B> b) {
  const std::less_equal<const void*> at_or_before;
  return a.empty() || b.empty() || at_or_before(a.data() + a.size(), b.data()) || at_or_before(b.data() + b.size(), a.data());
}

}  // namespace weft::kernels::detail
