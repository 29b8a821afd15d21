#include "weft/flow/app/steps_ahead.hpp"

#include <algorithm>

namespace weft::flow {

int steps_in(double seconds, std::int64_t global_cells, int ranks) {
  constexpr double kCellsPerSecond = 640e6;  // cells of a rank times steps
  const double steps = kCellsPerSecond * seconds * ranks / static_cast<double>(std::max<std::int64_t>(global_cells, 1));
  return static_cast<int>(std::clamp(steps, 1.0, static_cast<double>(Solver::kMostAhead)));
}

int most_steps_ahead(const Solver& solver, double seconds) {
  if (!solver.works_ahead()) return 1;
  return steps_in(seconds, solver.mesh().global_cells, solver.mesh().comm.size());
}

bool records_state(const Case& flow_case) {
  return !flow_case.forces.empty() || !flow_case.probes.empty() || !flow_case.monitors.empty() || flow_case.integrals;
}

}  // namespace weft::flow
