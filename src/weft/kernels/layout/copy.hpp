#pragma once
/// Copies between tensors, by elements and by words.
#include <cstdint>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"
#include "weft/kernels/layout/tensor.hpp"

namespace weft::kernels::layout {

namespace detail {
template <class From, class To>
WEFT_HD constexpr void check_sizes(const From& from, const To& to) {
  if constexpr (requires { From::kSize + To::kSize; }) {
    static_assert(From::kSize == To::kSize, "copy: both tensors have the same number of elements");
  } else if (from.size() != to.size()) {
    invalid("copy: the tensors have {0} and {1} elements; copy between equal sizes", from.size(), to.size());
  }
}
}  // namespace detail

/// Copies element i of `from` to element i of `to` where `predicate(i)`, for all i in ascending order.
/// @throws InputError if the sizes differ; an error of the compiler where both layouts are static.
template <class T, class From, class U, class To, class Predicate>
WEFT_HD constexpr void copy_if(const Predicate& predicate, const Tensor<T, From>& from, const Tensor<U, To>& to) {
  detail::check_sizes(from.layout, to.layout);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (std::int64_t i = 0; i < from.size(); ++i) {
    if (predicate(i)) to(i) = from(i);
  }
}

/// Copies element i of `from` to element i of `to` for all i. @throws InputError as copy_if().
template <class T, class From, class U, class To>
WEFT_HD constexpr void copy(const Tensor<T, From>& from, const Tensor<U, To>& to) {
  detail::check_sizes(from.layout, to.layout);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (std::int64_t i = 0; i < from.size(); ++i) to(i) = from(i);
}

/// Returns true if the elements i to i + width - 1 are adjacent in memory and begin at a multiple of `width`, for every multiple
/// i of `width`. For a coordinate layout under the condition that its axis kAxis of adjacent elements has stride 1 in memory and
/// the others multiples of `width`.
[[nodiscard]] WEFT_HD constexpr bool has_words(const Layout& l, int width) {
  if (width == 1) return true;
  const Layout c = coalesce(l);
  if (c.stride[0] != 1 || c.shape.value[0] % width != 0) return false;
  for (int i = 1; i < c.shape.leaves; ++i) {
    if (c.axis[i] == c.axis[0] && c.stride[i] % width != 0) return false;
  }
  return c.swizzle.is_identity() || (std::int64_t{1} << c.swizzle.base) % width == 0;
}

/// Adjacent elements that one instruction loads or stores.
template <class T, int kWidth>
struct alignas(kWidth * sizeof(T)) WordOf {
  T element[kWidth];
};

namespace detail {
/// Returns true if the memory and the run-time strides admit words.
template <int kWidth, class T, LayoutKey kLayout>
[[nodiscard]] WEFT_HD bool is_aligned(const Tensor<T, StaticLayout<kLayout>>& t) {
  bool aligned = reinterpret_cast<std::uintptr_t>(t.data) % (kWidth * sizeof(T)) == 0 && t.offset % kWidth == 0;
  if constexpr (kLayout.axes > 0) {
    constexpr int kAxis = coalesce(kLayout).axis[0];
    for (int k = 0; k < kLayout.axes; ++k)
      aligned = aligned && (k == kAxis ? t.layout.stride[k] == 1 : t.layout.stride[k] % kWidth == 0);
  }
  return aligned;
}
}  // namespace detail

/// Copies as copy(), by words of kWidth elements. Layouts that have no such words, and sizes that differ, are errors of the
/// compiler.
/// @pre addresses and offsets are multiples of a word; of a coordinate layout the stride of the axis of adjacent elements is 1
/// and the others are multiples of kWidth. @cost size / kWidth loads and stores of kWidth * sizeof(T) bytes, 16 at most on GPUs.
template <int kWidth, class T, LayoutKey kFrom, class U, LayoutKey kTo>
WEFT_HD void copy_words(const Tensor<T, StaticLayout<kFrom>>& from, const Tensor<U, StaticLayout<kTo>>& to) {
  static_assert(std::is_same_v<std::remove_const_t<T>, U> && std::is_trivially_copyable_v<U>,
                "copy_words: equal, trivially copyable elements");
  static_assert(
      has_words(kFrom, kWidth),
      "copy_words: the source has no words of this width; its first leaf is contiguous, and the other strides are multiples");
  static_assert(has_words(kTo, kWidth),
                "copy_words: the destination has no words of this width; its first leaf is contiguous, and the other strides are "
                "multiples");
  detail::check_sizes(from.layout, to.layout);
  WEFT_EXPECTS(detail::is_aligned<kWidth>(from) && detail::is_aligned<kWidth>(to));
  using Word = WordOf<U, kWidth>;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (std::int64_t i = 0; i < from.size(); i += kWidth) {
    *reinterpret_cast<Word*>(&to(i)) = *reinterpret_cast<const Word*>(&from(i));
  }
}

}  // namespace weft::kernels::layout
