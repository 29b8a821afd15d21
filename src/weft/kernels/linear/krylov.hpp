#pragma once
/// The outcome of iterative solvers, and what they need from the other ranks of a distributed system.
#include <cstdint>
#include <span>

#include "weft/base/macros.hpp"
#include "weft/device/stream.hpp"

namespace weft::kernels {

/// The state of an iterative solver.
enum class KrylovState : std::int32_t {
  running,    ///< more iterations may be computed
  converged,  ///< the residual is at most the tolerance times the right-hand side
  broken,     ///< a number by which the method divides is 0 or not finite; x is that of the last complete iteration or cycle
};

/// The outcome of an iterative solver, in the memory of the machine that computes.
struct KrylovStatus {
  KrylovState state = KrylovState::running;
  std::int32_t iterations = 0;  ///< complete iterations
  double residual = 0;          ///< 2-norm of the residual that the recurrence updates
  double right_side = 0;        ///< 2-norm of the right-hand side

  friend bool operator==(const KrylovStatus&, const KrylovStatus&) = default;
};

/// The numbers of all ranks that are to be added, in the memory of the machine that computes: a row for each rank, of which this
/// rank writes its own.
struct RankNumbers {
  double* rows = nullptr;  ///< the row of this rank, then those of the others in ascending order
  std::int64_t width = 0;  ///< entries of a row
  std::int32_t ranks = 1, rank = 0;

  /// Returns the numbers of a rank. Example, rank 1 of 3: rows 1, 0 and 2 are those of ranks 0, 1 and 2.
  [[nodiscard]] WEFT_HD const double* of(std::int32_t of_rank) const {
    return rows + (of_rank == rank ? 0 : of_rank < rank ? of_rank + 1 : of_rank) * width;
  }
};

/// The other ranks of a system whose matrix and vectors are distributed by rows; DistributedVectors (array/krylov_ranks.hpp)
/// implements it by exchanges of arrays.
template <class T>
class KrylovRanks {
 public:
  KrylovRanks() = default;
  KrylovRanks(const KrylovRanks&) = delete;
  KrylovRanks& operator=(const KrylovRanks&) = delete;
  virtual ~KrylovRanks() = default;

  /// Returns memory for the right factor of products: the entries of the owned rows, then those of the ghost rows.
  [[nodiscard]] virtual std::span<T> columns() = 0;
  /// Copies the owned rows of columns() to their ghost rows on other ranks, in stream order. @collective
  virtual void exchange(Stream& stream) = 0;
  /// Returns memory for numbers that are to be added.
  [[nodiscard]] virtual RankNumbers numbers() = 0;
  /// Copies the row of each rank in numbers() to the other ranks, in stream order. @collective
  virtual void gather(Stream& stream) = 0;
};

}  // namespace weft::kernels
