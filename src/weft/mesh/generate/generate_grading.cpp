#include "weft/mesh/generate/generate_grading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "weft/base/error.hpp"

namespace weft::mesh::detail {
namespace {

constexpr double kRounding = 1e-6;          // tolerance of limits, which messages round to 9 digits
constexpr double kSmallestFraction = 1e-9;  // fraction that doubles resolve to 7 digits

/// Returns the fraction of a segment's length that the first i of its cells have.
double fraction(std::int64_t i, std::int64_t cells, double log_growth) {
  const auto part = static_cast<double>(i), whole = static_cast<double>(cells);
  return log_growth > 0 ? std::expm1(part * log_growth) / std::expm1(whole * log_growth) : part / whole;
}

[[noreturn]] void refuse(const std::string& problem, const std::string& suggestion) {
  throw InputError(problem, suggestion, Where{.key = "corner_size"});
}

}  // namespace

double Spacing::node(std::int64_t i) const {
  if (corner_last && log_growth > 0) return std::lerp(upper, lower, fraction(cells - i, cells, log_growth));
  return std::lerp(lower, upper, fraction(i, cells, log_growth));
}

double log_growth(const CornerSegment& segment, double corner_size) {
  if (corner_size == 0) return 0;
  const double uniform = segment.length / static_cast<double>(segment.cells);
  if (corner_size > uniform * (1 + kRounding)) {
    refuse(fmt::format("{} m is above {:.9g} m, the length of {} uniform cells {}", corner_size, uniform, segment.cells,
                       segment.name),
           fmt::format("choose at most {:.9g}, or 0 for uniform cells", uniform));
  }
  const double largest = std::log(kLargestGrowth);
  const double least = segment.length * fraction(1, segment.cells, largest);
  if (corner_size < least * (1 - kRounding)) {
    refuse(fmt::format("with {} m cells {} would grow by more than a factor of {} from one to the next (cells: {}, length: {} m)",
                       corner_size, segment.name, kLargestGrowth, segment.cells, segment.length),
           fmt::format("choose at least {:.9g}, or {}", least, segment.remedy));
  }
  if (corner_size < kSmallestFraction * segment.length) {
    refuse(fmt::format("{} m is below {} of the {} m {}, which coordinates do not resolve", corner_size, kSmallestFraction,
                       segment.length, segment.name),
           fmt::format("choose at least {:.9g}", kSmallestFraction * segment.length));
  }
  double low = 0, high = largest;  // the first cell is longer than corner_size at low, and shorter at high
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (segment.length * fraction(1, segment.cells, middle) > corner_size ? low : high) = middle;
  }
  return high;
}

}  // namespace weft::mesh::detail
