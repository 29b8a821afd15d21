#pragma once
/// weft run --sweep: one case for many values of its keys, on one mesh.
#include <functional>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/io/case/case_reader.hpp"

#include "command.hpp"

namespace weft::app {

/// A key of the case and its values.
struct SweepAxis {
  std::string word;  ///< as on the command line
  std::string key;
  std::vector<double> values;
};

/// Parses "free_stream.alpha=0,2,4", "free_stream.alpha=0:4:2" (first, last, step), or a mixture. Blanks are ignored.
/// @throws InputError: no key, no values, not a number, a range that does not reach its end, a value or a key given twice, a key
///   of the mesh or the output, more than 1000 points.
[[nodiscard]] std::vector<SweepAxis> parse_sweep(const std::vector<std::string>& words);

/// Names of the axes in folders and tables: the last parts of their keys where these differ.
[[nodiscard]] std::vector<std::string> short_names(const std::vector<SweepAxis>& axes);

struct SweepPoint {
  std::vector<double> values;  ///< values of the axes
  std::string name;            ///< name of its results folder: "alpha_2_mach_0.5"
};

/// Returns all points, the last axis fastest.
[[nodiscard]] std::vector<SweepPoint> sweep_points(const std::vector<SweepAxis>& axes);

/// Returns the point among the first `count` of those allowed that is nearest to point `count`, each axis relative to its range;
/// the latest of several; -1 if none is allowed.
[[nodiscard]] int nearest_point(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points, int count,
                                const std::vector<bool>& allowed);

struct SweepChoice {
  std::string file;  ///< path of the case
  std::vector<std::string> overrides, sweep;
  bool overwrite = false, resume = false, accept_changes = false, strict = false;
};

/// Runs one case, prints its progress and writes its record.  @throws as flow::run().  @collective
using RunPoint = std::function<flow::RunSummary(const io::CaseReader& reader, const flow::Case& flow_case,
                                                flow::Existing existing, const flow::RunStart& begin)>;

/// Runs every point that is not done yet, and writes sweep.json, polar.csv and polar.png to the results folder of the case, which
/// has a folder for each point. A point whose flow becomes unphysical is recorded as diverged, and the sweep continues.
/// @throws InputError before the first point if any of them is wrong; later as `run`, except PhysicsError.  @collective
[[nodiscard]] Exit run_sweep(const Communicator& comm, const SweepChoice& choice, const RunPoint& run);

}  // namespace weft::app
