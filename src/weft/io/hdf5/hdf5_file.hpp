#pragma once
/// An HDF5 file that all ranks of a communicator write and read together.
///
/// Names are paths in the file ("VTKHDF/Points"); missing groups are created. Each result of HDF5 is checked and agreed upon:
/// all ranks throw the IoError with the file and the message of HDF5, which itself prints nothing.
///
/// No call of HDF5 is collective. Rank 0 writes the structure of a file and sends the position of each dataset to the other
/// ranks, which write their rows directly. For reading, each rank opens the file. A rank that fails with a file open
/// therefore waits for no other rank: neither its error nor the destructor communicates.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/array/element_type.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/comm/communicator.hpp"

namespace weft::io {

/// A stored dataset: `rows` rows of `columns` scalars.
struct DatasetInfo {
  ElementType::Scalar scalar = ElementType::Scalar::bytes;
  std::int64_t rows = 0;
  std::int32_t columns = 1;
};

class Hdf5File {
 public:
  /// Creates a file, or replaces an existing one. All ranks must have access to the file that rank 0 creates.
  /// @throws IoError: missing directory, no permission; a directory that the ranks do not share, with the rank and its
  /// machine.
  /// @collective
  [[nodiscard]] static Hdf5File create(const Communicator& comm, const std::filesystem::path& path);
  /// Opens a file for reading. Links and datasets that refer to other files are rejected when they are read.
  /// @throws IoError: missing, not HDF5, truncated; a rank without access to the file of rank 0, with its machine.
  /// @collective
  [[nodiscard]] static Hdf5File open(const Communicator& comm, const std::filesystem::path& path);

  Hdf5File(Hdf5File&&) noexcept;
  Hdf5File& operator=(Hdf5File&&) noexcept;
  /// Closes the file on this rank. Does not communicate and ignores errors; close() reports them.
  ~Hdf5File();

  /// Reserves disk space for additional bytes, as writing does for each dataset. A full disk is thus an error before any rank
  /// writes; HDF5 may crash otherwise. If the file system cannot reserve space, the free space is compared. @throws IoError:
  /// the disk is full. @collective
  void reserve(std::int64_t bytes);

  /// Writes all data, waits on every writing rank until they are on disk (fsync), and closes the file.
  /// @throws IoError: the disk is full. @collective
  void close();
  /// Begins close(): closes the file in HDF5 and starts a thread of each rank that does the rest. Only close(), is_written() and
  /// the destructor, which waits for the thread, may follow. @throws IoError @collective
  void start_close();
  /// Returns whether the thread of this rank has ended, so that close() waits for other ranks only. @pre start_close()
  [[nodiscard]] bool is_written() const;

  [[nodiscard]] const std::filesystem::path& path() const;
  [[nodiscard]] const Communicator& comm() const;

  // Writing. All @collective; attributes and texts are those of rank 0. Object "/" is the file itself.
  void make_group(const std::string& name);
  void write_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void write_attribute(const std::string& object, const std::string& name, double value);
  void write_attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values);
  /// Writes ASCII text of fixed length, at least one byte, as VTK requires.
  void write_attribute(const std::string& object, const std::string& name, std::string_view text);
  /// Writes a table of rank 0, row by row, as a dataset with two dimensions, also for one column.
  void write_table(const std::string& name, std::span<const std::int64_t> values, std::int64_t columns);
  /// Writes a text of any length as a dataset.
  void write_text(const std::string& name, std::string_view text);
  /// Writes the rows of all ranks, in the order of the ranks, as one dataset. Each rank passes rows of `width` elements
  /// (equal on all ranks), or none. The dataset has one dimension if a row is one scalar, otherwise two. Rows are written in
  /// pieces of at most comm().piece_bytes().
  template <class T>
  void write_rows(const std::string& name, std::span<const T> elements, std::int32_t width = 1) {
    write_bytes(name, std::as_bytes(elements), element_type<T>, width, Moment::now, {});
  }
  /// Enters a dataset as write_rows() does, whose rows are written by close(), or by the thread of start_close().
  /// @param owner  destroyed when they are written, by the thread that writes, and so without a call of MPI, HDF5 or Python;
  ///   without one, the elements must exist until close() returns.
  template <class T>
  void write_rows_on_close(const std::string& name, std::span<const T> elements, std::int32_t width = 1,
                           std::shared_ptr<const void> owner = {}) {  // NOLINT(performance-unnecessary-value-param): it is moved
    write_bytes(name, std::as_bytes(elements), element_type<T>, width, Moment::on_close, std::move(owner));
  }

  // Reading. All @collective.
  [[nodiscard]] bool has(const std::string& name) const;
  /// Returns the names of the datasets in a group, in alphabetical order.
  [[nodiscard]] std::vector<std::string> datasets(const std::string& group) const;
  [[nodiscard]] bool has_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] std::int64_t read_integer_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] double read_real_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] std::string read_text_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] std::string read_text(const std::string& name) const;
  [[nodiscard]] DatasetInfo info(const std::string& name) const;
  /// Reads the rows first ... first + rows - 1; the range may differ between ranks and be empty.
  /// @throws IoError if the dataset has another type or width, or fewer rows.
  template <class T>
  [[nodiscard]] std::vector<T> read_rows(const std::string& name, std::int64_t first, std::int64_t rows,
                                         std::int32_t width = 1) const {
    Team alone;
    return read_into<std::vector<T>>(name, first, rows, width, alone);
  }
  /// Reads rows on the threads of the team, at least 16 MiB each, which also touch the memory first. HDF5 reads datasets in
  /// chunks or compressed, on one thread.
  template <class T>
  [[nodiscard]] TeamVector<T> read_rows(const std::string& name, std::int64_t first, std::int64_t rows, std::int32_t width,
                                        Team& team) const {
    return read_into<TeamVector<T>>(name, first, rows, width, team);
  }

 private:
  template <class List>
  [[nodiscard]] List read_into(const std::string& name, std::int64_t first, std::int64_t rows, std::int32_t width,
                               Team& team) const {
    List elements;
    const auto memory = [&] {  // allocated after the file was found to contain these rows
      resize_by_team(team, elements, static_cast<std::size_t>(rows) * static_cast<std::size_t>(width));
      return std::as_writable_bytes(std::span(elements));
    };
    read_bytes(name, memory, element_type<typename List::value_type>, first, rows, width, team);
    return elements;
  }

  struct State;
  enum class Moment { now, on_close };
  explicit Hdf5File(std::unique_ptr<State> state);
  void close_structure();
  void write_bytes(const std::string& name, std::span<const std::byte> bytes, const ElementType& type, std::int32_t width,
                   Moment moment, std::shared_ptr<const void> owner);
  void read_bytes(const std::string& name, const std::function<std::span<std::byte>()>& memory, const ElementType& type,
                  std::int64_t first, std::int64_t rows, std::int32_t width, Team& team) const;

  std::unique_ptr<State> state_;
};

}  // namespace weft::io
