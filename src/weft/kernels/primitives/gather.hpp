#pragma once
/// Gather and scatter of rows by index.
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"

namespace weft::kernels {

/// Copies row index[i] of `in` to row i of `out`; rows have `width` entries. Indices may repeat.
/// @pre out has index.size() rows; every index is a row of `in`; `in` and `out` do not overlap.
template <class T, class Index>
  requires RowIndex<std::remove_const_t<Index>>
void gather(std::span<T> in, std::span<Index> index, std::span<std::remove_const_t<T>> out, std::size_t width = 1) {
  WEFT_EXPECTS(width > 0 && out.size() == index.size() * width);
  for (std::size_t i = 0; i < index.size(); ++i) {
    WEFT_EXPECTS(to_index(index[i]) < in.size() / width);
    std::copy_n(in.data() + to_index(index[i]) * width, width, out.data() + i * width);
  }
}

/// Copies row i of `in` to row index[i] of `out`; other rows of `out` are unchanged. Of repeated indices the last one determines
/// the row.
/// @pre in has index.size() rows; every index is a row of `out`; `in` and `out` do not overlap.
template <class T, class Index>
  requires RowIndex<std::remove_const_t<Index>>
void scatter(std::span<T> in, std::span<Index> index, std::span<std::remove_const_t<T>> out, std::size_t width = 1) {
  WEFT_EXPECTS(width > 0 && in.size() == index.size() * width);
  for (std::size_t i = 0; i < index.size(); ++i) {
    WEFT_EXPECTS(to_index(index[i]) < out.size() / width);
    std::copy_n(in.data() + i * width, width, out.data() + to_index(index[i]) * width);
  }
}

/// Returns the inverse permutation: inverse[permutation[i]] = i.
/// @throws ContractError in every build unless each number below the size occurs exactly once.
[[nodiscard]] std::vector<std::int32_t> inverse_permutation(std::span<const std::int32_t> permutation);

}  // namespace weft::kernels
