#include "weft/kernels/linear/batched_product.hpp"

#include <algorithm>

#include "weft/base/contracts.hpp"
#include "weft/kernels/linear/small_product.hpp"
#include "weft/kernels/primitives/disjoint.hpp"

namespace weft::kernels {

namespace {

/// Multiplies the matrices begin ... end - 1. @tparam N  their size, or 0 if it is known at run time only.
template <class T, int N, bool kAdd>
void multiply_range(const ProductBatch<T>& batch, std::int64_t begin, std::int64_t end) {
  const int n = N > 0 ? N : batch.n;
  for (std::int64_t m = begin; m < end; ++m) {
    const std::int64_t first = m * n * n;
    const T* const b = batch.b.data() + first;
    for (int i = 0; i < n; ++i) {
      const T* const a = batch.a.data() + first + i * n;
      T* const c = batch.c.data() + first + i * n;
      T sum[N > 0 ? N : kProductRows];
      for (int j = 0; j < n; ++j) sum[j] = a[0] * b[j];
      for (int k = 1; k < n; ++k) {
        for (int j = 0; j < n; ++j) sum[j] = detail::fused(a[k], b[k * n + j], sum[j]);
      }
      for (int j = 0; j < n; ++j) c[j] = kAdd ? c[j] + sum[j] : sum[j];
    }
  }
}

template <bool kAdd, class T>
void multiply_each(const ProductBatch<T>& batch, Team& team) {
  WEFT_EXPECTS(detail::is_batch(batch));
  const int n = batch.n;
  const std::int64_t smallest = std::max(std::int64_t{64}, std::int64_t{100'000} / (n * n * n));  // that is worth threads
  detail::split(team, batch.size(), smallest, [&](std::int64_t begin, std::int64_t end) {
    detail::with_product_size(n, [&](auto size) { multiply_range<T, size(), kAdd>(batch, begin, end); });
  });
}

}  // namespace

template <LinearScalar T>
void multiply_batch(const ProductBatch<T>& batch, Team& team) {
  multiply_each<false>(batch, team);
}

template <LinearScalar T>
void multiply_add_batch(const ProductBatch<T>& batch, Team& team) {
  multiply_each<true>(batch, team);
}

namespace detail {

template <class T>
bool is_batch(const ProductBatch<T>& batch) {
  if (batch.n < 1 || batch.n > kProductRows) return false;
  const std::size_t square = static_cast<std::size_t>(batch.n) * static_cast<std::size_t>(batch.n);
  return batch.c.size() % square == 0 && batch.a.size() == batch.c.size() && batch.b.size() == batch.c.size() &&
         disjoint(batch.a, batch.c) && disjoint(batch.b, batch.c);
}

template bool is_batch(const ProductBatch<float>&);
template bool is_batch(const ProductBatch<double>&);

}  // namespace detail

template void multiply_batch(const ProductBatch<float>&, Team&);
template void multiply_batch(const ProductBatch<double>&, Team&);
template void multiply_add_batch(const ProductBatch<float>&, Team&);
template void multiply_add_batch(const ProductBatch<double>&, Team&);

}  // namespace weft::kernels
