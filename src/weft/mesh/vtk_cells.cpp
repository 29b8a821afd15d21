#include "weft/mesh/vtk_cells.hpp"

#include <vector>

#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/primitives/sum_up.hpp"

namespace weft::mesh {

VtkCells VtkCells::owned(const Mesh& mesh, Team& team) {
  VtkCells cells;
  resize_by_team(team, cells.types, mesh.owned_cells);
  resize_by_team(team, cells.offsets, cells.types.size() + 1);
  for_indices(team, mesh.owned_cells, [&](std::int64_t i) {
    const CellShape& form = shape(mesh.cell_type[LocalCellId(static_cast<std::int32_t>(i))]);
    cells.types[i] = static_cast<std::uint8_t>(form.vtk);
    cells.offsets[i + 1] = form.nodes;
  });
  kernels::sum_up(cells.offsets, team);
  resize_by_team(team, cells.connectivity, static_cast<std::size_t>(cells.offsets.back()));
  for_indices(team, mesh.owned_cells, [&](std::int64_t i) {
    const CellType type = mesh.cell_type[LocalCellId(static_cast<std::int32_t>(i))];
    const auto nodes = mesh.cell_nodes.row(i);
    for (int k = 0; k < shape(type).nodes; ++k) cells.connectivity[cells.offsets[i] + k] = nodes[vtk_position(type, k)].value();
  });
  return cells;
}

void VtkCells::add_face(const Mesh& mesh, LocalFaceId face) {
  constexpr std::uint8_t kLine = 3, kTriangle = 5, kQuad = 9;
  const auto nodes = mesh.face_nodes.row(face.value());
  for (const LocalNodeId node : nodes) connectivity.push_back(node.value());
  offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
  types.push_back(nodes.size() == 2 ? kLine : nodes.size() == 3 ? kTriangle : kQuad);
}

void write_cells(const Mesh& mesh, const std::filesystem::path& file) {
  Team alone;
  const VtkCells cells = VtkCells::owned(mesh, alone);
  const std::vector<std::int64_t> ranks(cells.types.size(), mesh.comm.rank().value());
  const io::VtkField rank{"rank", std::span<const std::int64_t>(ranks), 1};
  io::write_vtkhdf(mesh.comm, file, cells.grid(mesh), {&rank, 1});
}

void write_boundary(const Mesh& mesh, const std::filesystem::path& file, const std::string& provenance) {
  VtkCells faces;
  std::vector<std::int64_t> zones;
  for (const BoundaryZoneId z : mesh.boundary.ids()) {
    for (const LocalFaceId face : mesh.boundary[z].faces) {
      faces.add_face(mesh, face);
      zones.push_back(z.value());
    }
  }
  if (mesh.comm.sum(static_cast<std::int64_t>(zones.size())) == 0) return;
  const io::VtkField zone{"zone", std::span<const std::int64_t>(zones), 1};
  io::write_vtkhdf(mesh.comm, file, faces.grid(mesh), {&zone, 1}, {.provenance = provenance});
}

}  // namespace weft::mesh
