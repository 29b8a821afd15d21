#pragma once
/// The limits of states in a flow with user sources or time-dependent boundary states.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "weft/flow/physics/state_limits.hpp"
#include "weft/flow/scheme/scheme.hpp"

namespace weft::flow {

/// Raises the limits of a flow that user sources or time-dependent boundary states (both called sources here) take beyond
/// kMostGrowth times its start, and distinguishes it from a flow that diverges.
///
/// A step that exceeds the limits may be repeated with limits of kGrowthOfRaise times the largest density, pressure and speed
/// that the state before the step would have with the sources of this step. Sources explain a raise if at the rate of this step
/// they would cause at least a quarter of the growth since the last raise in as many steps. The limit of each quantity is raised
/// unless neither this raise nor the last one is explained, and the growth between them took at most kSlowSteps, on average 2.4 %
/// a step or more. So one raise that sources do not explain is permitted: of a flow that has grown since its start for any time,
/// and where a strong source has just ended. A runaway grows by a factor a step that does not come from the sources, and so meets
/// the limits again within few steps: at a factor of 1.4, 14 steps apart. Without failures of this kind nothing is computed. The
/// limits do not influence states, so that a restart need not keep them.
class LimitsWithSources {
 public:
  static constexpr double kGrowthOfRaise = 100;
  static constexpr std::int64_t kSlowSteps = 200;

  /// The step that exceeded the limits.
  struct Step {
    std::int64_t number = 0;            ///< steps done before it
    double time = 0, dt = 0;            ///< s, at its start; its length
    std::optional<double> local_cfl{};  ///< each cell steps min(dt, local_cfl * its own stable step)
  };
  using States = std::function<Primitive(mesh::LocalCellId)>;

  /// Forgets what was raised. @param unknown  ReferenceStates::unknown
  void start(bool unknown) {
    unknown_ = unknown;
    last_ = {};
  }
  /// Returns whether raise() can raise limits. Equal on every rank.
  [[nodiscard]] bool active() const { return unknown_; }
  /// Raises the limits for a flow that starts again from these states, which an earlier run has accepted.
  /// @param states  of the owned cells.  @pre active()  @collective
  void accept(StateLimits& limits, const Scheme& scheme, const States& states, std::int64_t step);
  /// Raises the limits for a repetition of `step`. @param states  of the owned cells, before the step.
  /// @returns whether a limit was raised; otherwise the flow has diverged. Equal on every rank.
  /// @pre active()  @collective  @throws the exceptions of sources and prescribed states, on every rank.
  /// @cost three evaluations of the source on the host, and one reduction.
  [[nodiscard]] bool raise(StateLimits& limits, const Scheme& scheme, const States& states, const Step& step);

 private:
  bool unknown_ = false;
  struct Raise {
    std::int64_t step;  ///< steps done before it
    bool explained;
  };
  std::array<std::optional<Raise>, 3> last_{};  ///< the last raise of density, pressure and speed
};

}  // namespace weft::flow
