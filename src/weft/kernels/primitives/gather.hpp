#pragma once
/// Gather and scatter of rows by index. gather.cuh has overloads for GPUs.
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

namespace detail {
/// Returns true if every index is less than `rows`.
template <class Index>
[[nodiscard]] bool are_rows(std::span<Index> index, std::size_t rows) {
  return std::all_of(index.begin(), index.end(), [&](const Index& i) { return to_index(i) < rows; });
}
}  // namespace detail

/// Copies row index[i] of `in` to row i of `out`; rows have `width` entries. Indices may repeat.
/// @pre out has index.size() rows; every index is a row of `in`; `out` overlaps neither `in` nor `index` (checked in every
/// build).
template <class T, class Index>
  requires RowIndex<std::remove_const_t<Index>>
void gather(std::span<T> in, std::span<Index> index, std::span<std::remove_const_t<T>> out, std::size_t width = 1,
            Team& team = calling_thread()) {
  WEFT_EXPECTS(width > 0 && out.size() == index.size() * width);
  WEFT_EXPECTS(detail::are_rows(index, in.size() / width));
  detail::refuse_overlap(in, out, "in and out of gather");
  detail::refuse_overlap(index, out, "index and out of gather");
  detail::split(team, static_cast<std::int64_t>(index.size()), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      std::copy_n(in.data() + to_index(index[i]) * width, width, out.data() + i * width);
    }
  });
}

/// Copies row i of `in` to row index[i] of `out`; other rows of `out` are unchanged. Of repeated indices the last one determines
/// the row, on one thread; with more threads indices must not repeat.
/// @pre in has index.size() rows; every index is a row of `out`; `out` overlaps neither `in` nor `index` (checked in every
/// build).
template <class T, class Index>
  requires RowIndex<std::remove_const_t<Index>>
void scatter(std::span<T> in, std::span<Index> index, std::span<std::remove_const_t<T>> out, std::size_t width = 1,
             Team& team = calling_thread()) {
  WEFT_EXPECTS(width > 0 && in.size() == index.size() * width);
  WEFT_EXPECTS(detail::are_rows(index, out.size() / width));
  detail::refuse_overlap(in, out, "in and out of scatter");
  detail::refuse_overlap(index, out, "index and out of scatter");
  detail::split(team, static_cast<std::int64_t>(index.size()), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      std::copy_n(in.data() + i * width, width, out.data() + to_index(index[i]) * width);
    }
  });
}

/// Returns the inverse permutation: inverse[permutation[i]] = i.
/// @throws ContractError in every build unless each number below the size occurs exactly once.
[[nodiscard]] std::vector<std::int32_t> inverse_permutation(std::span<const std::int32_t> permutation,
                                                            Team& team = calling_thread());

}  // namespace weft::kernels
