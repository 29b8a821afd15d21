#pragma once
/// Histories of a run as CSV: one row per sample, written by rank 0, complete up to the last row at any moment.
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"

namespace weft::io {

/// A CSV file with a header line. Numbers have 17 significant digits, so nothing is lost; each row is flushed.
class Table {
 public:
  /// A new file; one of this name is replaced. Column names hold neither commas, quotes nor line ends.
  /// @throws IoError on every rank: cannot be written.  @collective
  [[nodiscard]] static Table create(const Communicator& comm, const std::filesystem::path& path,
                                    std::vector<std::string> columns);

  /// Goes on with the file of an earlier run. Rows whose first column exceeds `last` are dropped, as is a last row that was cut
  /// off: they were written after the checkpoint that the run goes on from. Without a file, as create().
  /// @throws IoError on every rank: cannot be read or written, other columns, a first column that is no number.  @collective
  [[nodiscard]] static Table resume(const Communicator& comm, const std::filesystem::path& path, std::vector<std::string> columns,
                                    double last);

  /// Throws what resume() would throw for the file's content, and changes nothing.  @collective
  static void expect_resumable(const Communicator& comm, const std::filesystem::path& path,
                               const std::vector<std::string>& columns);

  /// Adds a row; ranks other than 0 do nothing. @pre as many values as columns.
  /// @throws IoError on rank 0 alone: the disk is full.
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

/// The rows of a table, on every rank. @throws IoError on every rank: cannot be read, a value that is no number.  @collective
[[nodiscard]] std::vector<std::vector<double>> read_table(const Communicator& comm, const std::filesystem::path& path);

}  // namespace weft::io
