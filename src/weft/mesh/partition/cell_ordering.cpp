#include "weft/mesh/partition/cell_ordering.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

#include "weft/base/contracts.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/primitives/bucket_sort.hpp"

namespace weft::mesh::detail {
namespace {

/// Tables of the curve: from the state within a cube (corner of entry, axis of exit) and the path to a cube some levels
/// below, the position along the curve and the state in that cube.
template <unsigned kDim>
struct HilbertTable {
  static constexpr int kLevels = 3;  // per lookup
  static constexpr unsigned kStates = kDim << kDim, kBits = kDim * kLevels, kWays = 1U << kBits;
  struct Step {
    std::uint16_t place, state;
  };
  std::array<std::array<Step, kWays>, kStates> step{};
  std::array<std::uint16_t, 1U << kLevels> spread{};  ///< the bits of a coordinate, kDim bits apart

  constexpr HilbertTable() noexcept {
    for (unsigned state = 0; state < kStates; ++state) {
      for (unsigned way = 0; way < kWays; ++way) step[state][way] = walk(state, way);
    }
    for (unsigned bits = 0; bits < spread.size(); ++bits) {
      for (unsigned level = 0; level < kLevels; ++level)
        spread[bits] = static_cast<std::uint16_t>(spread[bits] | ((bits >> level) & 1U) << (kDim * level));
    }
  }

 private:
  static constexpr unsigned kAll = (1U << kDim) - 1;
  static constexpr unsigned rotate_right(unsigned b, unsigned by) { return ((b >> by) | (b << (kDim - by))) & kAll; }
  static constexpr unsigned rotate_left(unsigned b, unsigned by) { return ((b << by) | (b >> (kDim - by))) & kAll; }

  static constexpr Step walk(unsigned state, unsigned way) {
    unsigned entry = state & kAll, direction = state >> kDim, index = 0;
    for (int level = kLevels - 1; level >= 0; --level) {
      const unsigned octant = (way >> (kDim * static_cast<unsigned>(level))) & kAll, turn = (direction + 1) % kDim;
      unsigned rank = rotate_right(octant ^ entry, turn);
      for (unsigned shift = 1; shift < kDim; ++shift) rank ^= rotate_right(octant ^ entry, turn) >> shift;  // inverse Gray code
      index = (index << kDim) | rank;
      const unsigned even = rank == 0 ? 0 : (rank - 1) & ~1U;
      entry ^= rotate_left(even ^ (even >> 1), turn);
      const unsigned step = rank == 0 ? 0 : static_cast<unsigned>(std::countr_one(rank % 2 == 0 ? rank - 1 : rank)) % kDim;
      direction = (direction + step + 1) % kDim;
    }
    return {static_cast<std::uint16_t>(index), static_cast<std::uint16_t>(direction << kDim | entry)};
  }
};

/// Initialised at program start: clang rejects so many steps at compile time.
template <unsigned kDim>
const HilbertTable<kDim> kHilbertTable;

template <unsigned kDim>
std::uint64_t hilbert(const std::array<std::uint32_t, 3>& at) {
  using Table = HilbertTable<kDim>;
  const Table& table = kHilbertTable<kDim>;
  static_assert(kHilbertBits % Table::kLevels == 0);
  std::uint64_t index = 0;
  unsigned state = 0;
  for (int level = kHilbertBits - Table::kLevels; level >= 0; level -= Table::kLevels) {
    unsigned way = 0;
    for (unsigned d = 0; d < kDim; ++d)
      way |= static_cast<unsigned>(table.spread[(at[d] >> level) % (1U << Table::kLevels)]) << d;
    const auto step = table.step[state][way];
    index = index << Table::kBits | step.place;
    state = step.state;
  }
  return index;
}

/// The bounding box of points.
struct Box {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3 low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};
  void add(Vec3 x) {
    for (int d = 0; d < 3; ++d) low[d] = std::min(low[d], x[d]), high[d] = std::max(high[d], x[d]);
  }
};

Box box_around(std::span<const Vec3> points, Team& team) {
  const auto n = static_cast<std::int64_t>(points.size());
  std::vector<Box> boxes(shares_of(team, n));
  for_shares(team, n, [&](LoopShare share) {
    Box box;
    for (std::int64_t i = share.begin; i < share.end; ++i) box.add(points[i]);
    boxes[share.number] = box;
  });
  Box whole;
  for (const Box& box : boxes) whole.add(box.low), whole.add(box.high);
  return whole;
}

IdVector<LocalCellId, LocalCellId> hilbert_order(int dim, std::span<const Vec3> centroid, Team& team) {
  const Box box = box_around(centroid, team);
  double extent = 0;
  for (int d = 0; d < 3; ++d) extent = std::max(extent, box.high[d] - box.low[d]);
  struct Entry {
    std::uint64_t index;
    std::int32_t cell;
  };
  auto entries = list_of_size<Entry>(team, centroid.size());
  for_indices(team, std::ssize(entries), [&](std::int64_t i) {
    entries[i] = {hilbert_index(dim, centroid[i], box.low, extent), static_cast<std::int32_t>(i)};
  });
  kernels::bucket_sort(
      entries, [](const Entry& e) { return e.index; },
      [](const Entry& a, const Entry& b) { return a.index != b.index ? a.index < b.index : a.cell < b.cell; }, team);
  IdVector<LocalCellId, LocalCellId> order;
  resize_by_team(team, order, entries.size());
  for_indices(team, std::ssize(entries), [&](std::int64_t i) { order[LocalCellId(i)] = LocalCellId(entries[i].cell); });
  return order;
}

}  // namespace

