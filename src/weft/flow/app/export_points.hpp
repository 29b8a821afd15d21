#pragma once
/// Points and cells of a field file for the writers of other formats.
#include <cstdint>
#include <functional>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/io/vtk/vtkhdf_reader.hpp"

namespace weft::flow::detail {

/// Calls work(first, count) for consecutive parts of 0 ... total - 1, so that no whole array is in memory.
void in_runs(std::int64_t total, const std::function<void(std::int64_t, std::int64_t)>& work);

/// The points of a file, with those at which its pieces meet merged.
struct ExportPoints {
  std::vector<Vec3> x;
  std::vector<std::int64_t> number;  ///< merged number of each point of the file, in x
};

/// Merges points of different pieces that have the same coordinates; not those in single precision, where distinct points may
/// have the same coordinates. @throws IoError  @cost O(n log n), about 80 bytes for each point
[[nodiscard]] ExportPoints join_points(const io::VtkHdfReader& file);

/// Returns values in single precision.
[[nodiscard]] inline std::vector<float> narrow(const std::vector<double>& values) { return {values.begin(), values.end()}; }

/// Returns numbers in points.x of these points of the file.
[[nodiscard]] std::vector<std::int64_t> renumbered(const std::vector<std::int64_t>& nodes, const ExportPoints& points);

}  // namespace weft::flow::detail
