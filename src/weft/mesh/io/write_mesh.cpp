#include "weft/mesh/io/write_mesh.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/text_file.hpp"
#include "weft/mesh/io/read_scatter.hpp"
#include "weft/mesh/io/write_sink.hpp"

namespace weft::mesh {
namespace {

/// Checks the names of zones with holds(name), whether the format can hold it.
template <class Holds>
void check_names(const MeshBlock& whole, const std::string& path, const Holds& holds) {
  for (const Zone& zone : whole.zones) {
    if (holds(zone.name)) continue;
    throw IoError("the format cannot hold this zone name", "rename the zone", Where{.file = path, .zone = zone.name});
  }
}

bool gmsh_holds(const std::string& name) { return !name.empty() && name.find_first_of("\"\n\r") == std::string::npos; }

bool su2_holds(const std::string& name) {
  return !name.empty() && name.find_first_of("%\n\r\t") == std::string::npos && name.front() != ' ' && name.back() != ' ' &&
         name != "SEND_RECEIVE";
}

std::string gmsh4_bytes(const MeshBlock& whole, const std::string& name, bool binary, std::endian order) {
  check_names(whole, name, gmsh_holds);
  return detail::format_gmsh4(whole, binary, order);
}

std::string gmsh2_bytes(const MeshBlock& whole, const std::string& name, bool binary, std::endian order) {
  check_names(whole, name, gmsh_holds);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  if (whole.coords.size() >= kMost || whole.boundary.type.size() + whole.cells.type.size() >= kMost) {
    throw LimitError("MSH 2.2 numbers nodes and elements with 32 bits, too few for this mesh", "write gmsh41",
                     Where{.file = name});
  }
  return detail::format_gmsh2(whole, binary, order);
}

}  // namespace

std::string writable_extensions() {
  std::vector<std::string_view> all;
  for (const MeshFormatRow& row : kMeshFormats.rows) {
    if (!row.extension.empty()) all.push_back(row.extension);
  }
  return one_of(all);
}

MeshFormat mesh_format_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  for (const MeshFormatRow& row : kMeshFormats.rows) {
    if (!extension.empty() && row.extension == extension) return row.value;
  }
  throw InputError(fmt::format("\"{}\" does not say which format to write", path),
                   fmt::format("end it in {}, or name a format", writable_extensions()));
}

std::string detail::gmsh41_bytes(const MeshBlock& whole, const std::string& name, std::endian order) {
  return gmsh4_bytes(whole, name, false, order);
}
std::string detail::gmsh41_binary_bytes(const MeshBlock& whole, const std::string& name, std::endian order) {
  return gmsh4_bytes(whole, name, true, order);
}
std::string detail::gmsh22_bytes(const MeshBlock& whole, const std::string& name, std::endian order) {
  return gmsh2_bytes(whole, name, false, order);
}
std::string detail::gmsh22_binary_bytes(const MeshBlock& whole, const std::string& name, std::endian order) {
  return gmsh2_bytes(whole, name, true, order);
}
std::string detail::su2_bytes(const MeshBlock& whole, const std::string& name, std::endian /*order*/) {
  check_names(whole, name, su2_holds);
  return format_su2(whole);
}

std::string format_mesh(const MeshBlock& whole, MeshFormat format, const std::string& name, std::endian order) {
  if (row_of(format).bytes == nullptr) {
    throw InputError("a mesh in Weft's own format has no bytes of its own", "write it to a file (write_mesh)");
  }
  return row_of(format).bytes(whole, name, order);
}

void write_mesh(const Communicator& comm, const MeshBlock& block, const std::string& path, MeshFormat format) {
  if (row_of(format).write != nullptr) return row_of(format).write(comm, block, path);
  const MeshBlock whole = detail::gather_whole(comm, block);
  agreed(comm, [&] {
    if (comm.is_root()) io::write_text(path, format_mesh(whole, format, path));
  });
}

}  // namespace weft::mesh
