#include "weft/kernels/linear/block_jacobi.hpp"

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/kernels/linear/instances.hpp"

namespace weft::kernels {

namespace detail {

/// Copies row `i` of the diagonal blocks, in the numbering of scalar rows, to row-major blocks; zero where none is stored.
template <class T, int B>
struct CopyDiagonal {
  BsrView<const T, B> a;
  T* blocks;
  void operator()(std::int64_t i) const {
    const auto row = static_cast<std::int32_t>(i / B);
    const auto within = static_cast<int>(i - std::int64_t{row} * B);
    const std::int32_t k = a.pattern.diagonal[row];
    const std::int64_t slot = k < 0 ? 0 : a.pattern.slot(row, k);
    for (int j = 0; j < B; ++j) {
      T entry{};
      if (k >= 0) entry = a(slot, within, j);
      blocks[i * B + j] = entry;
    }
  }
};

}  // namespace detail

template <LinearScalar T, int B>
  requires BlockSize<B>
BlockJacobi<T, B>::BlockJacobi(std::int32_t rows, Backend backend)
    : factors_(to_index(rows) * B * B, backend, "factors of block Jacobi", Side::device),
      pivots_(to_index(rows) * B, backend, "pivots of block Jacobi", Side::device),
      status_(to_index(rows), backend, "status of block Jacobi", Side::device) {}

template <LinearScalar T, int B>
  requires BlockSize<B>
void BlockJacobi<T, B>::factor(const BsrView<const T, B>& a, Team& team) {
  const LuBatch<T> blocks = batch<space::host>();
  WEFT_EXPECTS(a.pattern.rows == blocks.size());
  const detail::CopyDiagonal<T, B> copy{a, blocks.factors.data()};
  detail::split(team, std::int64_t{a.pattern.rows} * B, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) copy(i);
  });
  lu_factor(blocks, team);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void BlockJacobi<T, B>::apply(std::span<const T> r, std::span<T> z, Team& team) {
  lu_solve(batch<space::host>(), r, z, team);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void BlockJacobi<T, B>::apply(space::cuda gpu, Stream& stream, std::span<const T> r, std::span<T> z) {
  lu_solve(gpu, stream, batch<space::cuda>(), r, z);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
std::vector<std::int64_t> BlockJacobi<T, B>::singular_rows(const After& before) {
  status_.to_host(before).wait();  // also where the host side seems fresh: a Graph may have repeated factor()
  return singular_matrices(status_.read(Side::host));
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void BlockJacobi<T, B>::first_singular(space::cuda gpu, Stream& stream, std::int64_t* result) {
  kernels::first_singular(gpu, stream, batch<space::cuda>().status, result);
}

#define WEFT_INSTANTIATE(T, B)                                                                    \
  template BlockJacobi<T, B>::BlockJacobi(std::int32_t, Backend);                                 \
  template void BlockJacobi<T, B>::factor(const BsrView<const T, B>&, Team&);                     \
  template void BlockJacobi<T, B>::apply(std::span<const T>, std::span<T>, Team&);                \
  template void BlockJacobi<T, B>::apply(space::cuda, Stream&, std::span<const T>, std::span<T>); \
  template std::vector<std::int64_t> BlockJacobi<T, B>::singular_rows(const After&);              \
  template void BlockJacobi<T, B>::first_singular(space::cuda, Stream&, std::int64_t*);
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
