#include "weft/flow/app/export_points.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace weft::flow::detail {
namespace {

using io::VtkHdfReader;

constexpr std::int64_t kRun = 1 << 18;  ///< number of rows per read and write

}  // namespace

void in_runs(std::int64_t total, const std::function<void(std::int64_t, std::int64_t)>& work) {
  for (std::int64_t first = 0; first < total; first += kRun) work(first, std::min(kRun, total - first));
}

ExportPoints join_points(const VtkHdfReader& file) {
  ExportPoints points;
  in_runs(file.points(), [&](std::int64_t first, std::int64_t count) {
    const std::vector<Vec3> run = file.read_points(first, count);
    points.x.insert(points.x.end(), run.begin(), run.end());
  });
  points.number.resize(points.x.size());
  std::iota(points.number.begin(), points.number.end(), std::int64_t{0});
  if (file.pieces().size() < 2 || file.single_precision()) return points;
  std::vector<std::int64_t> order = points.number;
  const auto at = [&](std::int64_t i) { return points.x[i]; };
  const auto key = [&](std::int64_t i) { return std::tuple(at(i).x, at(i).y, at(i).z, i); };
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
  const auto piece_of = [&](std::int64_t i) {
    return std::upper_bound(
               file.pieces().begin(), file.pieces().end(), i,
               [](std::int64_t point, const VtkHdfReader::Piece& piece) { return point < piece.first_point + piece.points; }) -
           file.pieces().begin();
  };
  for (std::size_t k = 1, first = 0; k < order.size(); ++k) {
    if (at(order[k]) != at(order[first])) {
      first = k;
    } else if (piece_of(order[k]) != piece_of(order[k - 1])) {  // two of one piece are two points, wherever they lie
      points.number[order[k]] = order[first];
    }
  }
  std::int64_t kept = 0;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const std::size_t same = points.number[i];  // i itself, or one before it
    if (same == i) points.x[kept] = points.x[i];
    points.number[i] = same == i ? kept++ : points.number[same];
  }
  points.x.resize(kept);
  return points;
}

std::vector<std::int64_t> renumbered(const std::vector<std::int64_t>& nodes, const ExportPoints& points) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(nodes.size());
  for (const std::int64_t node : nodes) numbers.push_back(points.number[node]);
  return numbers;
}

}  // namespace weft::flow::detail
