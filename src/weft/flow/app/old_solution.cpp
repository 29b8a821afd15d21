#include "weft/flow/app/old_solution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/mesh/geometry.hpp"

namespace weft::flow::detail {
namespace {

using io::VtkHdfReader;

constexpr double kNowhere = std::numeric_limits<double>::infinity();

/// Returns the points that some cells name, in the place of each name. Points are read in runs, so that a rank holds no more of
/// them than its cells need.  @collective
std::vector<Vec3> corners_of(const Communicator& comm, const VtkHdfReader& file, const std::vector<std::int64_t>& nodes) {
  constexpr std::int64_t kRun = 1 << 18;
  std::vector<std::int64_t> used = nodes;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::vector<Vec3> points;
  while (comm.any(points.size() < used.size())) {
    const bool more = points.size() < used.size();
    const std::int64_t first = more ? used[points.size()] : 0;
    const std::int64_t count = more ? std::min({kRun, file.points() - first, used.back() - first + 1}) : 0;
    const std::vector<Vec3> run = file.read_points(first, count);
    while (points.size() < used.size() && used[points.size()] < first + count) {
      points.push_back(run[used[points.size()] - first]);
    }
  }
  std::vector<Vec3> corners;
  corners.reserve(nodes.size());
  for (const std::int64_t node : nodes) {
    corners.push_back(points[std::lower_bound(used.begin(), used.end(), node) - used.begin()]);
  }
  return corners;
}

}  // namespace

double OldSolution::Box::squared_distance(Vec3 x) const {
  if (empty) return kNowhere;
  Vec3 d;
  for (int k = 0; k < 3; ++k) d[k] = std::max({low[k] - x[k], x[k] - high[k], 0.0});
  return dot(d, d);
}

OldSolution::OldSolution(const Communicator& comm, const VtkHdfReader& file, int dim, std::span<const std::string> scalars)
    : comm_(comm), path_(file.path()), dim_(dim), vars_(Primitive::kVars + scalars.size()) {
  read(file, scalars);
  order_.resize(centroid_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  axis_.resize(order_.size());
  sort(0, order_.size());
  Box box;
  for (const Vec3& x : centroid_) {
    for (int d = 0; d < 3; ++d) {
      box.low[d] = box.empty ? x[d] : std::min(box.low[d], x[d]);
      box.high[d] = box.empty ? x[d] : std::max(box.high[d], x[d]);
    }
    box.empty = false;
  }
  boxes_ = comm.all_gather(box);
}

void OldSolution::read(const VtkHdfReader& file, std::span<const std::string> scalars) {
  const std::int64_t rank = comm_.rank().value(), ranks = comm_.size();
  first_ = file.cells() / ranks * rank + std::min(file.cells() % ranks, rank);
  const std::int64_t count = file.cells() / ranks + (rank < file.cells() % ranks ? 1 : 0);
  const std::size_t cells = count;
  std::vector<std::pair<std::string, int>> wanted{{"density", 1}, {"velocity", 3}, {"pressure", 1}};
  for (const std::string& scalar : scalars) wanted.emplace_back(scalar, 1);
  values_.resize(cells * vars_);
  std::size_t column = 0;
  for (const auto& field_and_width : wanted) {
    const std::string& name = field_and_width.first;
    const int width = field_and_width.second;
    const VtkHdfReader::Field* field = file.field(name);
    agreed(comm_, [&] {
      if (field != nullptr && field->components == width && field->type != VtkHdfReader::Field::Type::int64) return;
      throw InputError(fmt::format("this field file has no field \"{}\", which a start from it needs", name),
                       "write it again with output.fields that have density, velocity and pressure", {.file = path_.string()});
    });
    const std::vector<double> read = file.read_reals(*field, first_, count);
    const std::size_t components = width;
    for (std::size_t i = 0; i < read.size(); ++i) values_[i / components * vars_ + column + i % components] = read[i];
    column += components;
  }
  agreed(comm_, [&] {
    for (std::size_t c = 0; c < cells; ++c) {
      const double* const w = &values_[c * vars_];
      const bool good =
          w[0] > 0 && w[Primitive::kVars - 1] > 0 && std::all_of(w, w + vars_, [](double v) { return std::isfinite(v); });
      if (good) continue;
      throw InputError(fmt::format("its cell {} has density {:g} and pressure {:g}, which is no physical state",
                                   first_ + static_cast<std::int64_t>(c), w[0], w[Primitive::kVars - 1]),
                       "start from the fields of another step", {.file = path_.string()});
    }
  });
  VtkHdfReader::Cells read = file.read_cells(first_, count);
  std::vector<Vec3> corners = corners_of(comm_, file, read.nodes);
  agreed(comm_, [&] {
    for (std::size_t c = 0; c < cells; ++c) {
      const auto type = mesh::vtk_type(read.types[c]);
      const std::size_t begin = read.begin[c];
      if (!type || read.begin[c + 1] - read.begin[c] != mesh::shape(*type).nodes) {
        throw IoError(fmt::format("has a cell of VTK type {} with {} nodes, which is not supported", read.types[c],
                                  read.begin[c + 1] - read.begin[c]),
                      {}, {.file = path_.string()});
      }
      if (mesh::shape(*type).dim != dim_) {
        throw InputError(fmt::format("this solution is {}-D, and the mesh of the case {}-D", mesh::shape(*type).dim, dim_),
                         "start from the results of a run of the same dimension", {.file = path_.string()});
      }
      std::array<Vec3, mesh::kMaxCellNodes> ours;
      const std::size_t nodes = mesh::shape(*type).nodes;
      for (std::size_t k = 0; k < nodes; ++k) ours[mesh::vtk_position(*type, static_cast<int>(k))] = corners[begin + k];
      std::copy_n(ours.begin(), nodes, corners.begin() + static_cast<std::ptrdiff_t>(begin));
      const mesh::CellGeometry geometry = mesh::cell_geometry(*type, std::span<const Vec3>(ours.data(), nodes));
      centroid_.push_back(geometry.centroid);
      size_.push_back(std::pow(std::abs(geometry.volume), 1.0 / dim_));
    }
  });
  find_neighbours(read, corners);
  fit_gradients();
}

/// Puts the middle cell of a range, along the longest side of its box, into the middle, those before it to its left.
void OldSolution::sort(std::size_t first, std::size_t last) {
  if (last - first < 2) return;
  Vec3 low = centroid_[order_[first]], high = low;
  for (std::size_t i = first; i < last; ++i) {
    for (int d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], centroid_[order_[i]][d]);
      high[d] = std::max(high[d], centroid_[order_[i]][d]);
    }
  }
  int axis = 0;
  for (int d = 1; d < 3; ++d) {
    if (high[d] - low[d] > high[axis] - low[axis]) axis = d;
  }
  const std::size_t middle = first + (last - first) / 2;
  const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(first), at(middle), at(last), [&](std::size_t a, std::size_t b) {
    return std::pair(centroid_[a][axis], a) < std::pair(centroid_[b][axis], b);
  });
  axis_[middle] = static_cast<std::uint8_t>(axis);
  sort(first, middle);
  sort(middle + 1, last);
}

