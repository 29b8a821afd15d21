#pragma once
/// The clock and the status of steps in the memory of the current GPU.
#include <cstdint>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/device/buffers.hpp"
#include "weft/flow/cuda/array_list.hpp"
#include "weft/flow/cuda/step_data.hpp"
#include "weft/flow/cuda/tile_launch.hpp"
#include "weft/flow/scheme/stepper.hpp"

namespace weft::flow::detail {

/// Holds the command of the host, the clock of its steps, their status and their results. Functions take the stream in whose
/// order the steps are computed.
class StepControl {
 public:
  /// @param scheme  outlives this object.
  explicit StepControl(const Scheme& scheme) : scheme_(scheme) { command_on_host_.data()->number = 0; }
  /// Returns the bytes that allocate() takes. @param tiles  number of tiles.
  [[nodiscard]] std::size_t bytes(std::int32_t tiles);
  /// Called before the functions below. @throws DeviceError where there is not enough memory.
  void allocate(Stream& stream, std::int32_t tiles);
  /// Allocates the stable steps. @param all_ranks  steps are chosen by those of all ranks, which are then exchanged; otherwise
  ///   the host chooses their lengths, unless there is one rank.  @collective
  void connect(bool all_ranks);
  /// Adds its data to a graph.
  void add_data(task::Graph& graph, StepData& data);
  /// Records a task that starts a step.
  void record_begin(task::Graph& graph, const StepData& data);
  /// Records a task that sums the rates of the tiles, which nothing but the end of the step waits for.
  /// @param rates  whether they are wanted. The bodies of both tasks read it.
  void record_rates(task::Graph& graph, const StepData& data, const bool& rates);
  /// Records a task that ends a step.
  void record_end(task::Graph& graph, const StepData& data, const bool& rates);

  /// Waits for the work of the stream and sets the command for the steps that follow.
  void set_command(Stream& stream, const DeviceCommand& command);
  /// Starts a step: sets its length, or halts it.
  void begin_step(Stream& stream);
  /// Ends a step: stores its result. @param rates  whether sum_rates() was called.
  void end_step(Stream& stream, bool rates);
  /// Adds the squared rates of the tiles in a fixed order.
  void sum_rates(Stream& stream);
  /// Starts copying the results of this many steps to the host.
  void report(Stream& stream, int steps);
  /// Copies the squared rates of step `number` to its result, which was reported without them. Waits.
  void report_rates(Stream& stream, int number);

  /// Sets the flags of unphysical cells to 0.
  void clear_bad(Stream& stream);
  /// Returns the unphysical cells of the last step in ascending order. Waits for the work of the stream.
  [[nodiscard]] std::vector<UnphysicalCell> unphysical(Stream& stream) const;

  /// Returns the number of steps that were done of the last command. @pre the work of the stream is complete, as for the
  /// functions below.
  [[nodiscard]] int done() const { return clock_on_host_.data()->done; }
  [[nodiscard]] StepResult result(int number) const;  ///< steps are numbered from 0
  [[nodiscard]] bool physical(int number) const { return entries_on_host_.data()[number].status.bad == 0; }

  [[nodiscard]] const StepClock* clock() const { return clock_.data(); }
  [[nodiscard]] StepStatus* status() const { return status_.data(); }
  [[nodiscard]] std::int32_t* bad() const { return bad_.data(); }
  /// Returns the squared rates of each tile, kVars each.
  [[nodiscard]] double* tile_rates() const { return tile_rates_.data(); }

 private:
  template <class Visit>
  void each_array(std::int32_t tiles, Visit&& visit);

  const Scheme& scheme_;
  DeviceVector<StepClock> clock_;
  DeviceVector<StepStatus> status_;
  DeviceVector<double> tile_rates_;
  DeviceVector<Sums> rate_squared_, rate_scratch_;  ///< scratch: of reduce_into
  DeviceVector<StepEntry> entries_;
  ArrayPair<double> stable_dt_;  ///< one of this rank, then those of the others
  DeviceVector<std::int32_t> bad_;
  mutable PinnedBuffer<DeviceCommand> command_on_host_{1};
  mutable PinnedBuffer<StepClock> clock_on_host_{1};
  mutable PinnedBuffer<StepEntry> entries_on_host_{Stepper::kMostAhead};
  std::int32_t tiles_ = 0;
  int ranks_ = 1;  ///< ranks whose stable steps are known here
};

}  // namespace weft::flow::detail
