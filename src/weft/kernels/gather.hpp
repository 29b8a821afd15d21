#pragma once
/// Moving rows by index.
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"

namespace weft::kernels {

/// Row i of `out` becomes row index[i] of `in`; rows have `width` entries. Repeated indices are fine.
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

/// Row index[i] of `out` becomes row i of `in`; the other rows of `out` stay. Where an index repeats, the last one wins.
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

/// The permutation that undoes `permutation`: inverse[permutation[i]] = i.
/// @throws ContractError (always checked) unless every number below the size occurs once.
[[nodiscard]] std::vector<std::int32_t> inverse_permutation(std::span<const std::int32_t> permutation);

}  // namespace weft::kernels
