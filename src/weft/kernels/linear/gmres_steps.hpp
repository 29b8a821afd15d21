#pragma once
/// The steps of GMRES, for gmres.cpp and gmres.cu, executed by a machine (krylov_machine.hpp) that also has the passes over the
/// basis:
///
///     project(u, k, to)   to[i] = (v_i, w), i < k
///     subtract(u, k, to)  w = w - sum of first[i] v_i, i < k; then to[i] = (v_i, w), and to[k] = (w, w)
///     extend(u, k)        v_k = inverse (w - sum of second[i] v_i, i < k)
///     expand(u)           z = sum of y[i] v_i, i < columns
///
/// Classical Gram-Schmidt with reorthogonalisation reads a basis vector three times if it is in a cache when `subtract` reads it
/// for the second time, and four times otherwise; modified Gram-Schmidt reads it twice, but also reads and writes w for each, and
/// has k reductions one after the other instead of two.
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "weft/base/macros.hpp"
#include "weft/kernels/linear/gmres.hpp"
#include "weft/kernels/linear/krylov_machine.hpp"
#include "weft/kernels/linear/over_ranks.hpp"

namespace weft::kernels::detail {

/// Threads of a GPU that compute a tile of the vectors, each 16 bytes of it. A scalar product is added within a thread from left
/// to right, over 32 threads pairwise at distances 16, 8, 4, 2, 1, over the 8 warps from left to right; tiles are added 1024 at a
/// time in the order of reduce_block(), and these results from left to right.
inline constexpr int kGmresThreads = 256, kGmresWarps = kGmresThreads / 32, kGmresTiles = 1024;
template <class T>
inline constexpr int kGmresEntries = 16 / static_cast<int>(sizeof(T));
template <class T>
inline constexpr int kGmresTile = kGmresThreads * kGmresEntries<T>;
template <class T>
[[nodiscard]] constexpr std::int64_t gmres_tiles(std::int64_t n) {
  return (n + kGmresTile<T> - 1) / kGmresTile<T>;
}

/// Returns (b, b) twice.
template <class T>
struct RightSide {
  const T* b;
  WEFT_HD ProductDots operator()(std::int64_t i) const {
    const auto right = static_cast<double>(b[i]);
    return {right * right, right * right};
  }
};

/// Sets the status and the limit of a new system. `second` has (b, b).
struct NewSystem {
  GmresNumbers u;
  double tolerance;
  WEFT_HD void operator()(std::int64_t /*one*/) const {
    *u.s = {};
    u.s->status.right_side = std::sqrt(u.second[0]);
    u.s->limit = tolerance * tolerance * u.second[0];
  }
};

/// Tests the residual, and begins a cycle. `first` has (b, r) and (r, r).
struct BeginCycle {
  GmresNumbers u;
  WEFT_HD void operator()(std::int64_t /*one*/) const {
    GmresScalars& s = *u.s;
    if (s.status.state != KrylovState::running) return;
    const double square = u.first[1];
    s.status.residual = std::sqrt(square);
    if (square <= s.limit) {
      s.status.state = KrylovState::converged;
    } else if (!is_divisor(square) || s.basis == GmresScalars::degenerate) {
      s.status.state = KrylovState::broken;
    }
    s.basis = GmresScalars::extending;
    s.columns = 0;
    s.inverse = 1 / s.status.residual;
    u.right[0] = s.status.residual;
  }
};

/// Normalises the first basis vector.
template <class T>
struct Normalise {
  const GmresScalars* s;
  T* v;
  WEFT_HD void operator()(std::int64_t i) const {
    if (s->extends()) v[i] *= static_cast<T>(s->inverse);
  }
};

/// Appends column j to the triangular matrix: the sums of both orthogonalisations and the norm of the rest, rotated.
struct AppendColumn {
  GmresNumbers u;
  int j;
  double negligible;  ///< square of the ratio of the rest to the product below which the rest consists of rounding errors
  WEFT_HD void operator()(std::int64_t /*one*/) const {
    GmresScalars& s = *u.s;
    if (!s.extends()) return;
    double* const column = u.r + static_cast<std::int64_t>(j) * (u.m + 1);
    double square = u.second[j + 1], whole = square;  // (w, w) before `extend`, and for A M^-1 v
    for (int k = 0; k <= j; ++k) {
      column[k] = u.first[k] + u.second[k];
      square -= u.second[k] * u.second[k];
      whole += u.first[k] * u.first[k];
    }
    if (!(whole <= std::numeric_limits<double>::max())) {
      s.status.state = KrylovState::broken;
      return;
    }
    double below = 0;
    if (square > negligible * whole) below = std::sqrt(square);
    for (int k = 0; k < j; ++k) {
      const double rotated = u.cosine[k] * column[k] + u.sine[k] * column[k + 1];
      column[k + 1] = u.cosine[k] * column[k + 1] - u.sine[k] * column[k];
      column[k] = rotated;
    }
    const double pivot = std::sqrt(column[j] * column[j] + below * below);
    if (!is_divisor(pivot)) {
      s.basis = GmresScalars::degenerate;
      return;
    }
    u.cosine[j] = column[j] / pivot;
    u.sine[j] = below / pivot;
    column[j] = pivot;
    u.right[j + 1] = -u.sine[j] * u.right[j];
    u.right[j] = u.cosine[j] * u.right[j];
    s.columns = j + 1;
    ++s.status.iterations;
    s.status.residual = magnitude(u.right[j + 1]);
    if (u.right[j + 1] * u.right[j + 1] <= s.limit || below == 0) s.basis = GmresScalars::complete;
    s.inverse = 1 / below;
  }
};

/// Solves the triangular system.
struct SolveTriangle {
  GmresNumbers u;
  WEFT_HD void operator()(std::int64_t /*one*/) const {
    if (u.s->status.state != KrylovState::running) return;
    for (int k = u.s->columns - 1; k >= 0; --k) {
      double sum = u.right[k];
      for (int i = k + 1; i < u.s->columns; ++i) sum -= u.r[static_cast<std::int64_t>(i) * (u.m + 1) + k] * u.y[i];
      u.y[k] = sum / u.r[static_cast<std::int64_t>(k) * (u.m + 1) + k];
    }
  }
};

/// Adds the correction to x.
template <class T>
struct Correct {
  const GmresScalars* s;
  const T* correction;
  T* x;
  WEFT_HD void operator()(std::int64_t i) const {
    if (s->status.state == KrylovState::running) x[i] += correction[i];
  }
};

/// Computes w = A M^-1 v.
template <class Machine, class T, int B>
void product(Machine& machine, const GmresSystem<T, B>& u, const T* v) {
  const auto n = static_cast<std::size_t>(u.n);
  std::span<const T> factor(v, n);
  if (u.preconditioner != nullptr) {
    const std::span<T> memory = u.ranks == nullptr ? std::span<T>(u.z, n) : u.ranks->columns().first(n);
    machine.apply(*u.preconditioner, factor, memory);
    factor = memory;
  }
  machine.multiply(u.a, with_ghosts(machine, u.ranks, factor), std::span<T>(u.w, n));
}

/// Computes the residual of x in the first basis vector and its norm.
template <class Machine, class T, int B>
void residual(Machine& machine, const GmresSystem<T, B>& u) {
  const std::span<const T> x = with_ghosts(machine, u.ranks, std::span<const T>(u.x));
  const std::span<T> r(u.basis, static_cast<std::size_t>(u.n));
  over_ranks(machine, u.ranks, 2, u.numbers.first, [&](double* to) {
    machine.multiply_add_and_dot(T(-1), u.a, x, T(1), u.b, r, u.b, reinterpret_cast<ProductDots*>(to));
  });
}

template <class Machine, class T, int B>
void start(Machine& machine, const GmresSystem<T, B>& u, double tolerance) {
  residual(machine, u);
  over_ranks(machine, u.ranks, 2, u.numbers.second,
             [&](double* to) { machine.reduce(u.n, RightSide<T>{u.b.data()}, reinterpret_cast<ProductDots*>(to)); });
  machine.loop(1, NewSystem{u.numbers, tolerance});
  machine.loop(1, BeginCycle{u.numbers});
}

/// Computes one cycle. @param ends  returns true where the host knows that no further iteration of this cycle is needed.
template <class Machine, class T, int B, class Ends>
void cycle(Machine& machine, const GmresSystem<T, B>& u, const Ends& ends) {
  constexpr double kRounding = std::numeric_limits<T>::epsilon();
  const GmresNumbers& numbers = u.numbers;
  machine.loop(u.n, Normalise<T>{numbers.s, u.basis});
  for (int j = 0; j < numbers.m && !ends(); ++j) {
    product(machine, u, u.basis + j * u.stride);
    over_ranks(machine, u.ranks, j + 1, numbers.first, [&](double* to) { machine.project(u, j + 1, to); });
    over_ranks(machine, u.ranks, j + 2, numbers.second, [&](double* to) { machine.subtract(u, j + 1, to); });
    machine.loop(1, AppendColumn{numbers, j, kRounding * kRounding});
    machine.extend(u, j + 1);
  }
  machine.loop(1, SolveTriangle{numbers});
  machine.expand(u);
  const T* correction = u.z;
  if (u.preconditioner != nullptr) {
    const auto n = static_cast<std::size_t>(u.n);
    machine.apply(*u.preconditioner, std::span<const T>(u.z, n), std::span<T>(u.w, n));
    correction = u.w;
  }
  machine.loop(u.n, Correct<T>{numbers.s, correction, u.x.data()});
  residual(machine, u);
  machine.loop(1, BeginCycle{numbers});
}

}  // namespace weft::kernels::detail
