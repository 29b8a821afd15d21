// Two coupled arrays with a reduction into ghost rows: basins of water and channels between them. A channel moves a seventh of
// the difference of the two levels, rounded to a whole number. Each rank computes the channels that begin in its basins; what
// flows into a basin of another rank is added to a ghost row. The tasks state that "flow" reads the levels and reduces into the
// gains, and that "rise" reads the gains. The graph inserts the pull of the levels, and, before "rise", the push that adds the
// contributions of all ranks. The levels are exactly those of a serial loop, on any number of ranks.
//
//   mpirun -n 2 task_coupled
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/comm/environment.hpp"
#include "weft/task/graph.hpp"

namespace {

using namespace weft::task;
constexpr std::int64_t kBasins = 1000;
constexpr int kSteps = 50;

/// Returns the basins to which channels lead from a basin.
[[nodiscard]] std::vector<std::int64_t> channels_of(std::int64_t basin) {
  return {(basin + 1) % kBasins, (7 * basin + 3) % kBasins};
}
[[nodiscard]] double level_at_first(std::int64_t basin) { return static_cast<double>(basin * 7919 % 10007); }
[[nodiscard]] double flow(double from, double to) { return std::round((from - to) / 7); }

/// Returns the levels of all basins after kSteps.
[[nodiscard]] std::vector<double> serial_levels() {
  std::vector<double> level;
  for (std::int64_t basin = 0; basin < kBasins; ++basin) level.push_back(level_at_first(basin));
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> gain(level.size());
    for (std::size_t from = 0; from < level.size(); ++from) {
      for (const std::int64_t to : channels_of(static_cast<std::int64_t>(from))) {
        const double water = flow(level[from], level[to]);
        gain[from] -= water;
        gain[to] += water;
      }
    }
    for (std::size_t i = 0; i < level.size(); ++i) level[i] += gain[i];
  }
  return level;
}

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  const auto first_of = [&](int rank) { return kBasins * rank / comm.size(); };
  const std::int64_t first = first_of(comm.rank().value()), last = first_of(comm.rank().value() + 1);
  std::vector<weft::GlobalRow> ends;  // ends of the channels that begin here
  for (std::int64_t basin = first; basin < last; ++basin) {
    for (const std::int64_t to : channels_of(basin)) ends.emplace_back(to);
  }
  const auto plan_of_rows = weft::GhostPlan::build(comm, static_cast<std::int32_t>(last - first), ends);
  weft::ArrayPair<double> level(plan_of_rows), gain(plan_of_rows);
  for (std::int32_t i = 0; i < plan_of_rows.owned_rows(); ++i) level(weft::LocalRow(i), 0) = level_at_first(first + i);

  Graph g(comm);
  const DataId to_level = g.add_array("level", level), to_gain = g.add_array("gain", gain);
  g.add_task("clear", {writes(to_gain)}, [&](Rows rows) {
    for (const weft::LocalRow row : rows) gain(row, 0) = 0;
  });
  g.add_task("flow", {reads(to_level), reduces(to_gain, weft::Reduce::add)}, [&] {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const weft::LocalRow from(static_cast<std::int32_t>(i / 2)), to = plan_of_rows.local_of(i);
      const double water = flow(std::as_const(level)(from, 0), std::as_const(level)(to, 0));
      gain(from, 0) -= water;
      gain(to, 0) += water;
    }
  });
  g.add_task("rise", {reads(to_gain, Part::owned), reads_writes(to_level)}, [&](Rows rows) {
    for (const weft::LocalRow row : rows) level(row, 0) += std::as_const(gain)(row, 0);
  });
  Plan plan = g.compile();
  plan.run(kSteps);

  const std::vector<double> expected = serial_levels();
  bool same = true;
  for (std::int64_t i = first; i < last; ++i) same = same && level(weft::LocalRow(i - first), 0) == expected[i];
  same = comm.all(same);
  if (comm.is_root()) std::printf("%sthe levels are %s\n", plan.text().c_str(), same ? "those of a serial loop" : "WRONG");
  return same ? 0 : 1;
}
