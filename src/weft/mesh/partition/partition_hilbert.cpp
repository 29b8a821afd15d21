#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/primitives/bucket_sort.hpp"
#include "weft/kernels/primitives/sum_up.hpp"
#include "weft/mesh/partition/cell_ordering.hpp"
#include "weft/mesh/partition/partition_methods.hpp"

namespace weft::mesh::detail {
namespace {

/// Returns the bounding box of the points of all ranks: its lowest corner and longest edge. @collective
std::pair<Vec3, double> box_around(const Communicator& comm, std::span<const Vec3> points, Team& team) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  using Ends = std::array<double, 6>;  // -low, high
  Ends none;
  none.fill(-kInfinity);
  std::vector<Ends> of_share(static_cast<std::size_t>(shares_of(team, std::ssize(points))), none);
  for_shares(team, std::ssize(points), [&](LoopShare share) {
    Ends ends = none;
    for (const Vec3& x :
         points.subspan(static_cast<std::size_t>(share.begin), static_cast<std::size_t>(share.end - share.begin))) {
      for (std::size_t d = 0; d < 3; ++d) {
        ends[d] = std::max(ends[d], -x[static_cast<int>(d)]);
        ends[d + 3] = std::max(ends[d + 3], x[static_cast<int>(d)]);
      }
    }
    of_share[static_cast<std::size_t>(share.number)] = ends;
  });
  Ends ends = none;
  for (const Ends& one : of_share) {
    for (std::size_t k = 0; k < ends.size(); ++k) ends[k] = std::max(ends[k], one[k]);
  }
  comm.max(std::span<double>(ends));
  return {{-ends[0], -ends[1], -ends[2]}, std::max({ends[0] + ends[3], ends[1] + ends[4], ends[2] + ends[5]})};
}

}  // namespace

std::vector<std::int32_t> partition_along_hilbert_curve(PartitionProblem problem) {
  const Communicator& comm = problem.comm;
  Team& team = problem.team;
  const int dim = problem.dim, parts = problem.parts;
  const std::vector<std::int32_t>& weight = problem.weight;
  struct Entry {
    std::uint64_t key;
    std::uint32_t cell;
  };
  TeamVector<Entry> curve;
  {
    const TeamVector<Vec3> middle = std::move(problem.middle);
    const std::pair<Vec3, double> box = box_around(comm, middle, team);
    resize_by_team(team, curve, middle.size());
    for_indices(team, std::ssize(middle), [&](std::int64_t i) {
      curve[i] = {hilbert_index(dim, middle[i], box.first, box.second), static_cast<std::uint32_t>(i)};
    });
  }
  kernels::bucket_sort(
      curve, [](const Entry& e) { return e.key; },
      [](const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : a.cell < b.cell; }, team);
  auto before = list_of_size<std::int64_t>(team, curve.size() + 1);  // weight of the preceding entries
  for_indices(team, std::ssize(curve), [&](std::int64_t i) { before[i + 1] = weight.empty() ? 1 : weight[curve[i].cell]; });
  kernels::sum_up(before, team);
  const std::int64_t all = comm.sum(before.back());
  const auto weight_below = [&](std::uint64_t key) {
    const auto at = std::lower_bound(curve.begin(), curve.end(), key, [](const Entry& e, std::uint64_t k) { return e.key < k; });
    return before[at - curve.begin()];
  };

  // Every rank determines the ends of all parts by bisection: the last key below which the weight does not exceed the target.
  const std::size_t ends = parts - 1;
  const int bits = kHilbertBits * dim;
  std::vector<std::uint64_t> end(ends, 0);
  std::vector<std::int64_t> below(ends);
  for (int round = 1; round <= bits; ++round) {
    const std::uint64_t half = std::uint64_t{1} << (bits - round);
    for (std::size_t e = 0; e < ends; ++e) below[e] = weight_below(end[e] + half);
    comm.sum(std::span(below));
    for (std::size_t e = 0; e < ends; ++e) {
      const auto first_parts = static_cast<std::int64_t>(e) + 1;
      if (below[e] <= all / parts * first_parts + all % parts * first_parts / parts) end[e] += half;
    }
  }
  std::vector<std::int32_t> part(curve.size());
  for_indices(team, std::ssize(curve), [&](std::int64_t i) {
    const Entry& e = curve[i];
    part[e.cell] = static_cast<std::int32_t>(std::upper_bound(end.begin(), end.end(), e.key) - end.begin());
  });
  return part;
}

}  // namespace weft::mesh::detail
