#pragma once
/// The method BiCGStab for block-sparse matrices, on hosts and GPUs with the same digits.
#include <cstdint>
#include <span>

#include "weft/device/host_device_vector.hpp"
#include "weft/kernels/linear/bsr_product.hpp"
#include "weft/kernels/linear/krylov.hpp"
#include "weft/kernels/linear/preconditioner.hpp"

namespace weft::kernels {

namespace detail {

/// The scalars of BiCGStab, which remain in the memory of the machine that computes.
struct BiCgStabScalars {
  KrylovStatus status;
  double limit = 0;  ///< square of the residual at which the method has converged
  double rho = 0;    ///< (r0, r)
  double alpha = 0, beta = 0, omega = 0;
  ProductDots of_v;  ///< (r0, v) and (v, v)
  ProductDots of_t;  ///< (s, t) and (t, t)
  ProductDots of_r;  ///< (r0, r) and (r, r); at the start (b, b) and (r, r)
};

/// The system and the vectors of BiCGStab, in the memory of the machine that computes.
template <class T, int B>
struct BiCgStabSystem {
  BsrView<const T, B> a;
  Preconditioner<T>* preconditioner = nullptr;
  KrylovRanks<T>* ranks = nullptr;
  std::span<const T> b;
  std::span<T> x, r, r0, p, preconditioned_p, v, preconditioned_s, t;
  BiCgStabScalars* scalars = nullptr;
};

}  // namespace detail

/// Solves A x = b with BiCGStab (van der Vorst, SIAM J. Sci. Stat. Comput. 13, 1992), preconditioned from the right or not at
/// all, on one rank or on several.
///
///     BiCgStab<double, 5> solver(rows, Backend::cuda);                          // memory, once
///     solver.start(space::cuda{}, stream, a, &jacobi, b, x, 1e-8);
///     do solver.iterate(space::cuda{}, stream, 20);                             // waits for nothing
///     while (solver.status(after(stream)).state == KrylovState::running);       // waits
///
/// All scalars remain on the GPU, and scalar products are added in a fixed order, so that an iteration has the digits of the
/// host. Once the method has converged or broken down, further iterations leave x and the status unchanged.
template <LinearScalar T, int B>
  requires BlockSize<B>
class BiCgStab {
 public:
  /// Allocates seven vectors, on the host with Backend::host and on the device otherwise.
  /// @param rows  owned block rows.  @param ranks  of a distributed system, whose numbers() have at least two entries per rank;
  /// null: one rank. It must outlive this object.  @throws DeviceError or std::bad_alloc where memory is exhausted.
  BiCgStab(std::int32_t rows, Backend backend, KrylovRanks<T>* ranks = nullptr);
  BiCgStab(const BiCgStab&) = delete;
  BiCgStab& operator=(const BiCgStab&) = delete;

  /// Begins with the initial guess in `x`. The matrix, the preconditioner, b and x are used until the last call of iterate().
  /// @param preconditioner  factorised, for the same rows; null: no preconditioner.
  /// @param tolerance  norm of the residual divided by that of b, at which the method has converged.
  /// @pre the matrix has `rows` block rows, and as many columns or those of `ranks`; b and x have `rows` * B entries and do not
  /// overlap; tolerance >= 0. @cost one product. @collective with `ranks`.
  void start(const BsrView<const T, B>& a, Preconditioner<T>* preconditioner, std::span<const T> b, std::span<T> x,
             double tolerance, Team& team = calling_thread());
  void start(space::cuda, Stream& stream, const BsrView<const T, B>& a, Preconditioner<T>* preconditioner, std::span<const T> b,
             std::span<T> x, double tolerance);

  /// Computes `count` iterations; fewer on the host if the method ends before. On a GPU the kernels are enqueued; they can be
  /// captured in a Graph if exchanges of `ranks` can.
  /// @pre start() has been called. @cost for each iteration two products, two applications of the preconditioner, and 15 reads
  /// and writes of vectors; with `ranks` two more (four without a preconditioner), two exchanges of a vector and three of two
  /// numbers per rank. @collective with `ranks`.
  void iterate(int count, Team& team = calling_thread());
  void iterate(space::cuda, Stream& stream, int count);

  /// Returns the status. Blocks the host until `before` has completed.
  [[nodiscard]] KrylovStatus status(const After& before = {});
  /// Returns the address of the status in the memory of the machine that computes.
  [[nodiscard]] const KrylovStatus* status_address();

 private:
  [[nodiscard]] bool is_system(const BsrView<const T, B>& a, std::span<const T> b, std::span<T> x, double tolerance) const;
  void prepare(const BsrView<const T, B>& a, Preconditioner<T>* preconditioner, std::span<const T> b, std::span<T> x);

  KrylovRanks<T>* ranks_;
  HostDeviceVector<T> vectors_;
  HostDeviceVector<detail::BiCgStabScalars> scalars_;
  detail::BiCgStabSystem<T, B> system_;
};

}  // namespace weft::kernels
