#pragma once
/// The flow at the start of a run: by formula, by a function of the program, or interpolated from the results of a run on another
/// mesh.
#include <string>
#include <vector>

#include "weft/flow/app/case.hpp"
#include "weft/flow/app/initial.hpp"
#include "weft/flow/scheme/solver.hpp"

namespace weft::flow {

/// The start of a case on its mesh.
///
/// With initial.kind = "solution", the state and the scalars of a cell are w + g . (x - x_w), where x is its centroid, w the
/// value of the cell of the field file whose centroid x_w is nearest (of equally near ones, the first in the file), and g the
/// gradient there: by least squares over the cells that share a face with it, weights 1 / distance^2. Linear fields are exact,
/// and smooth ones of second order. g is 0 where those cells do not span the space, where x lies outside the mesh of the file
/// (beyond a face of its boundary by more than a tenth of the cell's size), and where density or pressure would more than double
/// or halve. Results do not depend on the number of ranks of either run.
class Start {
 public:
  /// @param mesh, flow_case  outlive this object.
  /// @throws InputError on every rank: a file of another dimension, gas or number of scalars, or without density, velocity and
  ///   pressure; IoError: no such file, damaged.  @collective
  /// @cost  for a solution: about 1 kB for each of an even share of its cells, and 400 bytes for each cell of this rank. If a
  ///   rank's share of the old cells is nearest to more cells of the new mesh than the rank owns, 150 bytes for each of those.
  Start(const mesh::Mesh& mesh, const Case& flow_case);

  [[nodiscard]] const InitialState& state() const { return state_; }
  /// Sets the solver's cells, scalars and clock.  @throws as Solver::initialise.  @collective
  void initialise(Solver& solver) const;
  /// Returns one line about the origin of a solution; empty for other kinds.
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  const mesh::Mesh& mesh_;
  std::string note_;
  std::vector<double> scalars_;  ///< owned cells x scalars; NaN: the solver's own initial value; empty: all of these
  InitialState state_;
};

}  // namespace weft::flow
