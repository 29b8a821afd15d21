#include "weft/kernels/linear/bsr_product.hpp"

#include <algorithm>
#include <array>

#include "weft/base/contracts.hpp"
#include "weft/kernels/linear/instances.hpp"
#include "weft/kernels/primitives/reduce.hpp"

namespace weft::kernels {

namespace {

/// The scalar products of entry i of y.
template <class T>
struct DotsOfEntry {
  const T *z, *y;
  ProductDots operator()(std::int64_t i) const {
    const auto value = static_cast<double>(y[i]);
    return {static_cast<double>(z[i]) * value, value * value};
  }
};

/// Computes the rows of one slice. Blocks are read in the order of memory. @param finish  detail::PlainProduct or
/// ProductPlusVector.
template <class T, int B, class Finish>
void multiply_slice(const BsrView<const T, B>& a, std::int64_t slice, const T* x, const Finish& finish, T* y) {
  const auto first = static_cast<std::int32_t>(slice * kBsrSlice);
  const std::int32_t rows = std::min(kBsrSlice, a.pattern.rows - first);
  const std::int64_t slot = a.pattern.slices[slice];
  const auto groups = static_cast<std::int32_t>((a.pattern.slices[slice + 1] - slot) / kBsrSlice);
  std::array<T, std::size_t{kBsrSlice} * B> sums{};  // b may be y
  for (std::int32_t k = 0; k < groups; ++k) {
    const std::int64_t group = slot + std::int64_t{k} * kBsrSlice;
    for (std::int32_t row = 0; row < rows; ++row) {
      if (k >= a.pattern.sizes[first + row]) continue;
      const T* const from = x + std::int64_t{a.pattern.column[group + row]} * B;
      const T* const block = a.values + BsrView<const T, B>::index(group + row, 0, 0);
      T sum[B];
      std::copy_n(sums.data() + row * B, B, sum);
      for (int j = 0; j < B; ++j) {
        for (int i = 0; i < B; ++i) sum[i] += block[j * kBsrSlice * B + i] * from[j];
      }
      std::copy_n(sum, B, sums.data() + row * B);
    }
  }
  const std::int64_t entry = std::int64_t{first} * B;
  for (int i = 0; i < rows * B; ++i) y[entry + i] = finish(entry + i, sums[static_cast<std::size_t>(i)]);
}

constexpr std::int64_t kSmallest = 16;  // slices below which threads are not worth their start

/// Computes y = A x, finished.
template <class T, int B, class Finish>
void multiply_rows(const BsrView<const T, B>& a, std::span<const T> x, const Finish& finish, std::span<T> y, Team& team) {
  WEFT_EXPECTS(detail::are_vectors_of<T>(a.pattern.rows, a.pattern.columns, B, x, y));
  const std::int64_t slices = (std::int64_t{a.pattern.rows} + kBsrSlice - 1) / kBsrSlice;
  detail::split(team, slices, kSmallest, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t slice = begin; slice < end; ++slice) multiply_slice<T, B>(a, slice, x.data(), finish, y.data());
  });
}

/// Returns (z, y) and (y, y).
template <class T>
ProductDots product_dots(std::span<const T> z, std::span<T> y, Team& team) {
  return transform_reduce(static_cast<std::int64_t>(y.size()), ProductDots{}, DotsOfEntry<T>{z.data(), y.data()},
                          detail::AddDots{}, team);
}

}  // namespace

template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply(const BsrView<const T, B>& a, std::span<const std::type_identity_t<T>> x, std::span<std::type_identity_t<T>> y,
              Team& team) {
  multiply_rows(a, x, detail::PlainProduct<T>{}, y, team);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
ProductDots multiply_and_dot(const BsrView<const T, B>& a, std::span<const std::type_identity_t<T>> x,
                             std::span<std::type_identity_t<T>> y, std::span<const std::type_identity_t<T>> z, Team& team) {
  WEFT_EXPECTS(detail::can_be_factor(z, y));
  multiply(a, x, y, team);
  return product_dots(z, y, team);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_add(std::type_identity_t<T> alpha, const BsrView<const T, B>& a, std::span<const std::type_identity_t<T>> x,
                  std::type_identity_t<T> beta, std::span<const std::type_identity_t<T>> b, std::span<std::type_identity_t<T>> y,
                  Team& team) {
  WEFT_EXPECTS(detail::can_be_added(b, y));
  multiply_rows(a, x, detail::ProductPlusVector<T>{alpha, beta, b.data()}, y, team);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
ProductDots multiply_add_and_dot(std::type_identity_t<T> alpha, const BsrView<const T, B>& a,
                                 std::span<const std::type_identity_t<T>> x, std::type_identity_t<T> beta,
                                 std::span<const std::type_identity_t<T>> b, std::span<std::type_identity_t<T>> y,
                                 std::span<const std::type_identity_t<T>> z, Team& team) {
  WEFT_EXPECTS(detail::can_be_factor(z, y));
  multiply_add(alpha, a, x, beta, b, y, team);
  return product_dots(z, y, team);
}

std::size_t multiply_and_dot_workspace(std::int32_t rows, int block_size) {
  return reduce_scratch(std::int64_t{rows} * block_size) * sizeof(ProductDots);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_transposed(const BsrView<const T, B>& a, const BsrTransposeView& transpose,
                         std::span<const std::type_identity_t<T>> x, std::span<std::type_identity_t<T>> y, Team& team) {
  WEFT_EXPECTS(detail::are_vectors_of<T>(a.pattern.columns, a.pattern.rows, B, x, y));
  detail::split(team, a.pattern.columns, kSmallest * kBsrSlice, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t column = begin; column < end; ++column) {
      T sum[B] = {};
      for (std::int64_t n = transpose.offsets[column]; n < transpose.offsets[column + 1]; ++n) {
        const T* const from = x.data() + std::int64_t{transpose.row[n]} * B;
        const T* const block = a.values + BsrView<const T, B>::index(transpose.slot[n], 0, 0);
        for (int j = 0; j < B; ++j) {
          for (int i = 0; i < B; ++i) sum[j] += block[j * kBsrSlice * B + i] * from[i];
        }
      }
      std::copy_n(sum, B, y.data() + column * B);
    }
  });
}

#define WEFT_INSTANTIATE(T, B)                                                                                               \
  template void multiply(const BsrView<const T, B>&, std::span<const T>, std::span<T>, Team&);                               \
  template ProductDots multiply_and_dot(const BsrView<const T, B>&, std::span<const T>, std::span<T>, std::span<const T>,    \
                                        Team&);                                                                              \
  template void multiply_add(T, const BsrView<const T, B>&, std::span<const T>, T, std::span<const T>, std::span<T>, Team&); \
  template ProductDots multiply_add_and_dot(T, const BsrView<const T, B>&, std::span<const T>, T, std::span<const T>,        \
                                            std::span<T>, std::span<const T>, Team&);                                        \
  template void multiply_transposed(const BsrView<const T, B>&, const BsrTransposeView&, std::span<const T>, std::span<T>, Team&);
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
