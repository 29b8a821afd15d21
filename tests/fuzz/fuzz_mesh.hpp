#pragma once
/// The checks of any input of a mesh reader: a weft::Error, or a mesh that is valid and reads back as it was written.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/write_mesh.hpp"

namespace weft::mesh {

/// Ends the process, which a fuzzer reports as a defect.
inline void require(bool holds) {
  if (!holds) std::abort();
}

inline void require_sound(const Elements& elements, const MeshBlock& block, int dim) {
  const std::size_t size = elements.type.size();
  require(elements.offset.size() == size + 1 && elements.zone.size() == size && elements.file_id.size() == size);
  require(elements.offset.back() == static_cast<std::int64_t>(elements.node.size()));
  for (std::int64_t i = 0; i < elements.size(); ++i) {
    const CellShape& form = shape(elements.type[static_cast<std::size_t>(i)]);
    require(form.dim == dim && static_cast<int>(elements.nodes(i).size()) == form.nodes);
    const ZoneId zone = elements.zone[static_cast<std::size_t>(i)];
    require(zone.valid() ? block.zones.ids().contains(zone) && block.zones[zone].dim == dim : dim == block.dim);
  }
  for (const GlobalNodeId node : elements.node) require(node.valid() && node.index() < block.coords.size());
}

/// @param read  returns the mesh, or throws.
template <class Read>
void try_reading(Read&& read) {
  MeshBlock block;
  std::string written;
  try {
    block = read();
    require_sound(block.cells, block, block.dim);
    require_sound(block.boundary, block, block.dim - 1);
    written = format_mesh(block, MeshFormat::gmsh41_binary, "fuzz");  // refuses some zone names
  } catch (const Error&) {
    return;
  }
  const MeshBlock again = parse_gmsh(written, "again");
  require(again.zones == block.zones && again.coords == block.coords);
  require(again.cells.node == block.cells.node && again.cells.zone == block.cells.zone);
  require(again.boundary.node == block.boundary.node && again.boundary.zone == block.boundary.zone);
}

template <class Parse>
void try_mesh(const std::uint8_t* data, std::size_t size, Parse&& parse) {
  try_reading(
      [&] { return parse(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz", kernels::calling_thread()); });
}

}  // namespace weft::mesh
