#pragma once
/// Histories of a run as CSV: one row per sample, written by rank 0, complete up to the last row at any time.
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"

namespace weft::io {

/// A CSV file with a header line. Numbers have 17 significant digits and are thus exact; each row is flushed.
class Table {
 public:
  /// Creates a file, or replaces an existing one. Column names contain no commas, quotes or line ends.
  /// @throws IoError on every rank: write error.  @collective
  [[nodiscard]] static Table create(const Communicator& comm, const std::filesystem::path& path,
                                    std::vector<std::string> columns);

  /// Continues the file of an earlier run. Rows whose first column exceeds `last`, and an incomplete last row, are removed,
  /// because they were written after the checkpoint from which the run continues. Without a file, works like create().
  /// @throws IoError on every rank: read or write error, other columns, a first column that is not a number.  @collective
  [[nodiscard]] static Table resume(const Communicator& comm, const std::filesystem::path& path, std::vector<std::string> columns,
                                    double last);

  /// Throws the errors of resume() for the content of the file without changing it.  @collective
  static void expect_resumable(const Communicator& comm, const std::filesystem::path& path,
                               const std::vector<std::string>& columns);

  /// Appends a row; no effect on ranks other than 0. @pre one value per column.
  /// @throws IoError on rank 0 only: the disk is full.
  void add(std::span<const double> values);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

 private:
  Table(std::filesystem::path path, std::vector<std::string> columns) : path_(std::move(path)), columns_(std::move(columns)) {}
  static Table begin(const Communicator& comm, const std::filesystem::path& path, std::vector<std::string> columns,
                     const double* last);

  std::filesystem::path path_;
  std::vector<std::string> columns_;
  std::ofstream file_;  ///< open on rank 0
};

/// Returns the rows of a table on every rank. @throws IoError on every rank: read error, a value that is not a number.
/// @collective
[[nodiscard]] std::vector<std::vector<double>> read_table(const Communicator& comm, const std::filesystem::path& path);

}  // namespace weft::io
