#pragma once
/// The vortices in the far fields of a case, whose circulations follow the lift (far_field_vortex.hpp).
#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/flow/app/case.hpp"
#include "weft/flow/scheme/solver.hpp"

namespace weft::flow {

/// The far fields with a vortex.
class ZoneVortices {
 public:
  /// @param flow_case  of read_case(), which has checked the names of the forces; outlives this object.
  ZoneVortices(const mesh::Mesh& mesh, const Case& flow_case);

  /// Returns the number of steps until the next update, at least 1; of no vortex the largest number.
  [[nodiscard]] std::int64_t steps_until_update(std::int64_t step) const;
  /// Sets the circulations by the present lift, where the number of steps asks for it. A checkpoint holds them, so that a run
  /// that is resumed between two updates continues as one that was not interrupted.  @collective
  void update(Solver& solver) const;

 private:
  /// The vortex of a boundary zone.
  struct Vortex {
    mesh::BoundaryZoneId zone;
    const ForceSpec* force;  ///< its lift is that of the vortex
    Primitive stream;
    std::int64_t steps;  ///< between two updates
  };
  std::vector<Vortex> vortices_;
};

}  // namespace weft::flow
