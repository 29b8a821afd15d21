#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "weft/kernels/primitives/bucket_sort.hpp"
#include "weft/mesh/partition/cell_ordering.hpp"
#include "weft/mesh/partition/partition_methods.hpp"

namespace weft::mesh::detail {
namespace {

/// Returns the bounding box of the points of all ranks: its lowest corner and longest edge. @collective
std::pair<Vec3, double> box_around(const Communicator& comm, std::span<const Vec3> places) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::array<double, 6> ends;  // -low, high
  ends.fill(-kInfinity);
  for (const Vec3& x : places) {
    for (std::size_t d = 0; d < 3; ++d) {
      ends[d] = std::max(ends[d], -x[static_cast<int>(d)]);
      ends[d + 3] = std::max(ends[d + 3], x[static_cast<int>(d)]);
    }
  }
  comm.max(std::span<double>(ends));
  return {{-ends[0], -ends[1], -ends[2]}, std::max({ends[0] + ends[3], ends[1] + ends[4], ends[2] + ends[5]})};
}

}  // namespace

std::vector<std::int32_t> partition_along_hilbert_curve(PartitionProblem problem) {
  const Communicator& comm = problem.comm;
  const int dim = problem.dim, parts = problem.parts;
  const std::vector<Vec3>& places = problem.middle;
  const std::vector<std::int32_t>& weight = problem.weight;
  const auto [low, extent] = box_around(comm, places);
  struct Entry {
    std::uint64_t key;
    std::uint32_t cell;
  };
  std::vector<Entry> curve(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    curve[i] = {hilbert_index(dim, places[i], low, extent), static_cast<std::uint32_t>(i)};
  kernels::bucket_sort(
      curve, [](const Entry& e) { return e.key; },
      [](const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : a.cell < b.cell; });
  std::vector<std::int64_t> before(curve.size() + 1, 0);  // weight of the preceding entries
  for (std::size_t i = 0; i < curve.size(); ++i) before[i + 1] = before[i] + (weight.empty() ? 1 : weight[curve[i].cell]);
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
  for (const Entry& e : curve)
    part[e.cell] = static_cast<std::int32_t>(std::upper_bound(end.begin(), end.end(), e.key) - end.begin());
  return part;
}

}  // namespace weft::mesh::detail
