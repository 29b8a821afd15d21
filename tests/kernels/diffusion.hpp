#pragma once
/// A system of implicit diffusion for tests of iterative solvers.
#include <cstdint>

#include "kernels/block_sparse.hpp"

namespace weft::kernels::test {

/// Returns the matrix of an unsymmetric seven-point scheme on a box of n^3 cells. The variables are coupled within a cell, and
/// their equations have different scales, so that block Jacobi saves iterations.
template <class T, int B>
BlockList<T> diffusion(std::int32_t n) {
  BlockList<T> list;
  list.rows = list.columns = n * n * n;
  for (std::int32_t c = 0; c < list.rows; ++c) {
    const std::int32_t at[] = {c / n / n, c / n % n, c % n}, apart[] = {n * n, n, 1};
    const auto add = [&](std::int32_t column, T factor) {
      list.column.push_back(column);
      for (int i = 0; i < B; ++i) {
        const T scale = T(1 << i);
        for (int j = 0; j < B; ++j) {
          const T coupling = T(0.1) * number<T>(static_cast<std::uint64_t>((c * B + i) * B + j));
          list.blocks.push_back(scale * (i == j ? factor : column == c ? coupling : T(0)));
        }
      }
    };
    for (int axis = 0; axis < 3; ++axis) {
      if (at[axis] > 0) add(c - apart[axis], T(-1.2));
    }
    add(c, T(6.1));
    for (int axis = 2; axis >= 0; --axis) {
      if (at[axis] < n - 1) add(c + apart[axis], T(-0.8));
    }
    list.offsets.push_back(static_cast<std::int64_t>(list.column.size()));
  }
  return list;
}

}  // namespace weft::kernels::test