std::uint64_t hilbert_index(int dim, const std::array<std::uint32_t, 3>& at) {
  WEFT_EXPECTS(dim == 2 || dim == 3);
  return dim == 2 ? hilbert<2>(at) : hilbert<3>(at);
}

std::uint64_t hilbert_index(int dim, Vec3 x, Vec3 low, double extent) {
  constexpr double kCells = static_cast<double>((1U << kHilbertBits) - 1);
  const double scale = extent > 0 ? kCells / extent : 0;
  std::array<std::uint32_t, 3> at{};
  for (int d = 0; d < 3; ++d) at[d] = static_cast<std::uint32_t>((x[d] - low[d]) * scale);
  return hilbert_index(dim, at);
}

std::vector<std::int32_t> reverse_cuthill_mckee(std::span<const std::int32_t> first, std::span<const std::int32_t> neighbour) {
  const auto n = static_cast<std::int32_t>(first.size()) - 1;
  const auto row = [&](std::int32_t i) { return neighbour.subspan(first[i], first[i + 1] - first[i]); };
  std::vector<std::int32_t> degree(n, 0);
  for (std::int32_t i = 0; i < n; ++i) {
    degree[i] =
        static_cast<std::int32_t>(std::count_if(row(i).begin(), row(i).end(), [n](std::int32_t j) { return 0 <= j && j < n; }));
  }
  const auto by_degree = [&](std::int32_t a, std::int32_t b) {
    const std::int32_t da = degree[a], db = degree[b];
    return da != db ? da < db : a < b;
  };
  std::vector<std::int32_t> order, starts(n);
  order.reserve(n);
  std::iota(starts.begin(), starts.end(), 0);
  std::sort(starts.begin(), starts.end(), by_degree);
  std::vector<std::int32_t> mark(n, 0);
  std::int32_t sweep = 0;
  // Appends the connected component of `start` in breadth-first order to `order`, and marks it with the number of this sweep.
  const auto breadth_first = [&](std::int32_t start) {
    ++sweep;
    std::size_t head = order.size();
    order.push_back(start);
    mark[start] = sweep;
    for (; head < order.size(); ++head) {
      const std::size_t fresh = order.size();
      for (const std::int32_t j : row(order[head])) {
        if (j < 0 || j >= n || mark[j] == sweep) continue;
        mark[j] = sweep;
        order.push_back(j);
      }
      std::sort(order.begin() + static_cast<std::ptrdiff_t>(fresh), order.end(), by_degree);
    }
  };
  for (const std::int32_t start : starts) {
    if (mark[start] != 0) continue;
    const std::size_t before = order.size();
    breadth_first(start);  // the last cell of a sweep is a better start, because it is far from all others
    const std::int32_t far = order.back();
    order.resize(before);
    breadth_first(far);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

IdVector<LocalCellId, LocalCellId> order_cells(CellOrdering order, int dim, const Subdomain& part,
                                               const IdVector<LocalCellId, char>& border, Team& team) {
  IdVector<LocalCellId, LocalCellId> cells;
  switch (order) {
    case CellOrdering::hilbert:
      cells = hilbert_order(dim, part.centroid, team);
      break;
    case CellOrdering::rcm:
      for (const std::int32_t c : reverse_cuthill_mckee(part.first_face, part.neighbour)) cells.push_back(LocalCellId(c));
      break;
    case CellOrdering::as_read:
      for (const LocalCellId c : part.type.ids()) cells.push_back(c);
      break;
  }
  std::stable_partition(cells.begin(), cells.end(), [&](LocalCellId c) { return border[c] == 0; });
  return cells;
}

}  // namespace weft::mesh::detail
