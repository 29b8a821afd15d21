#include "weft/mesh/io/write_mesh.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/text_file.hpp"
#include "weft/mesh/io/read_scatter.hpp"
#include "weft/mesh/io/weft_file.hpp"
#include "weft/mesh/io/write_sink.hpp"

namespace weft::mesh {
namespace {

void check_names(const MeshBlock& whole, MeshFormat format, const std::string& path) {
  const bool su2 = format == MeshFormat::su2;
  for (const Zone& zone : whole.zones) {
    const Where where{.file = path, .zone = zone.name};
    const bool padded = !zone.name.empty() && (zone.name.front() == ' ' || zone.name.back() == ' ');
    if (zone.name.empty() || zone.name.find_first_of(su2 ? "%\n\r\t" : "\"\n\r") != std::string::npos || (su2 && padded) ||
        (su2 && zone.name == "SEND_RECEIVE")) {
      throw IoError("the format cannot hold this zone name", "rename the zone", where);
    }
  }
}

void check_size(const MeshBlock& whole, MeshFormat format, const std::string& path) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  const bool numbers32 = format == MeshFormat::gmsh22 || format == MeshFormat::gmsh22_binary;
  if (numbers32 && (whole.coords.size() >= kMost || whole.boundary.type.size() + whole.cells.type.size() >= kMost)) {
    throw LimitError("MSH 2.2 numbers nodes and elements with 32 bits, too few for this mesh", "write gmsh41",
                     Where{.file = path});
  }
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

std::string detail::gmsh41_bytes(const MeshBlock& whole, std::endian order) { return format_gmsh4(whole, false, order); }
std::string detail::gmsh41_binary_bytes(const MeshBlock& whole, std::endian order) { return format_gmsh4(whole, true, order); }
std::string detail::gmsh22_bytes(const MeshBlock& whole, std::endian order) { return format_gmsh2(whole, false, order); }
std::string detail::gmsh22_binary_bytes(const MeshBlock& whole, std::endian order) { return format_gmsh2(whole, true, order); }
std::string detail::su2_bytes(const MeshBlock& whole, std::endian /*order*/) { return format_su2(whole); }

std::string format_mesh(const MeshBlock& whole, MeshFormat format, const std::string& name, std::endian order) {
  check_names(whole, format, name);
  check_size(whole, format, name);
  if (row_of(format).bytes == nullptr) {
    throw InputError("a mesh in Weft's own format has no bytes of its own", "write it to a file (write_mesh)");
  }
  return row_of(format).bytes(whole, order);
}

void write_mesh(const Communicator& comm, const MeshBlock& block, const std::string& path, MeshFormat format) {
  if (format == MeshFormat::weft) return detail::write_weft_file(comm, block, path);
  const MeshBlock whole = detail::gather_whole(comm, block);
  agreed(comm, [&] {
    if (comm.is_root()) io::write_text(path, format_mesh(whole, format, path));
  });
}

}  // namespace weft::mesh
