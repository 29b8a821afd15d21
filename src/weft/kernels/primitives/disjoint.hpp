#pragma once
/// Checks for overlapping spans.
#include <cstddef>
#include <functional>
#include <span>

namespace weft::kernels::detail {

/// Returns true if the spans do not overlap.
template <class A, class B>
[[nodiscard]] bool disjoint(std::span<A> a, std::span<B> b) {
  const std::less_equal<const void*> at_or_before;
  return a.empty() || b.empty() || at_or_before(a.data() + a.size(), b.data()) || at_or_before(b.data() + b.size(), a.data());
}

/// Returns true if the spans do not overlap, or if each entry of `a` occupies the memory of the same entry of `b`.
template <class A, class B>
[[nodiscard]] bool disjoint_or_same(std::span<A> a, std::span<B> b) {
  return disjoint(a, b) || (sizeof(A) == sizeof(B) && static_cast<const void*>(a.data()) == static_cast<const void*>(b.data()));
}

/// Throws the ContractError of arguments that overlap. @param names  as for refuse_overlap().
[[noreturn]] void throw_overlap(const char* names);

/// Checks in every build that two arguments do not overlap. @param names  of both and of the operation: "in and out of
/// transpose".
/// @throws ContractError with these names. @cost four comparisons.
template <class A, class B>
void refuse_overlap(std::span<A> a, std::span<B> b, const char* names) {
  if (!disjoint(a, b)) throw_overlap(names);
}

/// Checks in every build that two arguments do not overlap or are the same memory. Otherwise as refuse_overlap().
template <class A, class B>
void refuse_partial_overlap(std::span<A> a, std::span<B> b, const char* names) {
  if (!disjoint_or_same(a, b)) throw_overlap(names);
}

}  // namespace weft::kernels::detail
