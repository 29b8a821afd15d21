#pragma once
/// XML files of VTK with unstructured grids (.vtu) and raw appended data, for programs without a VTKHDF reader. One rank
/// writes array after array in pieces, so that no array must be in memory as a whole.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "weft/io/vtk/vtkhdf.hpp"

namespace weft::io {

/// An array of a .vtu file with `components` numbers per cell.
struct VtuArray {
  enum class Type { float32, float64, int64 };
  std::string name;
  Type type = Type::float64;
  int components = 1;
};

struct VtuSizes {
  std::int64_t points = 0, cells = 0, connectivity = 0;
};

/// The order of arrays is: points (3 each, of `point_type`), connectivity (int64), offsets (int64, the end of each cell's
/// nodes), types (uint8), then `cell_data`. Each may be appended in any number of pieces.
///
///     VtuWriter file("a.vtu", {.points = 3, .cells = 1, .connectivity = 3}, VtuArray::Type::float64, {{"p"}});
///     file.append(points), file.append(connectivity), file.append(offsets), file.append(types), file.append(pressures);
///     file.finish();
class VtuWriter {
 public:
  /// Creates a file under the name part_name(path). Called by one rank.  @throws IoError: write error.
  VtuWriter(std::filesystem::path path, const VtuSizes& sizes, VtuArray::Type point_type, const std::vector<VtuArray>& cell_data,
            double time, std::int64_t step);
  VtuWriter(const VtuWriter&) = delete;
  VtuWriter& operator=(const VtuWriter&) = delete;
  /// Removes an unfinished file.
  ~VtuWriter();

  /// Appends to the first incomplete array; a piece belongs to one array. @pre the piece fits and has the element size of the
  /// array.
  /// @throws IoError: the disk is full.
  template <class T>
  void append(std::span<const T> values) {
    append_bytes(std::as_bytes(values));
  }
  /// Completes the file, syncs it and renames it. @pre all arrays are complete.  @throws IoError
  void finish();

 private:
  void append_bytes(std::span<const std::byte> bytes);
  void expect_written();
  void remove_part();

  std::filesystem::path path_;
  std::ofstream file_;
  std::vector<std::uint64_t> bytes_;  ///< by array
  std::size_t array_ = 0;             ///< the first incomplete one
  std::uint64_t written_ = 0;         ///< bytes written of it
  bool finished_ = false;
};

/// Writes a complete grid. @pre the sizes are consistent. Called by one rank.  @throws IoError
void write_vtu(const std::filesystem::path& path, const VtkGrid& grid, std::span<const VtkField> cell_fields, double time,
               std::int64_t step);

}  // namespace weft::io
