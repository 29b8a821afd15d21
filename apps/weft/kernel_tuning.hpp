#pragma once
/// weft bench kernels --tune: the rows of kProviderChoices that follow from measurements, and the cache of these.
#include <filesystem>
#include <string>
#include <vector>

#include "kernel_results.hpp"

namespace weft::app {

/// The measurements of the search, and what they are of.
struct TuningRun {
  std::string commit, program;  ///< commit of the build; hash of the measuring program, which also changes without a commit
  std::string date;             ///< 2026-11-28
  KernelResults results;
};

/// The measurements of earlier searches, in a JSON file, by GPU, CUDA version, commit and measuring program.
class TuningCache {
 public:
  /// Reads the cache, if there is one, and writes it back, so that a file that cannot be written is found before the search.
  /// @throws IoError: the file is no cache, or cannot be read or written.
  explicit TuningCache(std::filesystem::path file);

  /// Returns the default file, in $XDG_CACHE_HOME or ~/.cache. @throws IoError if neither is set.
  [[nodiscard]] static std::filesystem::path default_file();

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// Completes a run, whose machine has gpu and cuda, by the date and the results in the cache. Returns false if there are none.
  /// @throws IoError if they are damaged or incomplete.
  [[nodiscard]] bool find(TuningRun& run) const;
  /// Adds the measurements of a run to what the file has now. @throws IoError if it cannot be read or written.
  void store(const TuningRun& run);

 private:
  [[nodiscard]] bool is_of(const Json& entry, const TuningRun& run) const;
  void read();
  void write() const;

  std::filesystem::path file_;
  Json entries_ = Json::array();
};

/// A row of kProviderChoices as it follows from measurements.
struct KernelChoice {
  std::string row;  ///< the row as it would be committed
  std::string primitive, provider, committed;
  std::size_t bytes = 0;
  std::string reason;    ///< "faster than the other provider"
  bool differs = false;  ///< from the committed provider
};

/// Returns the choice for every row of kProviderChoices.
/// @throws IoError if the measurements lack an input of the declared space.
[[nodiscard]] std::vector<KernelChoice> choose_providers(const TuningRun& run);

/// Returns a line for each measured type of keys: the fastest tile sizes of the sort, and whether they are the committed ones.
[[nodiscard]] std::string tile_choices(const KernelResults& results);

[[nodiscard]] std::string describe_choices(const std::vector<KernelChoice>& choices);
[[nodiscard]] Json to_json(const KernelChoice& choice);

}  // namespace weft::app
