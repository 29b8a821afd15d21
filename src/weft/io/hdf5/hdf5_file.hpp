#pragma once
/// An HDF5 file that all ranks of a communicator write and read together.
///
/// Names are paths in the file ("VTKHDF/Points"); groups on the way are made as needed. Every result of HDF5 is checked, and
/// ranks agree on it: IoError, with the file and HDF5's own words, is thrown by all of them. HDF5 prints nothing itself.
///
/// No call into HDF5 is collective. Rank 0 alone writes the structure of a file; it tells each rank where the rows of a dataset
/// begin, and the ranks write their rows there themselves. For reading, every rank opens the file alone. A rank that fails alone
/// with a file open therefore waits for nobody: neither its error nor the destructor communicates.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/array/element_type.hpp"
#include "weft/comm/communicator.hpp"

namespace weft::io {

/// A dataset as it lies in the file: `rows` rows of `columns` scalars.
struct DatasetInfo {
  ElementType::Scalar scalar = ElementType::Scalar::bytes;
  std::int64_t rows = 0;
  std::int32_t columns = 1;
};

class Hdf5File {
 public:
  /// Creates a file; one of this name is replaced. Every rank must see the file that rank 0 creates.
  /// @throws IoError: no such directory, no permission; a directory that the ranks do not share, with the rank and its machine.
  /// @collective
  [[nodiscard]] static Hdf5File create(const Communicator& comm, const std::filesystem::path& path);
  /// Opens a file for reading. Links and datasets that lead to other files are refused when they are met.
  /// @throws IoError: no such file, not HDF5, truncated; a rank that does not see the file of rank 0, with its machine.
  /// @collective
  [[nodiscard]] static Hdf5File open(const Communicator& comm, const std::filesystem::path& path);

  Hdf5File(Hdf5File&&) noexcept;
  Hdf5File& operator=(Hdf5File&&) noexcept;
  /// Closes the file on this rank. Does not communicate, and errors are lost: call close() to see them.
  ~Hdf5File();

  /// Makes sure that the disk has room for so many more bytes; writing does so by itself for each dataset. A full disk is thus an
  /// error before any rank writes: HDF5 may not survive one that comes later. Where the file system cannot reserve,
  /// free space is compared. @throws IoError: no room. @collective
  void reserve(std::int64_t bytes);

  /// Writes out, waits on every rank that wrote until its data are on the disk (fsync), and closes.
  /// @throws IoError: the disk is full. @collective
  void close();

  [[nodiscard]] const std::filesystem::path& path() const;
  [[nodiscard]] const Communicator& comm() const;

  // Writing. All @collective; attributes and texts as rank 0 gives them. Object "/" is the file itself.
  void make_group(const std::string& name);
  void write_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void write_attribute(const std::string& object, const std::string& name, double value);
  void write_attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values);
  /// ASCII, fixed length, at least one byte: as VTK wants it.
  void write_attribute(const std::string& object, const std::string& name, std::string_view text);
  /// A table as rank 0 gives it, row by row: a dataset of two dimensions, also where it has one column.
  void write_table(const std::string& name, std::span<const std::int64_t> values, std::int64_t columns);
  /// A text of any length as a dataset of its own.
  void write_text(const std::string& name, std::string_view text);
  /// The ranks' rows one after the other, in the order of the ranks, as one dataset. Each rank gives rows of `width` elements
  /// (the same everywhere); a rank may give none. The dataset has one dimension where a row is one scalar, else two. Rows are
  /// written in pieces of at most comm().piece_bytes().
  template <class T>
  void write_rows(const std::string& name, std::span<const T> elements, std::int32_t width = 1) {
    write_bytes(name, std::as_bytes(elements), element_type<T>, width);
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
  /// Rows first ... first + rows - 1, where each rank may want others, or none.
  /// @throws IoError if the dataset has another type or width, or fewer rows.
  template <class T>
  [[nodiscard]] std::vector<T> read_rows(const std::string& name, std::int64_t first, std::int64_t rows,
                                         std::int32_t width = 1) const {
    std::vector<T> elements;
    const auto memory = [&] {  // asked for when the file is known to have these rows
      elements.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width));
      return std::as_writable_bytes(std::span(elements));
    };
    read_bytes(name, memory, element_type<T>, first, rows, width);
    return elements;
  }

 private:
  struct State;
  explicit Hdf5File(std::unique_ptr<State> state);
  void write_bytes(const std::string& name, std::span<const std::byte> bytes, const ElementType& type, std::int32_t width);
  void read_bytes(const std::string& name, const std::function<std::span<std::byte>()>& memory, const ElementType& type,
                  std::int64_t first, std::int64_t rows, std::int32_t width) const;

  std::unique_ptr<State> state_;
};

}  // namespace weft::io
