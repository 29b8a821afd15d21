#include "weft/mesh/io/read_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/file_descriptor.hpp"
#include "weft/io/hdf5/hdf5_tree.hpp"
#include "weft/io/text_file.hpp"
#include "weft/mesh/io/read_cursor.hpp"
#include "weft/mesh/io/read_scatter.hpp"
#include "weft/mesh/io/weft_file.hpp"
#include "weft/mesh/io/zone_names.hpp"

namespace weft::mesh {
namespace {

constexpr const char* kFromOpenFoam =
    "convert the case: foamMeshToFluent writes a Fluent mesh, and foamToVTK files of VTK, which other tools convert to Gmsh, SU2 "
    "or "
    "CGNS";

using Parser = MeshBlock (*)(std::string_view, const std::string&, Team&);

struct FileContent {
  std::unique_ptr<char[]> data;
  std::size_t size = 0;
  [[nodiscard]] std::string_view view() const { return {data.get(), size}; }
};

FileContent load(const std::string& path, Team& team) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    throw IoError("the mesh file does not exist", io::check_path(path), Where{.file = path});
  if (status.type() == fs::file_type::directory) {
    for (const char* const points : {"points", "polyMesh/points", "constant/polyMesh/points"}) {
      if (fs::exists(fs::path(path) / points, error) || fs::exists(fs::path(path) / (std::string(points) + ".gz"), error))
        throw IoError("this is a folder of OpenFOAM (polyMesh), which is not read", kFromOpenFoam, Where{.file = path});
    }
    throw IoError("this is a folder, not a mesh file", "name a file in it", Where{.file = path});
  }
  const io::detail::FileDescriptor file(path);
  if (!file.is_open()) {
    throw IoError(fmt::format("the mesh file cannot be opened ({})", std::strerror(errno)), "check its permissions",
                  Where{.file = path});
  }
  FileContent content;
  content.size = fs::file_size(path, error);
  if (error) throw IoError("this is not an ordinary file", "name a mesh file", Where{.file = path});
  if (content.size == 0) throw IoError("the mesh file is empty", "write it again", Where{.file = path});
  content.data = std::make_unique_for_overwrite<char[]>(content.size);
  file.read_at(0, std::as_writable_bytes(std::span(content.data.get(), content.size)), team);
  return content;
}

struct Signature {
  std::string_view bytes;
  const char* what;
  const char* advice;  ///< {0} stands for the path
};

using namespace std::string_view_literals;
constexpr const char* kFromAdf = "convert it to HDF5: adf2hdf {0} new.cgns (Debian package cgns-convert)";
constexpr const char* kUnpack = "unpack it first and read the file inside";
constexpr const char* kConvert = "convert it to Gmsh MSH 4.1 or SU2: many mesh tools and Gmsh itself (gmsh -save) do";
constexpr const char* kByGmsh = "convert it: gmsh -save -format msh41 {0} -o new.msh";
constexpr const char* kByMeshio = "convert it: meshio convert -o gmsh22 {0} new.msh (pip install meshio)";
constexpr const char* kNastran =
    "convert it: gmsh -save -format msh41 {0} -o new.msh, and name its zones (Physical groups) in Gmsh";
constexpr const char* kMeshSurface = "mesh the volume that it bounds: gmsh -3 -format msh41 {0} -o new.msh";
constexpr const char* kFromFluent =
    "export CGNS from Fluent or its mesher, which keeps the zones, or convert the cells alone: meshio convert -i ansys -o gmsh22 "
    "{0} new.msh (pip install meshio)";
constexpr const char* kExportCgns = "export the mesh as CGNS (HDF5), Gmsh MSH or SU2 from the program that made it";
constexpr auto kForeign = std::to_array<Signature>({
    {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file, as CGNS is", "read it with read_mesh"},
    {"\xFD"
     "7zXZ\0"sv,
     "compressed (xz)", "unpack it first: xz -dk {0}"},
    {"\x1F\x8B"sv, "compressed (gzip)", "unpack it first: gzip -dk {0}"},
    {"BZh"sv, "compressed (bzip2)", "unpack it first: bzip2 -dk {0}"},
    {"\x28\xB5\x2F\xFD"sv, "compressed (zstd)", "unpack it first: zstd -d {0}"},
    {"PK\x03\x04"sv, "an archive (zip)", kUnpack},
    {"\xC0\xA8\xA3\xA9"
     "ADF"sv,
     "a CGNS file in the old form (ADF)", kFromAdf},
    {"@(#)ADF"sv, "a CGNS file in the old form (ADF)", kFromAdf},
    {"CDF\x01"sv, "a NetCDF file, as Exodus meshes are", kByMeshio},
    {"CDF\x02"sv, "a NetCDF file, as Exodus meshes are", kByMeshio},
    {"# vtk DataFile"sv, "a VTK file", kConvert},
    {"<?xml"sv, "an XML file (VTK or other)", kConvert},
    {"<VTKFile"sv, "a VTK file", kConvert},
    {"ISO-10303-21"sv, "a geometry (STEP), not a mesh", "mesh it: gmsh -3 -format msh41 {0} -o new.msh"},
    {"solid "sv, "a surface (STL), not a volume mesh", kMeshSurface},
    {"ply\n"sv, "a surface (PLY), not a volume mesh", kMeshSurface},
    {"OFF\n"sv, "a surface (OFF), not a volume mesh", kMeshSurface},
    {"$NOD"sv, "a Gmsh mesh of version 1", "write it again: gmsh -save -format msh41 {0} -o new.msh"},
    {"MeshVersionFormatted"sv, "a Medit mesh", kByGmsh},
    {"mesh3d"sv, "a Netgen mesh", kByMeshio},
    {"-1\n  2411"sv, "an I-deas universal file (UNV)", kByGmsh},
    {"*HEADING"sv, "an Abaqus input file", kByMeshio},
    {"*Heading"sv, "an Abaqus input file", kByMeshio},
    {"*NODE"sv, "an Abaqus input file", kByMeshio},
    {"*Node"sv, "an Abaqus input file", kByMeshio},
    {"BEGIN BULK"sv, "a Nastran bulk data file", kByGmsh},
    {"EnSight"sv, "an EnSight geometry", kExportCgns},
    {"TITLE"sv, "a Tecplot file", kByMeshio},
    {"VARIABLES"sv, "a Tecplot file", kByMeshio},
});

/// Returns true if the text begins like a Fluent mesh or case: with a section "(number ...", of text or of numbers.
bool is_fluent(std::string_view text) {
  if (!text.starts_with("(")) return false;
  text.remove_prefix(1);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return digits > 0 && digits < text.size() && (text[digits] == ' ' || text[digits] == '(');
}

/// Returns true if the length of a file matches its first 7 numbers as those of a UGRID mesh of AFLR3: nodes, triangles,
/// quads, tetrahedra, pyramids, prisms, hexahedra.
template <class Real>
bool is_binary_ugrid(std::string_view bytes, bool swap) {
  std::array<std::int64_t, 7> count{};
  if (bytes.size() < 28) return false;
  for (std::size_t k = 0; k < count.size(); ++k) {
    std::array<unsigned char, 4> word{};
    std::memcpy(word.data(), bytes.data() + 4 * k, 4);
    if (swap) std::reverse(word.begin(), word.end());
    std::int32_t number = 0;
    std::memcpy(&number, word.data(), 4);
    if (number < 0) return false;
    count[k] = number;
  }
  const auto [nodes, triangles, quads, tetrahedra, pyramids, prisms, hexahedra] = count;
  const std::int64_t integers = 7 + 4 * triangles + 5 * quads + 4 * tetrahedra + 5 * pyramids + 6 * prisms + 8 * hexahedra;
  return nodes > 0 && 4 * integers + 3 * nodes * static_cast<std::int64_t>(sizeof(Real)) == std::ssize(bytes);
}

/// Returns true if the first line has the 7 numbers of a UGRID mesh in text.
bool is_text_ugrid(std::string_view text) {
  const std::string_view line = text.substr(0, std::min(text.find('\n'), std::size_t{200}));
  if (line.find_first_not_of("0123456789 \t\r") != std::string_view::npos) return false;
  int numbers = 0;
  bool inside = false;
  for (const char c : line) {
    const bool digit = c >= '0' && c <= '9';
    numbers += digit && !inside ? 1 : 0;
    inside = digit;
  }
  return numbers == 7;
}

/// Returns true if the length is that of a binary STL surface: 84 bytes, the last 4 of which are the number of triangles of
/// 50 bytes that follow. Some begin with "solid", like those in text.
bool is_binary_stl(std::string_view bytes) {
  std::uint32_t triangles = 0;
  if (bytes.size() < 84) return false;
  std::memcpy(&triangles, bytes.data() + 80, 4);
  return triangles > 0 && std::ssize(bytes) == 84 + 50 * static_cast<std::int64_t>(triangles);
}

/// Returns whether a text that begins with "$", as comments of Nastran do, goes on as a file of Nastran.
bool is_nastran(std::string_view text) {
  constexpr std::size_t kHead = 1 << 16;
  const std::string_view head = text.substr(0, kHead);
  return !head.starts_with("$MeshFormat") &&
         (head.find("\nBEGIN BULK") != std::string_view::npos || head.find("\nGRID") != std::string_view::npos);
}

/// Returns the foreign format that a file shows itself to be; null where it shows none.
const Signature* foreign_format(std::string_view bytes) {
  static constexpr Signature kFluent{"", "a mesh or case of Fluent", kFromFluent}, kFoam{"", "a file of OpenFOAM", kFromOpenFoam},
      kUgrid{"", "a UGRID mesh of AFLR3", kByMeshio}, kStl{"", "a surface (STL), not a volume mesh", kMeshSurface},
      kNastranFile{"", "a Nastran file", kNastran};
  std::string_view text = bytes;
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  for (const Signature& signature : kForeign) {
    if (bytes.starts_with(signature.bytes) || text.starts_with(signature.bytes)) return &signature;
  }
  if (is_fluent(text)) return &kFluent;
  if (text.starts_with("$") && is_nastran(text)) return &kNastranFile;
  if (text.starts_with("FoamFile") || text.substr(0, 2000).find("| \\\\      /  F ield") != std::string_view::npos) return &kFoam;
  if (is_binary_stl(bytes)) return &kStl;
  if (is_text_ugrid(text)) return &kUgrid;
  for (const bool swap : {false, true}) {
    if (is_binary_ugrid<double>(bytes, swap) || is_binary_ugrid<float>(bytes, swap)) return &kUgrid;
  }
  return nullptr;
}

void refuse_foreign(std::string_view bytes, const std::string& path) {
  const Signature* const format = foreign_format(bytes);
  if (format == nullptr) return;
  std::vector<std::string_view> read;
  for (const MeshReaderRow& row : kMeshReaders.rows) read.push_back(row.name);
  throw IoError(fmt::format("this is {}, and not {} format", format->what, one_of(read)),
                fmt::format(fmt::runtime(format->advice), path), Where{.file = path});
}

/// Returns the format of the file, which the first line that is not a comment determines.
MeshBlock parse_any(std::string_view bytes, const std::string& path, Team& team) {
  for (const MeshReaderRow& row : kMeshReaders.rows) {
    if (row.recognizes != nullptr && row.recognizes(bytes)) return row.parse(bytes, path, team);
  }
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".geo") {
    throw IoError("this is a Gmsh geometry, not a mesh",
                  fmt::format("mesh it: gmsh -3 -format msh41 {} -o {}", path,
                              std::filesystem::path(path).replace_extension(".msh").string()),
                  Where{.file = path});
  }
  std::vector<std::string> read;
  for (const MeshReaderRow& row : kMeshReaders.rows) read.push_back(fmt::format("{} ({})", row.name, row.doc));
  throw IoError("this is not a mesh that Weft knows", fmt::format("{} files are read", one_of(read)), Where{.file = path});
}

MeshBlock not_cgns(std::string_view, const std::string& path, Team&) {
  throw IoError("this is not a CGNS file", "CGNS in HDF5 is read", Where{.file = path});
}

/// Replaces HDF5's message, which contains no remedy.
template <class Read>
auto with_advice(Read&& read) {
  try {
    return read();
  } catch (const IoError& error) {
    if (!error.suggestion().empty()) throw;
    throw IoError(error.problem(), detail::kTruncated, error.where());
  }
}

template <class Load>
MeshBlock read_with(const Communicator& comm, Load&& load_whole) {
  const auto load_on_root = [&] {
    MeshBlock block = comm.is_root() ? load_whole() : MeshBlock{};
    detail::convert_names_to_utf8(block);
    return block;
  };
  return detail::scatter_whole(comm, agreed(comm, load_on_root));
}

MeshBlock load_text(const std::string& path, Parser parse, Team& team) {
  const FileContent content = load(path, team);
  refuse_foreign(content.view(), path);
  return parse(content.view(), path, team);
}

}  // namespace

