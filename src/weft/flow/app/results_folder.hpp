#pragma once
/// The files of a results folder: their names, and what a run does with existing ones.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "weft/flow/app/run.hpp"

namespace weft::flow::detail {

inline constexpr const char* kCaseFile = "case.toml";
inline constexpr const char* kCheckpointFile = "checkpoint.h5";
inline constexpr const char* kPreviousCheckpointFile = "checkpoint_previous.h5";
inline constexpr const char* kBoundaryFile = "boundary.hdf";
inline constexpr const char* kResidualsFile = "residuals.csv";
inline constexpr const char* kForcesFile = "forces.csv";
inline constexpr const char* kMonitorsFile = "monitors.csv";

/// Files of samples of one step: the prefix, then the name of the line or section, then the step.
struct SampleFile {
  std::string_view prefix, extension;
};
inline constexpr SampleFile kLineFile{"line_", ".csv"}, kSectionFile{"section_", ".vtu"};

/// Returns the name of a file of samples.
[[nodiscard]] std::filesystem::path file_of(const SampleFile& kind, const std::string& name, std::int64_t step);

/// Rejects a folder that holds a run if `existing` is refuse, or one without a run to resume.
/// @param used  it holds a run.  @throws InputError
void refuse_used_folder(const std::filesystem::path& folder, bool used, Existing existing);

/// Creates a folder and its parents. Returns those that it created, the innermost first.  @throws IoError
[[nodiscard]] std::vector<std::filesystem::path> make_folder(const std::filesystem::path& folder);

/// Removes files of an earlier run of later steps than `step`, all of them if it is overwritten, and writes the effective case.
/// Called after mesh and case have been checked: a run that could not begin leaves nothing that prevents the next one.
/// @throws IoError
void begin_folder(const std::filesystem::path& folder, const std::string& effective, Existing existing, std::int64_t step);

}  // namespace weft::flow::detail
