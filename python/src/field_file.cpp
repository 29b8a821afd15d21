// Field files of runs, read for the cells of a mesh.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/vtk/vtkhdf_reader.hpp"

#include "bindings.hpp"

namespace weft::python {
namespace {

constexpr const char* kCellId = "cell_id";
constexpr std::int64_t kRowsAtATime = 1 << 20;

/// Rows of a file that this rank needs, in the order of the file, and the cells that they belong to.
struct Rows {
  std::vector<std::int64_t> row;
  std::vector<std::size_t> cell;
};

/// Finds the rows of the owned cells by their numbers in the source of the mesh.  @throws IoError on every rank.  @collective
Rows find_rows(const io::VtkHdfReader& file, const mesh::Mesh& mesh) {
  const auto owned = static_cast<std::size_t>(mesh.owned_cells);
  std::unordered_map<std::int64_t, std::size_t> cell_of;
  for (const mesh::LocalCellId c : mesh.owned()) cell_of.emplace(mesh.cell_file_id[c], c.index());
  const auto other_mesh = [&](const std::string& problem) {
    return IoError(problem, "read it with the mesh of its run", {.file = file.path().string()});
  };
  const io::VtkHdfReader::Field* const id = file.field(kCellId);
  if (id == nullptr || file.cells() != mesh.global_cells) {
    throw other_mesh(fmt::format("this file has {} cells{}, and the mesh {}", file.cells(),
                                 id == nullptr ? " without numbers" : "", mesh.global_cells));
  }
  Rows rows;
  for (std::int64_t first = 0; first < file.cells(); first += kRowsAtATime) {
    const std::int64_t count = std::min(kRowsAtATime, file.cells() - first);
    const std::vector<std::int64_t> ids = file.read_integers(*id, first, count);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto found = cell_of.find(ids[i]);
      if (found == cell_of.end()) continue;
      rows.row.push_back(first + static_cast<std::int64_t>(i));
      rows.cell.push_back(found->second);
    }
  }
  agreed(mesh.comm, [&] {
    if (rows.row.size() != owned) throw other_mesh("this file lacks cells of the mesh");
  });
  return rows;
}

/// Returns the values of a field in the owned cells.  @collective
template <class T, class Read>
std::vector<T> pick(const io::VtkHdfReader& file, const Rows& rows, std::size_t width, const Read& read) {
  std::vector<T> values(rows.cell.size() * width);
  std::size_t next = 0;
  for (std::int64_t first = 0; first < file.cells(); first += kRowsAtATime) {
    const std::int64_t count = std::min(kRowsAtATime, file.cells() - first);
    const std::vector<T> all = read(first, count);
    for (; next < rows.row.size() && rows.row[next] < first + count; ++next) {
      const auto from = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(rows.row[next] - first) * width);
      std::copy_n(all.begin() + from, width, values.begin() + static_cast<std::ptrdiff_t>(rows.cell[next] * width));
    }
  }
  return values;
}

/// A field in the owned cells, before a numpy array takes its values.
struct Values {
  std::string name;
  std::size_t columns;  ///< 0: one value per cell
  std::variant<std::vector<double>, std::vector<std::int64_t>> entries;
};

/// Reads all fields of a file. The file is closed, also by an error, while no other thread uses HDF5.  @collective
std::vector<Values> read_all(const mesh::Mesh& mesh, const std::string& path) {
  const Computing computing;
  const io::VtkHdfReader file(mesh.comm, path);
  const Rows rows = find_rows(file, mesh);
  std::vector<Values> all;
  for (const io::VtkHdfReader::Field& field : file.fields()) {
    const auto width = static_cast<std::size_t>(field.components);
    Values& values = all.emplace_back(Values{.name = field.name, .columns = width == 1 ? 0 : width, .entries = {}});
    if (field.type == io::VtkHdfReader::Field::Type::int64) {
      values.entries =
          pick<std::int64_t>(file, rows, width, [&](auto first, auto count) { return file.read_integers(field, first, count); });
    } else {
      values.entries =
          pick<double>(file, rows, width, [&](auto first, auto count) { return file.read_reals(field, first, count); });
    }
  }
  return all;
}

}  // namespace

nb::dict read_fields(const mesh::Mesh& mesh, const std::string& path) {
  nb::dict fields;
  for (Values& field : read_all(mesh, path)) {
    fields[nb::str(field.name.c_str())] =
        std::visit([&](auto& entries) { return array_of(std::move(entries), field.columns); }, field.entries);
  }
  return fields;
}

}  // namespace weft::python
