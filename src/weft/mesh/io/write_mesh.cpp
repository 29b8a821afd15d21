#include "weft/mesh/io/write_mesh.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <limits>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/text_file.hpp"
#include "weft/mesh/io/read_scatter.hpp"
#include "weft/mesh/io/weft_file.hpp"
#include "weft/mesh/io/write_sink.hpp"

namespace weft::mesh {
namespace {

constexpr std::array<std::string_view, 6> kFormats{"gmsh41",        "gmsh41-binary", "gmsh22",
                                                   "gmsh22-binary", "su2",           "weft"};  // by MeshFormat

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

MeshFormat mesh_format(std::string_view name) {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (kFormats[i] == name) return static_cast<MeshFormat>(i);
  }
  const std::string near = closest_match(name, kFormats);
  throw InputError(fmt::format("unknown mesh format \"{}\"", name), near.empty()
                                                                        ? fmt::format("formats are {}", fmt::join(kFormats, ", "))
                                                                        : fmt::format("did you mean {}?", near));
}

MeshFormat mesh_format_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".su2") return MeshFormat::su2;
  if (extension == ".msh") return MeshFormat::gmsh41;
  if (extension == ".h5") return MeshFormat::weft;
  throw InputError(fmt::format("\"{}\" does not say which format to write", path),
                   "end it in .msh, .su2 or .h5, or name a format");
}

std::string format_mesh(const MeshBlock& whole, MeshFormat format, const std::string& name, std::endian order) {
  check_names(whole, format, name);
  check_size(whole, format, name);
  switch (format) {
    case MeshFormat::gmsh41:
      return detail::format_gmsh4(whole, false, order);
    case MeshFormat::gmsh41_binary:
      return detail::format_gmsh4(whole, true, order);
    case MeshFormat::gmsh22:
      return detail::format_gmsh2(whole, false, order);
    case MeshFormat::gmsh22_binary:
      return detail::format_gmsh2(whole, true, order);
    case MeshFormat::su2:
      return detail::format_su2(whole);
    case MeshFormat::weft:
      break;
  }
  throw InputError("a mesh in Weft's own format has no bytes of its own", "write it to a file (write_mesh)");
}

void write_mesh(const Communicator& comm, const MeshBlock& block, const std::string& path, MeshFormat format) {
  if (format == MeshFormat::weft) return detail::write_weft_file(comm, block, path);
  const MeshBlock whole = detail::gather_whole(comm, block);
  agreed(comm, [&] {
    if (comm.is_root()) io::write_text(path, format_mesh(whole, format, path));
  });
}

}  // namespace weft::mesh
