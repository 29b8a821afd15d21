#pragma once
/// An MPI library of one process that simulates one rank of many, for dry runs of set-up on more ranks than there are cores.
#include <array>
#include <cstdint>

namespace weft::simulated {

/// Ranks on a periodic three-dimensional grid, the last dimension fastest.
struct Torus {
  std::array<int, 3> extent{1, 1, 1};

  [[nodiscard]] int ranks() const { return extent[0] * extent[1] * extent[2]; }
  /// Returns the rank at distance `steps` from `rank`.
  [[nodiscard]] int shifted(int rank, std::array<int, 3> steps) const;
  /// Returns the rank opposite to `rank` with respect to `centre`.
  [[nodiscard]] int opposite(int centre, int rank) const;
};

/// Makes this process rank `rank` of the torus, for every communicator.
///
/// The program replaces the MPI functions that the comm module calls. Other ranks are assumed to behave as this one, shifted
/// by their distance on the torus: a rank that sends to its right neighbour receives the same bytes from its left neighbour.
/// The code of this rank therefore runs as in a real job in which all ranks are shifted copies (equal values in reductions
/// and gathers, equal messages); numbers of ranks must be powers of two. Any MPI function that is not replaced ends the
/// program. Messages take no time, and their copies are not counted as memory of this rank.
void become(const Torus& torus, int rank);

}  // namespace weft::simulated
