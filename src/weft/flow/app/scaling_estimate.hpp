#pragma once
/// The estimated cost of a flow on a number of ranks: messages and bytes counted, memory and time modelled.
#include <cstdint>
#include <vector>

#include "weft/flow/scheme/numerics.hpp"
#include "weft/mesh/partition/planned_subdomains.hpp"
#include "weft/task/dry_plan.hpp"

namespace weft::flow {

/// The parameters of a machine in the model of time and memory. One core per rank.
struct MachineModel {
  double cell_residuals_per_second = 0;  ///< speed of one rank
  double latency_s = 0;                  ///< per message
  double bandwidth = 0;                  ///< bytes/s of a rank's messages, without packing
  double pack_rate = 0;                  ///< bytes/s packed, or unpacked
  double memory_per_cell = 0;            ///< bytes for each owned or ghost cell
  double memory_at_rest = 0;             ///< bytes of a process without a mesh
};

/// The largest values of any rank, unless stated otherwise.
struct ScalingEstimate {
  std::int64_t ranks = 1;
  std::int64_t most_cells = 0, fewest_cells = 0, most_ghosts = 0;
  std::int64_t most_neighbours = 0;              ///< ranks to which one rank sends
  std::int64_t messages = 0, bytes = 0;          ///< sent in a step
  std::int64_t all_messages = 0, all_bytes = 0;  ///< by all ranks together, in a step
  double memory = 0;                             ///< bytes
  double step_s = 0;                             ///< time of a step on the slowest rank
  double efficiency = 1;                         ///< parallel efficiency relative to one rank, by the model
};

/// Returns the tasks and exchanges of a stage of the solver on the host, on a rank that sends one row to one other rank: by a dry
/// run of its task graph (task::Graph::dry()), which is recorded on a mesh of a few cells.
/// @throws InputError for impossible numerics.  @cost 1 ms; no communication.
[[nodiscard]] task::DryPlan dry_stage(const Numerics& numerics, int dim, int scalars = 0);

/// Exchanges of ghosts in a step and their volume, on the host, by dry_stage().
struct StepTraffic {
  int exchanges = 0;           ///< in a step
  std::int64_t row_bytes = 0;  ///< sum over the exchanges, for one row
};
[[nodiscard]] StepTraffic step_traffic(const Numerics& numerics, int dim, int scalars = 0);

/// Estimates the scaling. A step of rank r takes
///     stages * cells / rate + exchanges * messages * latency + bytes sent / bandwidth + (bytes sent + received) / pack rate
/// and the reduction of the smallest time step another latency * log2(ranks), without overlap.
/// @pre parts as mesh::planned_subdomains() returns them.
[[nodiscard]] ScalingEstimate estimate_scaling(const std::vector<mesh::PlannedSubdomain>& parts, const Numerics& numerics,
                                               int dim, const MachineModel& machine, int scalars = 0);

/// Returns the largest number of ranks with an efficiency of at least `least`, 1 if none: the largest number of messages as in
/// `known`, rows sent proportional to the surface, (cells per rank)^((dim - 1) / dim), and the imbalance of `known`.
[[nodiscard]] std::int64_t last_efficient(const std::vector<mesh::PlannedSubdomain>& known, const Numerics& numerics, int dim,
                                          const MachineModel& machine, double least, int scalars = 0);

}  // namespace weft::flow
