#include "weft/kernels/linear/batched_lu.hpp"

#include <algorithm>

#include "weft/base/contracts.hpp"
#include "weft/kernels/linear/small_lu.hpp"
#include "weft/kernels/primitives/disjoint.hpp"

namespace weft::kernels {

namespace {

/// Factorises one matrix of any size; see detail::factor_small().
template <class T>
int factor_any(int n, T* a, std::uint8_t* pivots) {
  for (int c = 0; c < n; ++c) pivots[c] = static_cast<std::uint8_t>(c);
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int i = c + 1; i < n; ++i) {
      if (detail::magnitude(a[i * n + c]) > detail::magnitude(a[pivot * n + c])) pivot = i;
    }
    if (!detail::is_pivot(detail::magnitude(a[pivot * n + c]))) return c + 1;
    pivots[c] = static_cast<std::uint8_t>(pivot);
    if (pivot != c) std::swap_ranges(a + c * n, a + (c + 1) * n, a + pivot * n);
    for (int i = c + 1; i < n; ++i) {
      const T factor = a[i * n + c] / a[c * n + c];
      a[i * n + c] = factor;
      for (int k = c + 1; k < n; ++k) a[i * n + k] -= factor * a[c * n + k];
    }
  }
  return 0;
}

/// Solves with one matrix of any size, in place; see detail::solve_small().
template <class T>
void solve_any(int n, const T* a, const std::uint8_t* pivots, T* b) {
  for (int c = 0; c < n; ++c) {
    if (pivots[c] != c) std::swap(b[c], b[pivots[c]]);
  }
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) b[i] -= a[i * n + k] * b[k];
  }
  for (int k = n - 1; k >= 0; --k) {
    b[k] /= a[k * n + k];
    for (int i = 0; i < k; ++i) b[i] -= a[i * n + k] * b[k];
  }
}

template <class T, int N>
void factor_range(const LuBatch<T>& batch, std::int64_t begin, std::int64_t end) {
  for (std::int64_t m = begin; m < end; ++m) {
    T a[N * N];
    std::uint8_t pivots[N];
    std::copy_n(batch.factors.data() + m * N * N, N * N, a);
    batch.status[m] = static_cast<std::uint8_t>(detail::factor_small<T, N>(a, pivots));
    std::copy_n(a, N * N, batch.factors.data() + m * N * N);
    std::copy_n(pivots, N, batch.pivots.data() + m * N);
  }
}

template <class T, int N>
void solve_range(const LuBatch<T>& batch, const T* b, T* x, std::int64_t begin, std::int64_t end) {
  for (std::int64_t m = begin; m < end; ++m) {
    T a[N * N], solution[N];
    std::uint8_t pivots[N];
    std::copy_n(b + m * N, N, solution);
    if (batch.status[m] == 0) {
      std::copy_n(batch.factors.data() + m * N * N, N * N, a);
      std::copy_n(batch.pivots.data() + m * N, N, pivots);
      detail::solve_small<T, N>(a, pivots, solution);
    }
    std::copy_n(solution, N, x + m * N);
  }
}

/// Returns the number of matrices below which threads are not worth their start.
std::int64_t smallest(int n) { return std::max(std::int64_t{64}, std::int64_t{100'000} / (n * n * n)); }

}  // namespace

template <LinearScalar T>
void lu_factor(const LuBatch<T>& batch, Team& team) {
  WEFT_EXPECTS(detail::is_batch(batch));
  const int n = batch.n;
  detail::split(team, batch.size(), smallest(n), [&](std::int64_t begin, std::int64_t end) {
    switch (n) {
      case 4:
        return factor_range<T, 4>(batch, begin, end);
      case 5:
        return factor_range<T, 5>(batch, begin, end);
      case 6:
        return factor_range<T, 6>(batch, begin, end);
      case 7:
        return factor_range<T, 7>(batch, begin, end);
      default:
        break;
    }
    for (std::int64_t m = begin; m < end; ++m) {
      batch.status[m] = static_cast<std::uint8_t>(factor_any(n, batch.factors.data() + m * n * n, batch.pivots.data() + m * n));
    }
  });
}

template <LinearScalar T>
void lu_solve(const LuBatch<T>& batch, std::span<const std::type_identity_t<T>> b, std::span<std::type_identity_t<T>> x,
              Team& team) {
  WEFT_EXPECTS(detail::is_batch(batch) && detail::are_vectors_of<T>(batch, b, x));
  const int n = batch.n;
  detail::split(team, batch.size(), smallest(n), [&](std::int64_t begin, std::int64_t end) {
    switch (n) {
      case 4:
        return solve_range<T, 4>(batch, b.data(), x.data(), begin, end);
      case 5:
        return solve_range<T, 5>(batch, b.data(), x.data(), begin, end);
      case 6:
        return solve_range<T, 6>(batch, b.data(), x.data(), begin, end);
      case 7:
        return solve_range<T, 7>(batch, b.data(), x.data(), begin, end);
      default:
        break;
    }
    for (std::int64_t m = begin; m < end; ++m) {
      if (x.data() != b.data()) std::copy_n(b.data() + m * n, n, x.data() + m * n);
      if (batch.status[m] != 0) continue;
      solve_any(n, batch.factors.data() + m * n * n, batch.pivots.data() + m * n, x.data() + m * n);
    }
  });
}

std::vector<std::int64_t> singular_matrices(std::span<const std::uint8_t> status) {
  std::vector<std::int64_t> singular;
  for (std::size_t m = 0; m < status.size(); ++m) {
    if (status[m] != 0) singular.push_back(static_cast<std::int64_t>(m));
  }
  return singular;
}

namespace detail {

template <class T>
bool is_batch(const LuBatch<T>& batch) {
  if (batch.n < 1 || batch.n > kLuRows) return false;
  const auto n = static_cast<std::size_t>(batch.n), size = batch.status.size();
  return batch.factors.size() == size * n * n && batch.pivots.size() == size * n && disjoint(batch.factors, batch.pivots) &&
         disjoint(batch.factors, batch.status) && disjoint(batch.pivots, batch.status);
}

template <class T>
bool are_vectors_of(const LuBatch<T>& batch, std::span<const T> b, std::span<T> x) {
  const std::size_t entries = batch.status.size() * static_cast<std::size_t>(batch.n);
  return b.size() == entries && x.size() == entries && disjoint_or_same(b, x) && disjoint(x, batch.factors) &&
         disjoint(x, batch.pivots) && disjoint(x, batch.status);
}

template bool is_batch(const LuBatch<float>&);
template bool is_batch(const LuBatch<double>&);
template bool are_vectors_of(const LuBatch<float>&, std::span<const float>, std::span<float>);
template bool are_vectors_of(const LuBatch<double>&, std::span<const double>, std::span<double>);

}  // namespace detail

template void lu_factor(const LuBatch<float>&, Team&);
template void lu_factor(const LuBatch<double>&, Team&);
template void lu_solve(const LuBatch<float>&, std::span<const float>, std::span<float>, Team&);
template void lu_solve(const LuBatch<double>&, std::span<const double>, std::span<double>, Team&);

}  // namespace weft::kernels
