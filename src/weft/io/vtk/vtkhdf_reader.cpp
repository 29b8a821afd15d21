#include "weft/io/vtk/vtkhdf_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::io {
namespace {

namespace fs = std::filesystem;
using Scalar = ElementType::Scalar;

constexpr const char* kDamaged = "the file is damaged, or was not written by weft: write it again";

[[noreturn]] void fail(const fs::path& path, std::string problem) {
  throw IoError(std::move(problem), kDamaged, Where{.file = path.string()});
}

}  // namespace

VtkHdfReader::VtkHdfReader(const Communicator& comm, const fs::path& path) : file_(Hdf5File::open(comm, path)) {
  if (!file_.has("VTKHDF") || !file_.has("VTKHDF/NumberOfCells") || !file_.has("VTKHDF/Points") ||
      !file_.has("VTKHDF/CellData")) {
    throw IoError("is not a field file of a run (VTKHDF of an unstructured grid)", "give a fields_*.hdf of a results folder",
                  Where{.file = path.string()});
  }
  const std::int64_t pieces = file_.info("VTKHDF/NumberOfCells").rows;
  const auto counts = [&](const char* name) { return file_.read_rows<std::int64_t>(name, 0, pieces); };
  const std::vector<std::int64_t> cells = counts("VTKHDF/NumberOfCells"), points = counts("VTKHDF/NumberOfPoints"),
                                  ids = counts("VTKHDF/NumberOfConnectivityIds");
  const DatasetInfo stored = file_.info("VTKHDF/Points");
  const std::int64_t types = file_.info("VTKHDF/Types").rows, connectivity = file_.info("VTKHDF/Connectivity").rows;
  const std::int64_t offsets = file_.info("VTKHDF/Offsets").rows;
  agreed(comm, [&] {
    const auto fits = [](std::int64_t count, std::int64_t before, std::int64_t all) {
      return count >= 0 && count <= all - before;
    };
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!fits(cells[i], cells_, types) || !fits(points[i], points_, stored.rows) || !fits(ids[i], ids_, connectivity))
        fail(path, fmt::format("piece {} is larger than the arrays of the file", i));
      pieces_.push_back({points_, points[i], cells_, cells[i], ids_, ids[i]});
      points_ += points[i];
      cells_ += cells[i];
      ids_ += ids[i];
    }
  });
  single_ = stored.scalar == Scalar::float32;
  agreed(comm, [&] {
    if (stored.rows != points_ || types != cells_ || connectivity != ids_ || offsets != cells_ + std::ssize(pieces_))
      fail(path, "its arrays have other sizes than its pieces say");
  });
  for (const std::string& name : file_.datasets("VTKHDF/CellData")) {
    const DatasetInfo info = file_.info("VTKHDF/CellData/" + name);
    agreed(comm, [&] {
      if (info.rows != cells_) fail(path, fmt::format("{} has {} values for {} cells", name, info.rows, cells_));
    });
    if (info.scalar != Scalar::float32 && info.scalar != Scalar::float64 && info.scalar != Scalar::int64) continue;
    const auto type = info.scalar == Scalar::int64     ? Field::Type::int64
                      : info.scalar == Scalar::float32 ? Field::Type::float32
                                                       : Field::Type::float64;
    fields_.push_back({name, info.columns, type});
  }
  if (file_.has("VTKHDF/FieldData/TimeValue")) time_ = file_.read_rows<double>("VTKHDF/FieldData/TimeValue", 0, 1).front();
  if (file_.has("VTKHDF/FieldData/Step")) step_ = file_.read_rows<std::int64_t>("VTKHDF/FieldData/Step", 0, 1).front();
  if (file_.has("Provenance")) provenance_ = file_.read_text("Provenance");
}

const VtkHdfReader::Field* VtkHdfReader::field(const std::string& name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const Field& field) { return field.name == name; });
  return found == fields_.end() ? nullptr : &*found;
}

std::vector<double> VtkHdfReader::read_numbers(const std::string& name, bool single, std::int64_t first, std::int64_t count,
                                               int width) const {
  if (!single) return file_.read_rows<double>(name, first, count, width);
  const std::vector<float> narrow = file_.read_rows<float>(name, first, count, width);
  return {narrow.begin(), narrow.end()};
}

std::vector<Vec3> VtkHdfReader::read_points(std::int64_t first, std::int64_t count) const {
  const std::vector<double> values = read_numbers("VTKHDF/Points", single_, first, count, 3);
  std::vector<Vec3> points(values.size() / 3);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
  return points;
}

std::vector<double> VtkHdfReader::read_reals(const Field& field, std::int64_t first, std::int64_t count) const {
  return read_numbers("VTKHDF/CellData/" + field.name, field.type == Field::Type::float32, first, count, field.components);
}

std::vector<std::int64_t> VtkHdfReader::read_integers(const Field& field, std::int64_t first, std::int64_t count) const {
  return file_.read_rows<std::int64_t>("VTKHDF/CellData/" + field.name, first, count, field.components);
}

VtkHdfReader::Cells VtkHdfReader::read_cells(std::int64_t first, std::int64_t count) const {
  Cells cells;
  cells.types = file_.read_rows<std::uint8_t>("VTKHDF/Types", first, count);
  cells.begin.push_back(0);
  // Each piece has one more offset than cells, counted from its own first node. All ranks process the pieces together.
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const Piece& piece = pieces_[p];
    const std::int64_t from = std::max(first, piece.first_cell), to = std::min(first + count, piece.first_cell + piece.cells);
    const std::int64_t here = std::max<std::int64_t>(to - from, 0);
    if (!file_.comm().any(here > 0)) continue;
    const std::vector<std::int64_t> offsets = file_.read_rows<std::int64_t>(
        "VTKHDF/Offsets", here > 0 ? from + static_cast<std::int64_t>(p) : 0, here > 0 ? here + 1 : 0);
    agreed(file_.comm(), [&] {
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (offsets[i] < (i == 0 ? 0 : offsets[i - 1]) || offsets[i] > piece.ids)
          fail(path(), "the offsets of its cells do not rise");
      }
    });
    const std::vector<std::int64_t> nodes =
        here > 0 ? file_.read_rows<std::int64_t>("VTKHDF/Connectivity", piece.first_id + offsets.front(),
                                                 offsets.back() - offsets.front())
                 : file_.read_rows<std::int64_t>("VTKHDF/Connectivity", 0, 0);
    agreed(file_.comm(), [&] {
      for (const std::int64_t node : nodes) {
        if (node < 0 || node >= piece.points) fail(path(), fmt::format("a cell names the point {} of {}", node, piece.points));
        cells.nodes.push_back(piece.first_point + node);
      }
    });
    const std::int64_t base = cells.begin.back();
    for (std::size_t i = 1; i < offsets.size(); ++i) cells.begin.push_back(base + offsets[i] - offsets.front());
  }
  return cells;
}

}  // namespace weft::io
