#pragma once
/// Reader of the field files of runs: VTKHDF as written by write_vtkhdf().
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"

namespace weft::io {

/// Cells and points are numbered over all pieces of the file; nodes of a cell are points of its piece.
class VtkHdfReader {
 public:
  /// The data written by one rank.
  struct Piece {
    std::int64_t first_point = 0, points = 0, first_cell = 0, cells = 0, first_id = 0, ids = 0;
  };
  struct Field {
    std::string name;
    int components = 1;
    enum class Type { float32, float64, int64 } type = Type::float64;
  };
  /// A range of cells: their types, and their nodes as point numbers of the file.
  struct Cells {
    std::vector<std::uint8_t> types;         ///< VTK types
    std::vector<std::int64_t> nodes, begin;  ///< nodes of cell i: begin[i] ... begin[i + 1] - 1
  };

  /// Opens a file. @throws IoError on every rank: missing, not VTKHDF of an unstructured grid, inconsistent sizes.
  /// @collective
  VtkHdfReader(const Communicator& comm, const std::filesystem::path& path);

  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  /// Returns the field of that name; null if it is missing.
  [[nodiscard]] const Field* field(const std::string& name) const;
  [[nodiscard]] std::int64_t cells() const { return cells_; }
  [[nodiscard]] std::int64_t points() const { return points_; }
  [[nodiscard]] std::int64_t ids() const { return ids_; }  ///< number of nodes of all cells
  [[nodiscard]] bool single_precision() const { return single_; }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] const std::string& provenance() const { return provenance_; }
  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }

  // Read the rows first ... first + count - 1; the range may differ between ranks and be empty. @throws IoError on every
  // rank: damaged file.  @collective
  [[nodiscard]] std::vector<Vec3> read_points(std::int64_t first, std::int64_t count) const;
  [[nodiscard]] Cells read_cells(std::int64_t first, std::int64_t count) const;
  /// Reads a field of real numbers.
  [[nodiscard]] std::vector<double> read_reals(const Field& field, std::int64_t first, std::int64_t count) const;
  /// Reads a field of integers.
  [[nodiscard]] std::vector<std::int64_t> read_integers(const Field& field, std::int64_t first, std::int64_t count) const;

 private:
  [[nodiscard]] std::vector<double> read_numbers(const std::string& name, bool single, std::int64_t first, std::int64_t count,
                                                 int width) const;

  Hdf5File file_;
  std::vector<Piece> pieces_;
  std::vector<Field> fields_;
  std::int64_t cells_ = 0, points_ = 0, ids_ = 0, step_ = 0;
  double time_ = 0;
  bool single_ = false;
  std::string provenance_;
};

}  // namespace weft::io