void OldSolution::nearest(Vec3 x, std::size_t first, std::size_t last, double& squared, std::size_t& best) const {
  if (first >= last) return;
  const std::size_t middle = first + (last - first) / 2, cell = order_[middle];
  const Vec3 d = x - centroid_[cell];
  const double here = dot(d, d);
  if (std::pair(here, cell) < std::pair(squared, best)) {
    squared = here;
    best = cell;
  }
  const double across = d[axis_[middle]];
  const bool left_first = across < 0;
  for (const bool left : {left_first, !left_first}) {
    if (left != left_first && across * across > squared) break;
    nearest(x, left ? first : middle + 1, left ? middle : last, squared, best);
  }
}

SolutionAnswer OldSolution::answer(Vec3 x) const {
  constexpr double kNearlyInside = 0.1, kMostRatio = 2;
  double squared = kNowhere;
  std::size_t cell = std::numeric_limits<std::size_t>::max();
  nearest(x, 0, order_.size(), squared, cell);
  if (cell == std::numeric_limits<std::size_t>::max()) return {.squared_distance = kNowhere};
  SolutionAnswer found{.squared_distance = squared, .cell = first_ + static_cast<std::int64_t>(cell)};
  const auto of_cell = [](const Wall& wall, std::size_t c) { return wall.cell < c; };
  for (auto wall = std::lower_bound(walls_.begin(), walls_.end(), cell, of_cell); wall != walls_.end() && wall->cell == cell;
       ++wall) {
    found.outside = found.outside || dot(x - wall->centroid, wall->normal) > kNearlyInside * size_[cell];
  }
  const Vec3 d = x - centroid_[cell];
  const double* const mean = &values_[cell * vars_];
  for (std::size_t k = 0; k < vars_; ++k) found.values[k] = mean[k] + dot(gradients_[cell * vars_ + k], d);
  const auto deviates = [&](std::size_t k) {
    return found.values[k] * kMostRatio < mean[k] || found.values[k] > kMostRatio * mean[k];
  };
  if (found.outside || deviates(0) || deviates(Primitive::kVars - 1)) std::copy_n(mean, vars_, found.values.begin());
  return found;
}

std::vector<SolutionAnswer> OldSolution::at(std::span<const Vec3> points) const {
  const std::size_t ranks = comm_.size();
  std::vector<SolutionAnswer> best(points.size(), {.squared_distance = kNowhere});
  // First the rank whose box is nearest is asked, then those whose boxes are not farther than its result.
  std::vector<std::size_t> asked(points.size());
  for (const bool first : {true, false}) {
    std::vector<std::vector<Vec3>> to(ranks);
    std::vector<std::vector<std::size_t>> of(ranks);
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::vector<double> distance;
      for (const Box& box : boxes_) distance.push_back(box.squared_distance(points[i]));
      if (first) asked[i] = std::min_element(distance.begin(), distance.end()) - distance.begin();
      for (std::size_t r = 0; r < ranks; ++r) {
        const bool ask = first ? r == asked[i] : r != asked[i] && distance[r] <= best[i].squared_distance && !boxes_[r].empty;
        if (!ask) continue;
        to[r].push_back(points[i]);
        of[r].push_back(i);
      }
    }
    const std::vector<std::vector<Vec3>> received = comm_.all_to_all(to);
    std::vector<std::vector<SolutionAnswer>> back(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      for (const Vec3& x : received[r]) back[r].push_back(answer(x));
    }
    const std::vector<std::vector<SolutionAnswer>> answers = comm_.all_to_all(back);
    for (std::size_t r = 0; r < ranks; ++r) {
      for (std::size_t k = 0; k < answers[r].size(); ++k) {
        SolutionAnswer& now = best[of[r][k]];
        const SolutionAnswer& other = answers[r][k];
        if (other.cell < 0) continue;
        if (now.cell < 0 || std::pair(other.squared_distance, other.cell) < std::pair(now.squared_distance, now.cell))
          now = other;
      }
    }
  }
  return best;
}

}  // namespace weft::flow::detail
