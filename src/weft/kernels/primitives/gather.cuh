#pragma once
/// Gather and scatter of rows on a GPU, for .cu files.
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/gather.hpp"

namespace weft::kernels {

namespace detail {

/// Copies entry n of the rows that are read (kScatters) or written (otherwise) in their order.
template <bool kScatters, class T, class Index>
struct MoveEntry {
  const T* in;
  const Index* index;
  T* out;
  std::int64_t width;
  WEFT_HD void operator()(std::int64_t n) const {
    const std::int64_t row = width == 1 ? n : n / width;
    const std::int64_t other = static_cast<std::int64_t>(to_index(index[row])) * width + (n - row * width);
    if constexpr (kScatters) {
      out[other] = in[n];
    } else {
      out[n] = in[other];
    }
  }
};

template <bool kScatters, class T, class Index>
void move_rows(Stream& stream, std::span<const T> in, std::span<const Index> index, std::span<T> out, std::size_t width) {
  WEFT_EXPECTS(width > 0 && (kScatters ? in.size() : out.size()) == index.size() * width);
  refuse_overlap(in, out, kScatters ? "in and out of scatter" : "in and out of gather");
  refuse_overlap(index, out, kScatters ? "index and out of scatter" : "index and out of gather");
  parallel_for(space::cuda{}, stream, static_cast<std::int64_t>(index.size() * width),
               MoveEntry<kScatters, T, Index>{in.data(), index.data(), out.data(), static_cast<std::int64_t>(width)});
}

}  // namespace detail

/// Copies row index[i] of `in` to row i of `out` in stream order, in memory accessible to the current GPU; rows have `width`
/// entries. Indices may repeat.
/// @pre as on the host, but indices are not checked; a stream of the current GPU. @cost one kernel with one thread for each
/// entry, without workspace. @throws DeviceError where the launch is rejected.
template <class T, class Index>
  requires RowIndex<std::remove_const_t<Index>>
void gather(space::cuda, Stream& stream, std::span<T> in, std::span<Index> index, std::span<std::remove_const_t<T>> out,
            std::size_t width = 1) {
  using Entry = std::remove_const_t<T>;
  detail::move_rows<false, Entry, std::remove_const_t<Index>>(stream, in, index, out, width);
}

/// Copies row i of `in` to row index[i] of `out`; other rows of `out` are unchanged. Otherwise as gather().
/// @pre as gather(); indices do not repeat.
template <class T, class Index>
  requires RowIndex<std::remove_const_t<Index>>
void scatter(space::cuda, Stream& stream, std::span<T> in, std::span<Index> index, std::span<std::remove_const_t<T>> out,
             std::size_t width = 1) {
  using Entry = std::remove_const_t<T>;
  detail::move_rows<true, Entry, std::remove_const_t<Index>>(stream, in, index, out, width);
}

}  // namespace weft::kernels
