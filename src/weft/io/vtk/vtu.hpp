#pragma once
/// VTK's XML files of unstructured grids (.vtu) with raw appended data, for programs that do not read VTKHDF. Written by one
/// rank, array by array and in pieces, so that no array need be in memory as a whole.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "weft/io/vtk/vtkhdf.hpp"

namespace weft::io {

/// An array of a .vtu file: `components` numbers in each cell.
struct VtuArray {
  enum class Type { float32, float64, int64 };
  std::string name;
  Type type = Type::float64;
  int components = 1;
};

struct VtuSizes {
  std::int64_t points = 0, cells = 0, connectivity = 0;
};

/// The arrays follow one another: points (3 each, of `point_type`), connectivity (int64), offsets (int64, the end of each cell's
/// nodes), types (uint8), then `cell_data` in its order. Each is appended in as many pieces as suits.
///
///     VtuWriter file("a.vtu", {.points = 3, .cells = 1, .connectivity = 3}, VtuArray::Type::float64, {{"p"}});
///     file.append(points), file.append(connectivity), file.append(offsets), file.append(types), file.append(pressures);
///     file.finish();
class VtuWriter {
 public:
  /// Begins a file under the name part_name(path). This rank alone.  @throws IoError: it cannot be written.
  VtuWriter(std::filesystem::path path, const VtuSizes& sizes, VtuArray::Type point_type, const std::vector<VtuArray>& cell_data,
            double time, std::int64_t step);
  VtuWriter(const VtuWriter&) = delete;
  VtuWriter& operator=(const VtuWriter&) = delete;
  /// Removes what was written, where finish() was not called.
  ~VtuWriter();

  /// Appends to the array that is not yet full; a piece belongs to one array. @pre it has room, and elements of this size.
  /// @throws IoError: the disk is full.
  template <class T>
  void append(std::span<const T> values) {
    append_bytes(std::as_bytes(values));
  }
  /// Ends the file, brings it to the disk and gives it its name. @pre every array is full.  @throws IoError
  void finish();

 private:
  void append_bytes(std::span<const std::byte> bytes);
  void expect_written();
  void remove_part();

  std::filesystem::path path_;
  std::ofstream file_;
  std::vector<std::uint64_t> bytes_;  ///< of each array
  std::size_t array_ = 0;             ///< the next one with bytes to come
  std::uint64_t written_ = 0;         ///< bytes of it
  bool finished_ = false;
};

/// Writes a whole grid at once. @pre the sizes fit. This rank alone.  @throws IoError
void write_vtu(const std::filesystem::path& path, const VtkGrid& grid, std::span<const VtkField> cell_fields, double time,
               std::int64_t step);

}  // namespace weft::io
