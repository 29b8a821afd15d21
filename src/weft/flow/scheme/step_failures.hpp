#pragma once
/// The failures of a step: cells whose state became unphysical or diverged.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// An owned cell whose state a stage made unphysical.
struct UnphysicalCell {
  mesh::LocalCellId cell;
  int stage;      ///< index of the stage; the number of stages if the cell was found in a state that was set
  bool diverged;  ///< the state is physical, but outside SchemeParameters::limits
};

/// The failures of a step on this rank. The earliest one is kept with its state and is an error message if the step cannot be
/// repeated: stages in order; within one, diverged states before unphysical ones, then cells by global id.
class StepFailures {
 public:
  /// @param mesh  outlives this object.
  explicit StepFailures(const mesh::Mesh& mesh) : mesh_(mesh) {}

  /// Returns the state of an owned or ghost cell; none of a ghost cell that the stepper does not hold on the host.
  using States = std::function<std::optional<Primitive>(mesh::LocalCellId)>;

  void clear();
  /// Adds a cell, which may be added again in later stages. @param states  the present ones.
  void add(const UnphysicalCell& cell, const States& states);
  /// Adds invalid input, which precedes all cells.
  void add(std::string problem, Where where);

  [[nodiscard]] bool any() const { return order_ >= 0; }
  /// Returns the cells that were added for a stage.
  [[nodiscard]] std::vector<mesh::LocalCellId> cells_of_stage(int stage) const;

  /// Returns a negative number that is the smaller the earlier the failure is, in place of a stable time step: so that one
  /// minimum over the ranks yields both. @pre any()
  [[nodiscard]] double key() const;
  /// Returns the stage of the failure that a key or a step stands for.
  [[nodiscard]] static int stage_of(double key);
  /// Returns whether it stands for a state that diverged or for invalid input, where repeating the step does not help.
  [[nodiscard]] static bool diverged(double key);
  /// Returns whether it stands for a state that diverged.
  [[nodiscard]] static bool outside_limits(double key);
  /// Returns the earliest failure as an error. @param step, time  steps and seconds at the start of the step.  @pre any()
  [[nodiscard]] PhysicsError error(std::int64_t step, double time) const;

 private:
  const mesh::Mesh& mesh_;
  std::vector<UnphysicalCell> cells_;
  double order_ = -1;  ///< order of the earliest failure; -1: none
  std::string problem_;
  Where where_;
  std::optional<UnphysicalCell> first_;  ///< none: the earliest failure is problem_
  Primitive state_;                      ///< state of first_
  std::string neighbours_;               ///< neighbours and boundary zones of first_
};

}  // namespace weft::flow
