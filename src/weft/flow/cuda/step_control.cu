#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "weft/device/parallel_for.cuh"
#include "weft/flow/cuda/step_control.hpp"
#include "weft/flow/cuda/step_loops.cuh"
#include "weft/flow/scheme/integrals.hpp"

namespace weft::flow::detail {

template <class Visit>
void StepControl::each_array(std::int32_t tiles, Visit&& visit) {
  visit(tile_rates_, static_cast<std::size_t>(tiles) * kVars);
  visit(clock_, 1);
  visit(status_, 1);
  visit(rate_squared_, 1);
  visit(rate_scratch_, reduce_scratch(tiles));
  visit(entries_, Stepper::kMostAhead);
  visit(bad_, scheme_.mesh().owned_cells);
}

std::size_t StepControl::bytes(std::int32_t tiles) {
  CountBytes count;
  each_array(tiles, count);
  return count.bytes + scheme_.mesh().comm.size() * sizeof(double);  // stable_dt_
}

void StepControl::allocate(Stream& stream, std::int32_t tiles) {
  tiles_ = tiles;
  each_array(tiles, Allocate());
  set_bytes(stream, clock_.data(), 0, sizeof(StepClock));
  set_bytes(stream, entries_.data(), 0, entries_.size() * sizeof(StepEntry));  // report() reads those of halted steps, too
  set_bytes(stream, bad_.data(), 0, bad_.size() * sizeof(std::int32_t));
}

void StepControl::connect(bool all_ranks) {
  const Communicator& comm = scheme_.mesh().comm;
  ranks_ = all_ranks ? comm.size() : 1;
  std::vector<GlobalRow> others;
  for (int rank = 0; all_ranks && rank < comm.size(); ++rank) others.emplace_back(rank);
  Allocate()(stable_dt_, GhostPlan::build(comm, 1, std::span<const GlobalRow>(others)));
}

void StepControl::add_data(task::Graph& graph, StepData& data) {
  data.clock = graph.add_memory("clock");
  data.stable_dt = graph.add_array("stable steps", stable_dt_);
  data.rate_sums = graph.add_memory("sums of rates");
  data.inner.rates = graph.add_memory("rates (inner)");
  data.border.rates = graph.add_memory("rates (border)");
}

void StepControl::record_begin(task::Graph& graph, const StepData& data) {
  graph.add_task("begin step", {task::reads_writes(data.clock), task::reads(data.stable_dt)}, on(task::device),
                 [this](Stream& stream) { begin_step(stream); });
}

void StepControl::record_rates(task::Graph& graph, const StepData& data, const bool& rates) {
  using task::reads;
  graph.add_task("sum rates", {reads(data.inner.rates), reads(data.border.rates), task::writes(data.rate_sums)},
                 on(task::device_aside), [this, &rates](Stream& stream) {
                   if (rates) sum_rates(stream);
                 });
}

void StepControl::record_end(task::Graph& graph, const StepData& data, const bool& rates) {
  using task::reads;
  graph.add_task("end step",
                 existing({task::reads_writes(data.clock), reads(data.rate_sums), reads(data.inner.update),
                           reads(data.border.update), task::writes(data.stable_dt)}),
                 on(task::device), [this, &rates](Stream& stream) { end_step(stream, rates); });
}

void StepControl::set_command(Stream& stream, const DeviceCommand& command) {
  stream.wait();
  DeviceCommand& present = *command_on_host_.data();
  const std::uint64_t number = present.number + 1;
  present = command;
  present.number = number;
}

void StepControl::begin_step(Stream& stream) {
  parallel_for(space::cuda{}, stream, 1,
               BeginStep{command_on_host_.data(), on_device(stable_dt_), ranks_, clock_.data(), status_.data()});
}

void StepControl::end_step(Stream& stream, bool rates) {
  parallel_for(
      space::cuda{}, stream, 1,
      EndStep{clock_.data(), status_.data(), rates ? rate_squared_.data() : nullptr, entries_.data(), on_device(stable_dt_)});
}

void StepControl::sum_rates(Stream& stream) {
  reduce_into(space::cuda{}, stream, tiles_, Sums{}, SumOfTile{tile_rates_.data()}, Add{}, rate_squared_.data(),
              rate_scratch_.data());
}

void StepControl::report(Stream& stream, int steps) {
  copy_bytes(stream, clock_on_host_.data(), clock_.data(), sizeof(StepClock));
  copy_bytes(stream, entries_on_host_.data(), entries_.data(), steps * sizeof(StepEntry));
}

void StepControl::report_rates(Stream& stream, int number) {
  sum_rates(stream);
  copy_bytes(stream, entries_on_host_.data()[number].rate_squared, rate_squared_.data(), sizeof(Sums));
  stream.wait();
}

void StepControl::clear_bad(Stream& stream) { set_bytes(stream, bad_.data(), 0, bad_.size() * sizeof(std::int32_t)); }

std::vector<UnphysicalCell> StepControl::unphysical(Stream& stream) const {
  std::vector<std::int32_t> flags(bad_.size());
  std::vector<UnphysicalCell> cells;
  bad_.get(0, flags, after(stream));
  for (std::size_t c = 0; c < flags.size(); ++c) {
    if (flags[c] == 0) continue;
    cells.push_back({.cell = mesh::LocalCellId(c), .stage = std::abs(flags[c]) - 1, .diverged = flags[c] < 0});
  }
  return cells;
}

StepResult StepControl::result(int number) const {
  const StepEntry& entry = entries_on_host_.data()[number];
  StepResult step{.dt = entry.clock.advance,
                  .stable_before = entry.clock.stable_dt,
                  .stable_dt = std::bit_cast<double>(entry.status.stable_dt)};
  std::copy(std::begin(entry.rate_squared), std::end(entry.rate_squared), step.rate_squared.begin());
  return step;
}

}  // namespace weft::flow::detail
