#pragma once
/// What a flow would cost on a number of ranks: messages and bytes counted, memory and time modelled.
#include <cstdint>
#include <vector>

#include "weft/flow/scheme/numerics.hpp"
#include "weft/mesh/partition/planned_subdomains.hpp"

namespace weft::flow {

/// What the model of time and memory knows of a machine. One core per rank.
struct MachineModel {
  double cell_residuals_per_second = 0;  ///< of one rank
  double latency_s = 0;                  ///< of a message
  double bandwidth = 0;                  ///< bytes/s of a rank's messages, packing apart
  double pack_rate = 0;                  ///< bytes/s packed, or unpacked
  double memory_per_cell = 0;            ///< bytes for each owned or ghost cell
  double memory_at_rest = 0;             ///< bytes of a process without a mesh
};

/// Of the rank that has most of each, unless said otherwise.
struct ScalingEstimate {
  std::int64_t ranks = 1;
  std::int64_t most_cells = 0, fewest_cells = 0, most_ghosts = 0;
  std::int64_t most_neighbours = 0;              ///< ranks that one sends to
  std::int64_t messages = 0, bytes = 0;          ///< sent in a step
  std::int64_t all_messages = 0, all_bytes = 0;  ///< by all ranks together, in a step
  double memory = 0;                             ///< bytes
  double step_s = 0;                             ///< of the slowest rank
  double efficiency = 1;                         ///< of a step on one rank over ranks times a step on them, both by the model
};

/// Exchanges of ghosts in a step and what they move: each stage of a Runge-Kutta step pulls the values, and the gradients where
/// there are any; and the same of passive scalars, of which all travel together.
struct StepTraffic {
  int exchanges = 0;           ///< in a step
  std::int64_t row_bytes = 0;  ///< of all of them together, for one row
};
[[nodiscard]] StepTraffic step_traffic(const Numerics& numerics, int dim, int scalars = 0);

/// A step of rank r takes
///     stages * cells / rate + exchanges * messages * latency + bytes sent / bandwidth + (bytes sent + received) / pack rate
/// and the smallest time step, agreed upon by all, another latency * log2(ranks). Nothing is taken to overlap.
/// @pre parts as mesh::planned_subdomains gives them.
[[nodiscard]] ScalingEstimate estimate_scaling(const std::vector<mesh::PlannedSubdomain>& parts, const Numerics& numerics,
                                               int dim, const MachineModel& machine, int scalars = 0);

/// The largest number of ranks for which the efficiency is at least `least`, 1 if none: messages of the rank that has most as in
/// `known`, rows that travel as its surface, (cells per rank)^((dim - 1) / dim), and the imbalance of `known`.
[[nodiscard]] std::int64_t last_efficient(const std::vector<mesh::PlannedSubdomain>& known, const Numerics& numerics, int dim,
                                          const MachineModel& machine, double least, int scalars = 0);

}  // namespace weft::flow
