#include "weft/flow/app/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/flow/app/export_points.hpp"
#include "weft/flow/app/export_zones.hpp"
#include "weft/io/vtk/vtkhdf_reader.hpp"
#include "weft/io/vtk/vtm.hpp"
#include "weft/io/vtk/vtu.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/mesh/cell_type.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using detail::ExportPoints;
using detail::in_runs;
using detail::join_points;
using detail::narrow;
using detail::renumbered;
using io::VtkHdfReader;

/// Reverses the triangles of prisms. Field files have them in the order of VTK up to 9.6 (ParaView up to 6.1), VTU files in that
/// of VTK 9.7, which is also ours; no version in either format distinguishes them.
void turn_prisms(const VtkHdfReader::Cells& cells, std::vector<std::int64_t>& nodes) {
  const mesh::CellShape& prism = mesh::shape(mesh::CellType::prism);
  for (std::size_t c = 0; c < cells.types.size(); ++c) {
    if (cells.types[c] != prism.vtk || cells.begin[c + 1] - cells.begin[c] != prism.nodes) continue;
    const std::size_t first = cells.begin[c];
    std::swap(nodes[first + 1], nodes[first + 2]);
    std::swap(nodes[first + 4], nodes[first + 5]);
  }
}

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

/// Returns the part of a file name that names a zone: its name with '_' for characters that some file system or URL rejects, and
/// its index, because names of zones may differ by such characters alone.
std::string file_part(std::size_t index, const std::string& zone) {
  constexpr std::size_t kLongest = 64;
  std::string part = fmt::format("_{}_", index);
  for (const char c : zone.substr(0, kLongest)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
    part += plain ? c : '_';
  }
  return part;
}

/// Writes each zone that has faces as `<stem>_<index>_<zone>.vtu` next to `grid`, and `<stem>.vtm` with the cells and these as
/// blocks.
void write_zones(const VtkHdfReader& file, const fs::path& grid, const ExportedZones& zones) {
  const detail::BoundaryFaces boundary = detail::read_boundary_faces(zones);
  std::vector<io::VtmBlock> blocks;
  for (std::size_t z = 0; z < boundary.zones.size(); ++z) {
    const detail::ZoneFaces& faces = boundary.zones[z];
    if (faces.types.empty()) continue;
    std::vector<std::int64_t> used = faces.nodes;
    kernels::sort_unique(used);
    std::vector<Vec3> points;
    for (const std::int64_t node : used) points.push_back(boundary.points[node]);
    std::vector<std::int32_t> nodes;
    for (const std::int64_t node : faces.nodes)
      nodes.push_back(static_cast<std::int32_t>(std::lower_bound(used.begin(), used.end(), node) - used.begin()));
    const std::vector<std::int64_t> numbers(faces.types.size(), static_cast<std::int64_t>(z));
    const io::VtkField zone{"zone", std::span<const std::int64_t>(numbers), 1};
    const std::string name = grid.stem().string() + file_part(z, zones.names[z]) + ".vtu";
    io::write_vtu(grid.parent_path() / name,
                  {.points = points, .connectivity = nodes, .offsets = faces.begin, .types = faces.types}, {&zone, 1},
                  file.time(), file.step());
    blocks.push_back({zones.names[z], name});
  }
  fs::path to = grid;
  io::write_vtm(to.replace_extension(row_of(ExportFormat::vtu).index), {"cells", grid.filename().string()}, "boundary", blocks);
}

}  // namespace

Exported export_vtu(const fs::path& fields, const fs::path& to, const std::optional<ExportedZones>& zones) {
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
      const Vec3& x = points.x[i];
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
  if (zones) write_zones(file, to, *zones);
  return {file.cells(), std::ssize(points.x)};
}

}  // namespace weft::flow
