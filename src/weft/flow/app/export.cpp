#include "weft/flow/app/export.hpp"

#include <string>
#include <utility>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/flow/app/export_points.hpp"
#include "weft/io/vtk/vtkhdf_reader.hpp"
#include "weft/io/vtk/vtu.hpp"
#include "weft/mesh/cell_type.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using detail::ExportPoints;
using detail::in_runs;
using detail::join_points;
using detail::renumbered;
using io::VtkHdfReader;

/// Reverses the triangles of prisms. Field files have them in the order of VTK up to 9.6 (ParaView up to 6.1), VTU files in that
/// of VTK 9.7, which is also ours; no version in either format distinguishes them.
void turn_prisms(const VtkHdfReader::Cells& cells, std::vector<std::int64_t>& nodes) {
  const mesh::CellShape& prism = mesh::shape(mesh::CellType::prism);
  for (std::size_t c = 0; c < cells.types.size(); ++c) {
    if (cells.types[c] != prism.vtk || cells.begin[c + 1] - cells.begin[c] != prism.nodes) continue;
    const auto first = static_cast<std::size_t>(cells.begin[c]);
    std::swap(nodes[first + 1], nodes[first + 2]);
    std::swap(nodes[first + 4], nodes[first + 5]);
  }
}

std::vector<float> narrow(const std::vector<double>& values) { return {values.begin(), values.end()}; }

io::VtuArray::Type vtu_type(VtkHdfReader::Field::Type type) {
  switch (type) {
    case VtkHdfReader::Field::Type::float32:
      return io::VtuArray::Type::float32;
    case VtkHdfReader::Field::Type::float64:
      return io::VtuArray::Type::float64;
    case VtkHdfReader::Field::Type::int64:
      break;
  }
  return io::VtuArray::Type::int64;
}

}  // namespace

Exported export_vtu(const fs::path& fields, const fs::path& to) {
  const VtkHdfReader file(Communicator::self(), fields);
  const ExportPoints points = join_points(file);
  std::vector<io::VtuArray> arrays;
  for (const VtkHdfReader::Field& field : file.fields()) arrays.push_back({field.name, vtu_type(field.type), field.components});
  const auto point_type = file.single_precision() ? io::VtuArray::Type::float32 : io::VtuArray::Type::float64;
  io::VtuWriter out(to, {.points = std::ssize(points.x), .cells = file.cells(), .connectivity = file.ids()}, point_type, arrays,
                    file.time(), file.step());
  const auto append_reals = [&](const std::vector<double>& values, bool single) {
    if (single) {
      out.append(std::span<const float>(narrow(values)));
    } else {
      out.append(std::span<const double>(values));
    }
  };
  in_runs(std::ssize(points.x), [&](std::int64_t first, std::int64_t count) {
    std::vector<double> run;
    for (std::int64_t i = first; i < first + count; ++i) {
      const Vec3& x = points.x[static_cast<std::size_t>(i)];
      run.insert(run.end(), {x.x, x.y, x.z});
    }
    append_reals(run, file.single_precision());
  });
  in_runs(file.cells(), [&](std::int64_t first, std::int64_t count) {
    const VtkHdfReader::Cells cells = file.read_cells(first, count);
    std::vector<std::int64_t> nodes = renumbered(cells.nodes, points);
    turn_prisms(cells, nodes);
    out.append(std::span<const std::int64_t>(nodes));
  });
  std::int64_t before = 0;  // nodes of the previous runs
  in_runs(file.cells(), [&](std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> ends = file.read_cells(first, count).begin;
    ends.erase(ends.begin());
    for (std::int64_t& end : ends) end += before;
    before = ends.back();
    out.append(std::span<const std::int64_t>(ends));
  });
  in_runs(file.cells(), [&](std::int64_t first, std::int64_t count) {
    out.append(std::span<const std::uint8_t>(file.read_cells(first, count).types));
  });
  for (const VtkHdfReader::Field& field : file.fields()) {
    in_runs(file.cells(), [&](std::int64_t first, std::int64_t count) {
      if (field.type == VtkHdfReader::Field::Type::int64) {
        out.append(std::span<const std::int64_t>(file.read_integers(field, first, count)));
      } else {
        append_reals(file.read_reals(field, first, count), field.type == VtkHdfReader::Field::Type::float32);
      }
    });
  }
  out.finish();
  return {file.cells(), std::ssize(points.x)};
}

}  // namespace weft::flow
