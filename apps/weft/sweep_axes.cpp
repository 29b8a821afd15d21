// The axes and the points of a sweep.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "weft/base/error.hpp"

#include "sweep.hpp"

namespace weft::app {
namespace {

constexpr std::size_t kMostPoints = 1000;
constexpr const char* kHowTo = "write --sweep KEY=VALUE,VALUE,... or --sweep KEY=FIRST:LAST:STEP";

double parse_number(const std::string& word, const Where& where) {
  std::string text = word;
  std::erase(text, '"');
  double value = 0;
  const char* const stop = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), stop, value);
  if (error == std::errc() && end == stop && std::isfinite(value)) return value;
  const bool has_unit =
      error == std::errc() && std::isfinite(value) && end != stop && std::isalpha(static_cast<unsigned char>(*end)) != 0;
  throw InputError(
      fmt::format("\"{}\" is not a number", text),
      has_unit
          ? fmt::format("leave out \"{}\": values have the unit that weft reference gives the key, angles are in degrees", end)
          : std::string(kHowTo),
      where);
}

std::vector<double> parse_range(const std::string& text, const Where& where) {
  const std::vector<std::string> parts = CLI::detail::split(text, ':');
  if (parts.size() != 3) throw InputError(fmt::format("\"{}\" is not a range", text), kHowTo, where);
  const double first = parse_number(parts[0], where), last = parse_number(parts[1], where), step = parse_number(parts[2], where);
  const double count = std::round((last - first) / step);
  const bool arrives = step != 0 && count >= 0 && std::abs(first + count * step - last) <= 1e-9 * std::abs(step);
  if (!arrives) {
    throw InputError(fmt::format("steps of {} from {} do not come to {}", parts[2], parts[0], parts[1]),
                     "choose a last value that the steps meet", where);
  }
  if (count >= static_cast<double>(kMostPoints)) throw InputError("more than 1000 values", "choose a longer step", where);
  std::vector<double> values;
  for (int i = 0; i <= static_cast<int>(count); ++i) {
    // 15 digits: 0.1 + 2 * 0.1 is to be 0.3.
    values.push_back(std::stod(fmt::format("{:.15g}", first + i * step)));
  }
  return values;
}

}  // namespace

std::vector<std::string> short_names(const std::vector<SweepAxis>& axes) {
  std::vector<std::string> names;
  for (const SweepAxis& axis : axes) names.push_back(axis.key.substr(axis.key.rfind('.') + 1));
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::string last = axes[a].key.substr(axes[a].key.rfind('.') + 1);
    const auto has_it = [&](const SweepAxis& axis) { return axis.key.substr(axis.key.rfind('.') + 1) == last; };
    if (std::count_if(axes.begin(), axes.end(), has_it) > 1) names[a] = axes[a].key;
  }
  return names;
}

std::vector<SweepAxis> parse_sweep(const std::vector<std::string>& words) {
  std::vector<SweepAxis> axes;
  std::size_t points = 1;
  for (const std::string& word : words) {
    const Where where{.file = "--sweep " + word};
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) throw InputError("a sweep needs a key and values", kHowTo, where);
    SweepAxis axis{.word = word, .key = word.substr(0, equals), .values = {}};
    std::string values = word.substr(equals + 1);
    std::erase(values, ' ');
    if (values.empty()) throw InputError("the list of values is empty", kHowTo, where);
    if (axis.key.starts_with("mesh.")) {
      throw InputError("a sweep has one mesh, and this key changes it", "start a run for each mesh, with --set", where);
    }
    if (axis.key.starts_with("output."))
      throw InputError("this key changes what is written, not the flow", "give it with --set", where);
    for (const SweepAxis& other : axes) {
      if (other.key == axis.key)
        throw InputError(fmt::format("{} is swept twice", axis.key), "give all its values at once", where);
    }
    for (const std::string& item : CLI::detail::split(values, ',')) {
      const std::vector<double> parsed =
          item.find(':') == std::string::npos ? std::vector<double>{parse_number(item, where)} : parse_range(item, where);
      axis.values.insert(axis.values.end(), parsed.begin(), parsed.end());
    }
    for (auto value = axis.values.begin(); value != axis.values.end(); ++value) {
      if (std::find(axis.values.begin(), value, *value) != value)
        throw InputError(fmt::format("{} is given twice", *value), "give each value once", where);
    }
    points *= axis.values.size();
    if (points > kMostPoints) throw InputError(fmt::format("more than {} points", kMostPoints), "sweep in parts", where);
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::vector<SweepPoint> sweep_points(const std::vector<SweepAxis>& axes) {
  const std::vector<std::string> names = short_names(axes);
  std::vector<SweepPoint> points(1);
  for (std::size_t a = 0; a < axes.size(); ++a) {
    std::vector<SweepPoint> more;
    for (const SweepPoint& point : points) {
      for (const double value : axes[a].values) {
        SweepPoint next = point;
        next.values.push_back(value);
        next.name += fmt::format("{}{}_{}", a == 0 ? "" : "_", names[a], value);
        more.push_back(std::move(next));
      }
    }
    points = std::move(more);
  }
  return points;
}

int nearest_point(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points, int count,
                  const std::vector<bool>& allowed) {
  int nearest = -1;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) {
    if (!allowed[i]) continue;
    double distance = 0;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const auto [low, high] = std::minmax_element(axes[a].values.begin(), axes[a].values.end());
      const double range = *high - *low;
      const double apart = points[i].values[a] - points[count].values[a];
      if (range > 0) distance += apart * apart / (range * range);
    }
    if (distance <= least) {
      least = distance;
      nearest = i;
    }
  }
  return nearest;
}

}  // namespace weft::app
