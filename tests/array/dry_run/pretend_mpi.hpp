#pragma once
/// An MPI library of one process that pretends to be one rank of many, for dry runs of set-up on more ranks than there are cores.
#include <array>
#include <cstdint>

namespace weft::pretend {

/// Ranks on a periodic grid of three dimensions, the last one fastest.
struct Torus {
  std::array<int, 3> extent{1, 1, 1};

  [[nodiscard]] int ranks() const { return extent[0] * extent[1] * extent[2]; }
  /// Returns the rank that lies `steps` away from `rank`.
  [[nodiscard]] int shifted(int rank, std::array<int, 3> steps) const;
  /// Returns the rank that lies as far from `centre` as `rank` does, on the opposite side.
  [[nodiscard]] int opposite(int centre, int rank) const;
};

/// Makes this process rank `rank` of the torus: for every communicator, from now on.
///
/// The program replaces the functions of MPI that the comm module calls. The other ranks are taken to do what this one does,
/// shifted by their distance on the torus: whoever sends to the rank to the right receives the same bytes from the rank to the
/// left. So the code of this rank runs as it would among the others wherever they are shifted copies of it (values that they
/// bring to reductions and gathers are equal, what they send is equal); numbers of ranks must be powers of two. What is not
/// replaced here ends the program. Messages take no time, and their copies are not counted as memory of this rank.
void become(const Torus& torus, int rank);

}  // namespace weft::pretend
