#pragma once
/// The method GMRES(m) for block-sparse matrices, on hosts and GPUs with the same digits.
#include <cstdint>
#include <span>

#include "weft/device/host_device_vector.hpp"
#include "weft/kernels/linear/bsr_matrix.hpp"
#include "weft/kernels/linear/krylov.hpp"
#include "weft/kernels/linear/preconditioner.hpp"

namespace weft::kernels {

namespace detail {

/// The scalars of GMRES, which remain in the memory of the machine that computes.
struct GmresScalars {
  KrylovStatus status;
  double limit = 0;          ///< square of the residual at which the method has converged
  double inverse = 0;        ///< factor by which the next basis vector is normalised
  std::int32_t columns = 0;  ///< columns of the triangular system of this cycle
  enum : std::int32_t { extending, complete, degenerate } basis = extending;  ///< degenerate: no pivot in the last column

  /// Returns true if the basis is to be extended.
  [[nodiscard]] WEFT_HD bool extends() const { return status.state == KrylovState::running && basis == extending; }
};

/// Addresses of the numbers of GMRES in that memory.
struct GmresNumbers {
  GmresScalars* s = nullptr;
  double *first = nullptr, *second = nullptr;  ///< scalar products of the two orthogonalisations, m + 2 each
  double* r = nullptr;                         ///< upper triangular matrix, m columns of m + 1 entries
  double *cosine = nullptr, *sine = nullptr;   ///< Givens rotations, m each
  double *right = nullptr, *y = nullptr;       ///< right-hand side and solution of the triangular system, m + 1 and m
  double* partial = nullptr;                   ///< scalar products of tiles, m + 2 for each tile
  int m = 0;
};

/// The system and the vectors of GMRES.
template <class T, int B>
struct GmresSystem {
  BsrView<const T, B> a;
  Preconditioner<T>* preconditioner = nullptr;
  KrylovRanks<T>* ranks = nullptr;
  std::span<const T> b;
  std::span<T> x;
  T *basis = nullptr, *w = nullptr, *z = nullptr;  ///< m + 1 vectors of `stride` entries, and one each
  std::int64_t n = 0, stride = 0;
  GmresNumbers numbers;
};

}  // namespace detail

/// The largest number of iterations between restarts of GMRES.
inline constexpr int kGmresRestart = 120;

/// Solves A x = b with GMRES(m) (Saad and Schultz, SIAM J. Sci. Stat. Comput. 7, 1986), preconditioned from the right or not at
/// all, on one rank or on several.
///
///     Gmres<double, 5> solver(rows, 30, Backend::cuda);                         // memory, once
///     solver.start(space::cuda{}, stream, a, &jacobi, b, x, 1e-8);
///     do solver.cycle(space::cuda{}, stream, 1);                                // waits for nothing
///     while (solver.status(after(stream)).state == KrylovState::running);       // waits
///
/// Scalar products, Givens rotations and the solution of the triangular system remain on the GPU, and are computed in a fixed
/// order, so that an iteration has the digits of the host. Each cycle of at most m iterations ends with the residual b - A x,
/// which decides on convergence. Once the method has converged or broken down, further cycles leave x and the status unchanged.
template <LinearScalar T, int B>
  requires BlockSize<B>
class Gmres {
 public:
  /// Allocates restart + 3 vectors, on the host with Backend::host and on the device otherwise.
  /// @param rows  owned block rows.  @param restart  iterations of a cycle, 1 ... kGmresRestart.
  /// @param ranks  of a distributed system, whose numbers() have at least restart + 2 entries per rank; null: one rank. It must
  /// outlive this object.  @throws DeviceError or std::bad_alloc where memory is exhausted.
  Gmres(std::int32_t rows, int restart, Backend backend, KrylovRanks<T>* ranks = nullptr);
  Gmres(const Gmres&) = delete;
  Gmres& operator=(const Gmres&) = delete;

  /// Begins with the initial guess in `x`. The matrix, the preconditioner, b and x are used until the last call of cycle().
  /// @param preconditioner  factorised, for the same rows; null: no preconditioner.
  /// @param tolerance  norm of the residual divided by that of b, at which the method has converged.
  /// @pre the matrix has `rows` block rows, and as many columns or those of `ranks`; b and x have `rows` * B entries and do not
  /// overlap; tolerance >= 0. @cost one product. @collective with `ranks`.
  void start(const BsrView<const T, B>& a, Preconditioner<T>* preconditioner, std::span<const T> b, std::span<T> x,
             double tolerance, Team& team = calling_thread());
  void start(space::cuda, Stream& stream, const BsrView<const T, B>& a, Preconditioner<T>* preconditioner, std::span<const T> b,
             std::span<T> x, double tolerance);

  /// Computes `count` cycles; fewer on the host if the method ends before. On a GPU the kernels are enqueued; they can be
  /// captured in a Graph if exchanges of `ranks` can.
  /// @pre start() has been called. @cost for iteration j = 0, 1, ... of a cycle one product, one application of the
  /// preconditioner and 3 (j + 1) to 4 (j + 1) + 6 reads and writes of vectors; for the end of a cycle one product more and m
  /// + 8.
  /// @collective with `ranks`.
  void cycle(int count, Team& team = calling_thread());
  void cycle(space::cuda, Stream& stream, int count);

  /// Returns the status. Blocks the host until `before` has completed.
  [[nodiscard]] KrylovStatus status(const After& before = {});
  /// Returns the address of the status in the memory of the machine that computes.
  [[nodiscard]] const KrylovStatus* status_address();

 private:
  [[nodiscard]] bool is_system(const BsrView<const T, B>& a, std::span<const T> b, std::span<T> x, double tolerance) const;
  void prepare(const BsrView<const T, B>& a, Preconditioner<T>* preconditioner, std::span<const T> b, std::span<T> x);

  std::size_t entries_;  ///< number of entries of a vector
  int restart_;
  KrylovRanks<T>* ranks_;
  HostDeviceVector<T> vectors_;
  HostDeviceVector<double> numbers_;
  HostDeviceVector<detail::GmresScalars> scalars_;
  detail::GmresSystem<T, B> system_;
};

}  // namespace weft::kernels
