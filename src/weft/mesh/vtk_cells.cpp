#include "weft/mesh/vtk_cells.hpp"

namespace weft::mesh {

void VtkCells::add_cell(const Mesh& mesh, LocalCellId cell) {
  const CellType type = mesh.cell_type[cell];
  const CellShape& form = shape(type);
  const auto nodes = mesh.cell_nodes.row(cell.value());
  for (int k = 0; k < form.nodes; ++k) connectivity.push_back(nodes[vtk_position(type, k)].value());
  offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
  types.push_back(static_cast<std::uint8_t>(form.vtk));
}

void VtkCells::add_face(const Mesh& mesh, LocalFaceId face) {
  constexpr std::uint8_t kLine = 3, kTriangle = 5, kQuad = 9;
  const auto nodes = mesh.face_nodes.row(face.value());
  for (const LocalNodeId node : nodes) connectivity.push_back(node.value());
  offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
  types.push_back(nodes.size() == 2 ? kLine : nodes.size() == 3 ? kTriangle : kQuad);
}

void write_cells(const Mesh& mesh, const std::filesystem::path& file) {
  VtkCells cells;
  for (const LocalCellId cell : mesh.owned()) cells.add_cell(mesh, cell);
  const std::vector<std::int64_t> ranks(cells.types.size(), mesh.comm.rank().value());
  const io::VtkField rank{"rank", std::span<const std::int64_t>(ranks), 1};
  io::write_vtkhdf(mesh.comm, file, cells.grid(mesh), {&rank, 1});
}

void write_boundary(const Mesh& mesh, const std::filesystem::path& file, const std::string& provenance) {
  VtkCells faces;
  std::vector<std::int64_t> zones;
  for (const ZoneIndex z : mesh.boundary.ids()) {
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
