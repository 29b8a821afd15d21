#include "weft/flow/app/scaling_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/flow/host/host_stepper.hpp"
#include "weft/flow/scheme/scheme.hpp"
#include "weft/mesh/generate/generate.hpp"

namespace weft::flow {
namespace {

/// The quantities that determine the time of a step on one rank.
struct Load {
  double cells = 0, rows_sent = 0, rows_received = 0, messages = 0;
};

double step_seconds(const Load& load, const Numerics& numerics, const StepTraffic& traffic, const MachineModel& machine,
                    double ranks) {
  const auto row = static_cast<double>(traffic.row_bytes);
  return numerics.rk_stages * load.cells / machine.cell_residuals_per_second +
         traffic.exchanges * load.messages * machine.latency_s + load.rows_sent * row / machine.bandwidth +
         (load.rows_sent + load.rows_received) * row / machine.pack_rate + machine.latency_s * std::log2(ranks);
}

double cells_of(const std::vector<mesh::PlannedSubdomain>& parts) {
  double cells = 0;
  for (const mesh::PlannedSubdomain& part : parts) cells += static_cast<double>(part.cells);
  return cells;
}

}  // namespace

task::DryPlan dry_stage(const Numerics& numerics, int dim, int scalars) {
  constexpr std::int64_t kCells = 4;  // in each direction
  const Communicator self = Communicator::self();
  mesh::BuildOptions periodic;
  periodic.periodic = {{"xmin", "xmax", {1, 0, 0}}, {"ymin", "ymax", {0, 1, 0}}};
  if (dim == 3) periodic.periodic.push_back({"zmin", "zmax", {0, 0, 1}});
  const mesh::BoxSpec box{.nx = kCells, .ny = kCells, .nz = dim == 3 ? kCells : 0};
  const mesh::Mesh mesh = mesh::build(self, mesh::generate(self, box), periodic);
  SolverOptions options{.numerics = numerics};
  for (int k = 0; k < scalars; ++k) options.scalars.push_back({.name = std::to_string(k)});
  const Scheme scheme(mesh, std::move(options));
  constexpr int kRanks = 2;
  return HostStepper(scheme).dry_stage(kRanks, {.owned = 1, .others_have_inner = true, .neighbours = {{Rank(1), 1, 1}}});
}

StepTraffic step_traffic(const Numerics& numerics, int dim, int scalars) {
  const task::DryPlan stage = dry_stage(numerics, dim, scalars);
  const std::int64_t more = numerics.rk_stages - 1;
  return {.exchanges = static_cast<int>(stage.first.messages + more * stage.repeated.messages),
          .row_bytes = stage.first.bytes + more * stage.repeated.bytes};
}

ScalingEstimate estimate_scaling(const std::vector<mesh::PlannedSubdomain>& parts, const Numerics& numerics, int dim,
                                 const MachineModel& machine, int scalars) {
  WEFT_EXPECTS(!parts.empty());
  const StepTraffic traffic = step_traffic(numerics, dim, scalars);
  ScalingEstimate f{.ranks = static_cast<std::int64_t>(parts.size()), .fewest_cells = parts.front().cells};
  const auto ranks = static_cast<double>(f.ranks);
  for (const mesh::PlannedSubdomain& part : parts) {
    f.most_cells = std::max(f.most_cells, part.cells);
    f.fewest_cells = std::min(f.fewest_cells, part.cells);
    f.most_ghosts = std::max(f.most_ghosts, part.ghosts);
    f.most_neighbours = std::max(f.most_neighbours, part.messages);
    f.messages = std::max(f.messages, part.messages * traffic.exchanges);
    f.bytes = std::max(f.bytes, part.rows_sent * traffic.row_bytes);
    f.all_messages += part.messages * traffic.exchanges;
    f.all_bytes += part.rows_sent * traffic.row_bytes;
    f.memory =
        std::max(f.memory, machine.memory_at_rest + machine.memory_per_cell * static_cast<double>(part.cells + part.ghosts));
    const Load load{.cells = static_cast<double>(part.cells),
                    .rows_sent = static_cast<double>(part.rows_sent),
                    .rows_received = static_cast<double>(part.ghosts),
                    .messages = static_cast<double>(part.messages)};
    f.step_s = std::max(f.step_s, step_seconds(load, numerics, traffic, machine, ranks));
  }
  const double alone = step_seconds({.cells = cells_of(parts)}, numerics, traffic, machine, 1);
  f.efficiency = alone / (ranks * f.step_s);
  return f;
}

std::int64_t last_efficient(const std::vector<mesh::PlannedSubdomain>& known, const Numerics& numerics, int dim,
                            const MachineModel& machine, double least, int scalars) {
  const StepTraffic traffic = step_traffic(numerics, dim, scalars);
  const double cells = cells_of(known);
  const double mean = cells / static_cast<double>(known.size());
  Load most;
  for (const mesh::PlannedSubdomain& part : known) {
    most.cells = std::max(most.cells, static_cast<double>(part.cells));
    most.rows_sent = std::max(most.rows_sent, static_cast<double>(part.rows_sent));
    most.rows_received = std::max(most.rows_received, static_cast<double>(part.ghosts));
    most.messages = std::max(most.messages, static_cast<double>(part.messages));
  }
  const double alone = step_seconds({.cells = cells}, numerics, traffic, machine, 1);
  const auto efficient = [&](std::int64_t count) {
    const auto ranks = static_cast<double>(count);
    const double share = cells / ranks, surface = std::pow(share / mean, (dim - 1.0) / dim);
    const Load load{.cells = std::max(1.0, share * most.cells / mean),
                    .rows_sent = most.rows_sent * surface,
                    .rows_received = most.rows_received * surface,
                    .messages = most.messages};
    return alone >= least * ranks * step_seconds(load, numerics, traffic, machine, ranks);
  };
  // More ranks than cells are never efficient.
  std::int64_t good = 1, bad = static_cast<std::int64_t>(cells / least) + 2;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (efficient(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace weft::flow
