#pragma once
/// Checkpoints: the state of a run, from which it continues bitwise.
///
/// A checkpoint contains rows of cell values with a key for each row, the global id of the cell, in the order of the ranks
/// and their cells. Rows are found by key, on any number of ranks. With the same number of ranks and the same partition each
/// rank reads only its own rows.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/io/hdf5/pending_file.hpp"

namespace weft::io {

/// Description of the run; equal on every rank.
struct CheckpointInfo {
  std::int64_t step = 0;
  double time = 0;  ///< s
  std::int64_t global_cells = 0;
  std::uint64_t mesh_fingerprint = 0;                     ///< fingerprint() of the mesh
  std::string case_text{};                                ///< the effective case
  std::vector<std::pair<std::string, double>> numbers{};  ///< further named numbers of the run
  int ranks = 0;                                          ///< number of ranks that wrote the file; set by the reader
};

/// `width` contiguous values for each row of this rank.
struct CheckpointField {
  std::string name;
  std::span<const double> values;
  int width = 1;
};

/// Writes `path`, which at all times is the old file or the complete new one. All contents have checksums.
/// @param keys  a global id for each row of this rank, 0 ... global_cells - 1, unique over all ranks.
/// @param previous  if given, the name under which the old file is retained.
/// @throws IoError: write error; ContractError: inconsistent sizes. Every rank throws.  @collective
void write_checkpoint(const Communicator& comm, const std::filesystem::path& path, const CheckpointInfo& info,
                      std::span<const std::int64_t> keys, std::span<const CheckpointField> fields,
                      const std::filesystem::path& previous = {});

/// Begins write_checkpoint(): start() of the file that is returned writes the rows in a thread of each rank, and
/// finish(previous) names it. Until then `path` is the old file.
/// @param owner  holds what `keys` and `fields` refer to, until it is written; without one, it must exist until finish().
/// @param team  the threads that compute the checksums.
/// @throws as write_checkpoint(), but errors of writing the rows are those of finish().  @collective
[[nodiscard]] PendingFile begin_checkpoint(const Communicator& comm, const std::filesystem::path& path,
                                           const CheckpointInfo& info, std::span<const std::int64_t> keys,
                                           std::span<const CheckpointField> fields, const std::shared_ptr<const void>& owner,
                                           Team& team);

/// Returns a hash that is equal for equal sets of keyed rows and differs otherwise (but for a probability of 2^-64). It does
/// not depend on the order of the rows or their ranks. For a mesh: global cell ids and centroids.
/// @pre values.size() is a multiple of keys.size().  @collective
[[nodiscard]] std::uint64_t fingerprint(const Communicator& comm, std::span<const std::int64_t> keys,
                                        std::span<const double> values);
/// Computes fingerprint() on the threads of a team: the same hash on any number of them.
[[nodiscard]] std::uint64_t fingerprint(const Communicator& comm, std::span<const std::int64_t> keys,
                                        std::span<const double> values, Team& team);

class CheckpointReader {
 public:
  /// Opens a checkpoint. @throws IoError on every rank: missing, truncated, damaged, not a checkpoint, another format
  /// version.  @collective
  CheckpointReader(const Communicator& comm, const std::filesystem::path& path);
  CheckpointReader(CheckpointReader&&) noexcept;
  CheckpointReader& operator=(CheckpointReader&&) noexcept;
  ~CheckpointReader();

  [[nodiscard]] const CheckpointInfo& info() const;
  /// Returns a named number. @throws IoError if it is missing.
  [[nodiscard]] double number(const std::string& name) const;

  /// Checks the mesh. @throws IoError if the checkpoint belongs to another mesh.
  void expect_mesh(std::int64_t global_cells, std::uint64_t mesh_fingerprint) const;

  /// Selects the rows of this rank by their keys, in that order. Any rank may read any rows.
  /// @throws IoError on every rank: a key that is missing or occurs twice in the checkpoint.  @collective
  void choose_rows(std::span<const std::int64_t> keys);
  /// Returns the selected rows of a field.
  /// @throws IoError on every rank: missing field, another width, damaged.  @pre choose_rows() was called.  @collective
  [[nodiscard]] std::vector<double> read(const std::string& field, int width = 1) const;
  /// Closes the file. @collective
  [[nodiscard]] bool has(const std::string& field) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::io
