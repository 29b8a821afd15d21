#pragma once
/// Executes the steps of iterative solvers on the threads of a team; krylov_machine.cuh executes them in a stream. A machine has
/// loops, reductions, products and preconditioners; functions of one scalar are loops of length 1, so that scalars remain in its
/// memory.
#include <cstdint>
#include <span>

#include "weft/kernels/linear/bsr_product.hpp"
#include "weft/kernels/linear/preconditioner.hpp"
#include "weft/kernels/linear/small_lu.hpp"
#include "weft/kernels/primitives/reduce.hpp"

namespace weft::kernels::detail {

/// Returns true if a number may be divided by: neither 0, nor infinite, nor not a number.
[[nodiscard]] WEFT_HD inline bool is_divisor(double x) { return is_pivot(magnitude(x)); }

/// Executes the steps on the threads of a team.
struct HostMachine {
  Team& team;

  [[nodiscard]] Stream& stream() const { return host_stream(); }
  template <class F>
  void loop(std::int64_t n, const F& f) const {
    split(team, n, 4096, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) f(i);
    });
  }
  template <class Map>
  void reduce(std::int64_t n, const Map& map, ProductDots* result) const {
    *result = transform_reduce(n, ProductDots{}, map, AddDots{}, team);
  }
  template <class T, int B>
  void multiply(const BsrView<const T, B>& a, std::span<const T> x, std::span<T> y) const {
    kernels::multiply(a, x, y, team);
  }
  template <class T, int B>
  void multiply_and_dot(const BsrView<const T, B>& a, std::span<const T> x, std::span<T> y, std::span<T> z,
                        ProductDots* result) const {
    *result = kernels::multiply_and_dot(a, x, y, z, team);
  }
  template <class T, int B>
  void multiply_add_and_dot(T alpha, const BsrView<const T, B>& a, std::span<const T> x, T beta, std::span<const T> b,
                            std::span<T> y, std::span<const T> z, ProductDots* result) const {
    *result = kernels::multiply_add_and_dot(alpha, a, x, beta, b, y, z, team);
  }
  template <class T>
  void apply(Preconditioner<T>& preconditioner, std::span<const T> r, std::span<T> z) const {
    preconditioner.apply(r, z, team);
  }
};

}  // namespace weft::kernels::detail
