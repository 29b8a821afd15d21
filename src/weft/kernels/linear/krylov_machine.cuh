#pragma once
/// Executes the steps of iterative solvers in a stream of a GPU, for .cu files.
#include <cstdint>
#include <span>

#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/krylov_machine.hpp"

namespace weft::kernels::detail {

/// Enqueues the steps in a stream.
struct CudaMachine {
  Stream& queue;

  [[nodiscard]] Stream& stream() const { return queue; }
  template <class F>
  void loop(std::int64_t n, const F& f) const {
    parallel_for(space::cuda{}, queue, n, f);
  }
  template <class Map>
  void reduce(std::int64_t n, const Map& map, ProductDots* result) const {
    reduce_into(space::cuda{}, queue, n, ProductDots{}, map, AddDots{}, result);
  }
  template <class T, int B>
  void multiply(const BsrView<const T, B>& a, std::span<const T> x, std::span<T> y) const {
    kernels::multiply(space::cuda{}, queue, a, x, y);
  }
  template <class T, int B>
  void multiply_and_dot(const BsrView<const T, B>& a, std::span<const T> x, std::span<T> y, std::span<T> z,
                        ProductDots* result) const {
    kernels::multiply_and_dot(space::cuda{}, queue, a, x, y, z, result);
  }
  template <class T, int B>
  void multiply_add_and_dot(T alpha, const BsrView<const T, B>& a, std::span<const T> x, T beta, std::span<const T> b,
                            std::span<T> y, std::span<const T> z, ProductDots* result) const {
    kernels::multiply_add_and_dot(space::cuda{}, queue, alpha, a, x, beta, b, y, z, result);
  }
  template <class T>
  void apply(Preconditioner<T>& preconditioner, std::span<const T> r, std::span<T> z) const {
    preconditioner.apply(space::cuda{}, queue, r, z);
  }
};

}  // namespace weft::kernels::detail
