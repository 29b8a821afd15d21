#pragma once
#include <functional>
#include <span>

namespace weft::kernels::detail {

/// Whether no entry of one is one of the other.
template <class A, class B>
[[nodiscard]] bool disjoint(std::span<A> a, std::span<B> b) {
  const std::less_equal<const void*> not_behind;
  return a.empty() || b.empty() || not_behind(a.data() + a.size(), b.data()) || not_behind(b.data() + b.size(), a.data());
}

}  // namespace weft::kernels::detail
