#pragma once
/// The steps of BiCGStab, for bicgstab.cpp and bicgstab.cu, executed by a machine (krylov_machine.hpp).
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "weft/base/macros.hpp"
#include "weft/kernels/linear/bicgstab.hpp"
#include "weft/kernels/linear/krylov_machine.hpp"
#include "weft/kernels/linear/over_ranks.hpp"

namespace weft::kernels::detail {

/// Computes r = b - A x from A x in `v`, and the first r0 and p. Returns (b, b) and (r, r).
template <class T>
struct FirstResidual {
  const T *b, *v;
  T *r, *r0, *p;
  WEFT_HD ProductDots operator()(std::int64_t i) const {
    const T residual = b[i] - v[i];
    r[i] = residual;
    r0[i] = residual;
    p[i] = residual;
    const auto right = static_cast<double>(b[i]), left = static_cast<double>(residual);
    return {right * right, left * left};
  }
};

/// Sets the scalars of the first iteration.
struct FirstScalars {
  BiCgStabScalars* s;
  double tolerance;
  WEFT_HD void operator()(std::int64_t /*one*/) const {
    s->status = {};
    s->status.right_side = std::sqrt(s->of_r.zy);
    s->status.residual = std::sqrt(s->of_r.yy);
    s->limit = tolerance * tolerance * s->of_r.zy;
    s->rho = s->of_r.yy;
    if (s->of_r.yy <= s->limit) {
      s->status.state = KrylovState::converged;
    } else if (!is_divisor(s->rho)) {
      s->status.state = KrylovState::broken;
    }
  }
};

/// Computes alpha = rho / (r0, v).
struct ComputeAlpha {
  BiCgStabScalars* s;
  WEFT_HD void operator()(std::int64_t /*one*/) const {
    if (s->status.state != KrylovState::running) return;
    s->alpha = s->rho / s->of_v.zy;
    if (!is_divisor(s->of_v.zy) || !is_divisor(s->alpha)) s->status.state = KrylovState::broken;
  }
};

/// Computes s = r - alpha v in r.
template <class T>
struct HalfStep {
  const BiCgStabScalars* s;
  const T* v;
  T* r;
  WEFT_HD void operator()(std::int64_t i) const {
    if (s->status.state == KrylovState::running) r[i] -= static_cast<T>(s->alpha) * v[i];
  }
};

/// Computes omega = (s, t) / (t, t), and 0 for t = 0.
struct ComputeOmega {
  BiCgStabScalars* s;
  WEFT_HD void operator()(std::int64_t /*one*/) const {
    if (s->status.state != KrylovState::running) return;
    s->omega = 0;
    if (is_divisor(s->of_t.yy)) s->omega = s->of_t.zy / s->of_t.yy;
    if (!(magnitude(s->of_t.yy) <= std::numeric_limits<double>::max())) s->status.state = KrylovState::broken;
  }
};

/// Computes x = x + alpha M^-1 p + omega M^-1 s and r = s - omega t. Returns (r0, r) and (r, r).
template <class T>
struct FullStep {
  const BiCgStabScalars* s;
  const T *preconditioned_p, *preconditioned_s, *t, *r0;
  T *x, *r;
  WEFT_HD ProductDots operator()(std::int64_t i) const {
    if (s->status.state != KrylovState::running) return {};
    x[i] += static_cast<T>(s->alpha) * preconditioned_p[i] + static_cast<T>(s->omega) * preconditioned_s[i];
    const T residual = r[i] - static_cast<T>(s->omega) * t[i];
    r[i] = residual;
    const auto value = static_cast<double>(residual);
    return {static_cast<double>(r0[i]) * value, value * value};
  }
};

/// Tests the residual and computes beta = (new rho / rho) (alpha / omega).
struct EndOfIteration {
  BiCgStabScalars* s;
  WEFT_HD void operator()(std::int64_t /*one*/) const {
    if (s->status.state != KrylovState::running) return;
    ++s->status.iterations;
    s->status.residual = std::sqrt(s->of_r.yy);
    if (s->of_r.yy <= s->limit) {
      s->status.state = KrylovState::converged;
      return;
    }
    s->beta = s->of_r.zy / s->rho * (s->alpha / s->omega);
    s->rho = s->of_r.zy;
    if (!is_divisor(s->beta) || !is_divisor(s->omega) || !is_divisor(s->rho)) s->status.state = KrylovState::broken;
  }
};

/// Computes p = r + beta (p - omega v).
template <class T>
struct NextDirection {
  const BiCgStabScalars* s;
  const T *r, *v;
  T* p;
  WEFT_HD void operator()(std::int64_t i) const {
    if (s->status.state == KrylovState::running) {
      p[i] = r[i] + static_cast<T>(s->beta) * (p[i] - static_cast<T>(s->omega) * v[i]);
    }
  }
};

template <class Machine, class T, int B>
void start(Machine& machine, const BiCgStabSystem<T, B>& u, double tolerance) {
  const auto n = static_cast<std::int64_t>(u.x.size());
  BiCgStabScalars* const s = u.scalars;
  machine.multiply(u.a, with_ghosts(machine, u.ranks, std::span<const T>(u.x)), u.v);
  dots_over_ranks(machine, u.ranks, &s->of_r, [&](ProductDots* to) {
    machine.reduce(n, FirstResidual<T>{u.b.data(), u.v.data(), u.r.data(), u.r0.data(), u.p.data()}, to);
  });
  machine.loop(1, FirstScalars{s, tolerance});
}

template <class Machine, class T, int B>
void iterate(Machine& machine, const BiCgStabSystem<T, B>& u) {
  const auto n = static_cast<std::int64_t>(u.x.size());
  BiCgStabScalars* const s = u.scalars;
  const auto precondition = [&](std::span<T> in, std::span<T> memory) -> std::span<T> {
    if (u.preconditioner == nullptr) return in;
    machine.apply(*u.preconditioner, std::span<const T>(in), memory);
    return memory;
  };
  const auto product = [&](std::span<const T> factor, std::span<T> to, std::span<T> other, ProductDots* dots) {
    factor = with_ghosts(machine, u.ranks, factor);
    dots_over_ranks(machine, u.ranks, dots,
                    [&](ProductDots* of_rank) { machine.multiply_and_dot(u.a, factor, to, other, of_rank); });
  };
  const std::span<T> of_p = precondition(u.p, u.preconditioned_p);
  product(of_p, u.v, u.r0, &s->of_v);
  machine.loop(1, ComputeAlpha{s});
  machine.loop(n, HalfStep<T>{s, u.v.data(), u.r.data()});
  // Without a preconditioner M^-1 s is s in r: FullStep reads entry i of both before it writes it.
  const std::span<T> of_s =
      precondition(u.r, u.ranks == nullptr ? u.preconditioned_s : u.ranks->columns().first(u.preconditioned_s.size()));
  product(of_s, u.t, u.r, &s->of_t);
  machine.loop(1, ComputeOmega{s});
  dots_over_ranks(machine, u.ranks, &s->of_r, [&](ProductDots* to) {
    machine.reduce(n, FullStep<T>{s, of_p.data(), of_s.data(), u.t.data(), u.r0.data(), u.x.data(), u.r.data()}, to);
  });
  machine.loop(1, EndOfIteration{s});
  machine.loop(n, NextDirection<T>{s, u.r.data(), u.v.data(), u.p.data()});
}

}  // namespace weft::kernels::detail
