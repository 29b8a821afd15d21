#include "weft/flow/app/results_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "weft/base/error.hpp"
#include "weft/flow/app/export.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/io/case/case_reader.hpp"
#include "weft/io/folder_lock.hpp"
#include "weft/io/text_file.hpp"

namespace weft::flow::detail {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kStepPrefixes[] = {"fields_", "walls_"};  // followed by the step
constexpr std::string_view kHistories[] = {kResidualsFile, kForcesFile,     "probes.csv",
                                           kMonitorsFile,  "integrals.csv", "errors.csv"};

bool is_sample(std::string_view name) {
  const auto is = [&](const SampleFile& kind) {
    if (!name.starts_with(kind.prefix) || !name.ends_with(kind.extension)) return false;
    name.remove_suffix(kind.extension.size());
    const std::size_t bar = name.rfind('_');
    const std::string_view digits = name.substr(bar + 1);
    return bar >= kind.prefix.size() && digits.size() >= 8 && digits.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return is(kLineFile) || is(kSectionFile);
}

/// Returns what follows the prefix in the name of a file of fields or walls; empty for other names.
std::string_view after_prefix(std::string_view name) {
  for (const std::string_view prefix : kStepPrefixes) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return {};
}

/// Returns the part from the step on in the name of a file of one step or of a failed step; empty for other names.
std::string_view step_part(std::string_view name) {
  if (is_sample(name)) return name.substr(name.rfind('_') + 1);
  const std::string_view rest = after_prefix(name);
  constexpr std::size_t kDigits = 8;  // at least, as file_of() and the fields write it
  const std::string_view digits = rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size()));
  return digits.size() >= kDigits || rest.starts_with("failed") ? rest : std::string_view{};
}

bool is_drawn(std::string_view extension) {
  constexpr std::string_view kDrawn[] = {".png", ".pdf", ".svg", ".gif", ".mp4"};
  return std::find(std::begin(kDrawn), std::end(kDrawn), extension) != std::end(kDrawn);
}
/// Returns whether a file is an export of a file of one step (weft export).
bool is_export(std::string_view extension) {
  const auto is = [&](const ExportFormatRow& row) { return extension.substr(1) == row.name || extension == row.index; };
  return extension.starts_with('.') && std::ranges::any_of(kExportFormats.rows, is);
}

/// Returns whether a run writes files of this name, or they were drawn from such files: --overwrite may delete them.
bool is_run_file(fs::path file) {
  if (file.extension() == ".part") file.replace_extension();  // a kill left it before it was whole
  const std::string name = file.filename().string();
  const std::string extension = file.extension().string();
  const bool field = is_sample(name) ||
                     (!step_part(name).empty() && (extension == ".hdf" || is_drawn(extension) || is_export(extension))) ||
                     (!after_prefix(name).empty() && is_drawn(extension));  // an animation of a field, too
  const std::string drawn_from = file.stem().string() + ".csv";             // picture of a history
  const bool boundary = name == kBoundaryFile || (file.stem() == fs::path(kBoundaryFile).stem() && is_drawn(extension));
  const auto history = [](const std::string& of) {
    return std::find(std::begin(kHistories), std::end(kHistories), of) != std::end(kHistories);
  };
  return field || boundary || name == kCaseFile || name == kRecordFile || name == kLogFile || name == "report.html" ||
         name == kCheckpointFile || name == kPreviousCheckpointFile || history(name) ||
         (is_drawn(extension) && history(drawn_from));
}

/// Returns whether a file holds fields, or a picture of fields, of a step after this one, or of a failed step, or is incomplete.
bool is_field_after(const fs::path& file, std::int64_t step) {
  const std::string name = file.filename().string();
  const std::string_view digits = step_part(name);
  if (!is_run_file(file) || digits.empty()) return false;
  std::int64_t of = 0;
  if (file.extension() == ".part") return true;
  return std::from_chars(digits.data(), digits.data() + digits.size(), of).ec != std::errc{} || of > step;
}

/// Rejects a folder whose case.toml was not written by a run, because the run would replace it. @throws InputError; IoError if it
/// cannot be read.
void protect_user_case(const fs::path& folder) {
  const fs::path file = folder / kCaseFile;
  if (io::read_text(file).starts_with(io::kEffectiveCaseHeader)) return;
  throw InputError("a run writes its case with all defaults to this name, and the file that is there was not written by a run",
                   "choose another output.directory, or another name for that file", {.file = file.string()});
}

}  // namespace

fs::path file_of(const SampleFile& kind, const std::string& name, std::int64_t step) {
  return fmt::format("{}{}_{:08}{}", kind.prefix, name, step, kind.extension);
}

void refuse_used_folder(const fs::path& folder, bool used, Existing existing) {
  if (resumes(existing) && !used) {
    throw InputError("there is no run to resume in this folder", "leave out --resume to start one", {.file = folder.string()});
  }
  if (used) protect_user_case(folder);
  if (existing == Existing::refuse && used) {
    std::error_code failed;
    if (fs::exists(folder / io::FolderLock::kFileName, failed))
      const io::FolderLock look(folder);  // throws if that run is active
    throw InputError(
        "this folder already holds the results of a run",
        "give --overwrite to replace them, --resume to go on from their last checkpoint, or --set output.directory=...",
        {.file = folder.string()});
  }
}

std::vector<fs::path> make_folder(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> made;
  for (fs::path missing = fs::absolute(folder).lexically_normal(); !missing.empty() && !fs::exists(missing, failed);) {
    made.push_back(missing);
    missing = missing.parent_path();
  }
  fs::create_directories(folder, failed);
  if (failed) {
    throw IoError(fmt::format("cannot make this folder: {}", failed.message()), "choose another output.directory",
                  {.file = folder.string()});
  }
  return made;
}

void begin_folder(const fs::path& folder, const std::string& effective, Existing existing, std::int64_t step) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& file = entry.path();
    const bool stale = existing == Existing::overwrite ? is_run_file(file) : resumes(existing) && is_field_after(file, step);
    std::error_code failed;
    if (stale && entry.is_regular_file() && !fs::remove(file, failed)) {
      throw IoError(fmt::format("cannot remove this file of an earlier run: {}", failed.message()),
                    "check permissions, or choose another output.directory", {.file = file.string()});
    }
  }
  io::write_text(folder / kCaseFile, effective);
}

}  // namespace weft::flow::detail
