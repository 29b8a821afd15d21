#include "weft/flow/app/export_zones.hpp"

#include <fmt/format.h>

#include "weft/base/error.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/io/vtk/vtkhdf_reader.hpp"

namespace weft::flow::detail {

void refuse_boundary(const ExportedZones& zones, const std::string& problem) {
  throw IoError(problem, "run the case again, or export without zones: move this file away",
                Where{.file = zones.boundary.string()});
}

BoundaryFaces read_boundary_faces(const ExportedZones& zones) {
  const io::VtkHdfReader file(Communicator::self(), zones.boundary);
  const io::VtkHdfReader::Field* const zone = file.field("zone");
  if (zone == nullptr || zone->type != io::VtkHdfReader::Field::Type::int64) refuse_boundary(zones, "has no field \"zone\"");
  const std::vector<std::int64_t> numbers = file.read_integers(*zone, 0, file.cells());
  const io::VtkHdfReader::Cells faces = file.read_cells(0, file.cells());
  BoundaryFaces boundary{.points = file.read_points(0, file.points()), .zones = std::vector<ZoneFaces>(zones.names.size())};
  for (std::size_t f = 0; f < faces.types.size(); ++f) {
    if (numbers[f] < 0 || numbers[f] >= std::ssize(boundary.zones)) {
      refuse_boundary(zones, fmt::format("has a face of zone {}, and the run has {} zones", numbers[f], boundary.zones.size()));
    }
    ZoneFaces& of = boundary.zones[numbers[f]];
    of.types.push_back(faces.types[f]);
    of.nodes.insert(of.nodes.end(), faces.nodes.begin() + faces.begin[f], faces.nodes.begin() + faces.begin[f + 1]);
    of.begin.push_back(std::ssize(of.nodes));
  }
  return boundary;
}

}  // namespace weft::flow::detail
