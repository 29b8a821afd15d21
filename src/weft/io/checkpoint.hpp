#pragma once
/// Checkpoints: the state of a run, from which it goes on bit by bit.
///
/// A checkpoint keeps rows of the cells' values with a key for each row, the cell's global id, in the order in which the ranks
/// hold them. Rows are found again by key, on the same or on another number of ranks. On the same number with the same partition
/// every rank reads its own rows and nothing else.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/comm/communicator.hpp"

namespace weft::io {

/// What a checkpoint says about the run. Equal on every rank.
struct CheckpointInfo {
  std::int64_t step = 0;
  double time = 0;  ///< s
  std::int64_t global_cells = 0;
  std::uint64_t mesh_fingerprint = 0;                     ///< fingerprint() of the mesh
  std::string case_text{};                                ///< the effective case
  std::vector<std::pair<std::string, double>> numbers{};  ///< anything else that the run must remember
  int ranks = 0;                                          ///< that wrote it; set by the reader
};

/// `width` values for each of this rank's rows, side by side.
struct CheckpointField {
  std::string name;
  std::span<const double> values;
  int width = 1;
};

/// Writes `path`, which is the old file or the whole new one whatever happens meanwhile. Everything in it has a checksum.
/// @param keys  a global id for each row of this rank; each id once over all ranks, 0 ... global_cells - 1.
/// @param previous  where given, the name under which the old file stays.
/// @throws IoError: cannot be written; ContractError: sizes that do not fit. Every rank throws.  @collective
void write_checkpoint(const Communicator& comm, const std::filesystem::path& path, const CheckpointInfo& info,
                      std::span<const std::int64_t> keys, std::span<const CheckpointField> fields,
                      const std::filesystem::path& previous = {});

/// A number that two sets of keyed rows share only if they are equal (but for chance, 1 in 2^64). It depends neither on the order
/// of the rows nor on the ranks that hold them. For a mesh: global cell ids and centroids.
/// @pre values.size() is a multiple of keys.size().  @collective
[[nodiscard]] std::uint64_t fingerprint(const Communicator& comm, std::span<const std::int64_t> keys,
                                        std::span<const double> values);

class CheckpointReader {
 public:
  /// @throws IoError on every rank: no such file, truncated, damaged, not a checkpoint, of another format version.  @collective
  CheckpointReader(const Communicator& comm, const std::filesystem::path& path);
  CheckpointReader(CheckpointReader&&) noexcept;
  CheckpointReader& operator=(CheckpointReader&&) noexcept;
  ~CheckpointReader();

  [[nodiscard]] const CheckpointInfo& info() const;
  /// The number of that name. @throws IoError if there is none.
  [[nodiscard]] double number(const std::string& name) const;

  /// @throws IoError if the checkpoint belongs to another mesh.
  void expect_mesh(std::int64_t global_cells, std::uint64_t mesh_fingerprint) const;

  /// Names the rows that this rank wants, in its order. Ranks may want any rows.
  /// @throws IoError on every rank: a key that the checkpoint lacks, or has twice.  @collective
  void choose_rows(std::span<const std::int64_t> keys);
  /// The chosen rows of a field.
  /// @throws IoError on every rank: no such field, another width, damaged.  @pre choose_rows() was called.  @collective
  [[nodiscard]] std::vector<double> read(const std::string& field, int width = 1) const;
  /// @collective
  [[nodiscard]] bool has(const std::string& field) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::io
