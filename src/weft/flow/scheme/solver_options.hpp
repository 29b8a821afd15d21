#pragma once
/// The choices with which a solver is created.
#include <functional>
#include <optional>
#include <vector>

#include "weft/array/transport.hpp"
#include "weft/base/error.hpp"
#include "weft/device/storage.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/scalar.hpp"
#include "weft/flow/physics/source.hpp"
#include "weft/flow/scheme/boundary_condition.hpp"
#include "weft/flow/scheme/numerics.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// The equations, the numerical scheme and the hardware of a solver. Equal on every rank.
struct SolverOptions {
  IdealGas gas{};
  BoundaryConditions boundary{};                      ///< one for each zone of mesh.boundary
  Numerics numerics{};                                ///< well_balanced excludes order_ramp
  mesh::Neighbours stencil = mesh::Neighbours::face;  ///< the neighbours that cell_cells of the mesh lists
  /// On a GPU an acceleration costs one more pass over the owned cells in each stage. A function is called on the host; for this
  /// the GPU copies the owned values to the host, waits, and receives the source terms.
  SourceTerm source{};
  /// Returns an error of a user function on this rank, once: the step in which it occurred then fails on every rank, without
  /// repetition. Prescribed states and sources must not throw within a step, where other ranks would wait. Empty: none fails.
  std::function<std::optional<InputError>()> take_error{};
  std::vector<Scalar> scalars{};               ///< passive scalars; mass that a source adds contains none of them
  Backend backend = Backend::host;             ///< Backend::cuda: all stages are computed on the current GPU
  Transport transport = Transport::automatic;  ///< transport of ghost values
  /// Threads per rank on the host, for the creation of the solver and, with Backend::host, for its steps. Results do not depend
  /// on it. User functions are called on the creating thread.
  int threads = 1;
};

}  // namespace weft::flow