std::string_view detail::from_first_line(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  for (;;) {
    bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
    if (!bytes.starts_with('%')) return bytes;
    bytes.remove_prefix(std::min(bytes.find('\n'), bytes.size()));
  }
}

std::string readable_meshes() {
  std::vector<std::string> all;
  for (const MeshReaderRow& row : kMeshReaders.rows) all.push_back(fmt::format("{} ({})", row.name, row.extension));
  return one_of(all);
}

bool has_mesh_extension(const std::filesystem::path& file) {
  return std::ranges::any_of(kMeshReaders.rows, [&](const MeshReaderRow& row) { return file.extension() == row.extension; });
}

bool detail::is_cgns(const std::string& path) { return !is_weft(path); }

MeshBlock read_mesh(const Communicator& comm, const std::string& path, Team& team) {
  const auto& rows = kMeshReaders.rows;
  const auto in_hdf5 = [&] {  // the position of the format, or the end for a file that is not in HDF5
    if (!comm.is_root() || !io::Hdf5Tree::starts_like_hdf5(path)) return std::ssize(rows);
    const auto recognizes = [&](const MeshReaderRow& row) { return row.recognizes_hdf5 != nullptr && row.recognizes_hdf5(path); };
    return std::ranges::find_if(rows, recognizes) - rows.begin();
  };
  const auto at = with_advice([&] { return comm.broadcast(std::int64_t{agreed(comm, in_hdf5)}); });
  if (at == std::ssize(rows)) return read_with(comm, [&] { return load_text(path, parse_any, team); });
  const MeshReaderRow& row = rows[at];
  return row.read != nullptr ? row.read(comm, path, team) : read_with(comm, [&] { return row.load(path, team); });
}
MeshBlock read_weft(const Communicator& comm, const std::string& path, Team& team) {
  return with_advice([&] { return detail::read_weft_file(comm, path, team); });
}
MeshBlock read_gmsh(const Communicator& comm, const std::string& path, Team& team) {
  return read_with(comm, [&] { return load_text(path, parse_gmsh, team); });
}
MeshBlock read_su2(const Communicator& comm, const std::string& path, Team& team) {
  return read_with(comm, [&] { return load_text(path, parse_su2, team); });
}
MeshBlock read_cgns(const Communicator& comm, const std::string& path, Team& team) {
  return read_with(
      comm, [&] { return io::Hdf5Tree::starts_like_hdf5(path) ? load_cgns(path, team) : load_text(path, not_cgns, team); });
}

}  // namespace weft::mesh
