#include "weft/mesh/read_mesh.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/hdf5_tree.hpp"
#include "weft/mesh/detail/read_cursor.hpp"
#include "weft/mesh/detail/read_scatter.hpp"
#include "weft/mesh/detail/weft_file.hpp"

namespace weft::mesh {
namespace {

using Parser = MeshBlock (*)(std::string_view, const std::string&);

struct FileContent {
  std::unique_ptr<char[]> data;
  std::size_t size = 0;
  [[nodiscard]] std::string_view view() const { return {data.get(), size}; }
};

FileContent load(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    throw IoError("the mesh file does not exist", "check the path", Where{.file = path});
  if (status.type() == fs::file_type::directory)
    throw IoError("this is a folder, not a mesh file", "name a file in it", Where{.file = path});
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (!file) {
    throw IoError(fmt::format("the mesh file cannot be opened ({})", std::strerror(errno)), "check its permissions",
                  Where{.file = path});
  }
  FileContent content;
  content.size = static_cast<std::size_t>(fs::file_size(path, error));
  if (error) throw IoError("this is not an ordinary file", "name a mesh file", Where{.file = path});
  if (content.size == 0) throw IoError("the mesh file is empty", "write it again", Where{.file = path});
  content.data = std::make_unique_for_overwrite<char[]>(content.size);
  if (std::fread(content.data.get(), 1, content.size, file.get()) != content.size) {
    throw IoError("the mesh file cannot be read to its end", "check the disk", Where{.file = path});
  }
  return content;
}

struct Signature {
  std::string_view bytes;
  const char* what;
  const char* advice;  ///< with {0} for the path
};

using namespace std::string_view_literals;
constexpr const char* kFromAdf = "convert it to HDF5: adf2hdf {0} new.cgns (Debian package cgns-convert)";
constexpr const char* kUnpack = "unpack it first and read the file inside";
constexpr const char* kConvert = "convert it to Gmsh MSH 4.1 or SU2: many mesh tools and Gmsh itself (gmsh -save) do";
constexpr std::array<Signature, 15> kForeign{{
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
    {"# vtk DataFile"sv, "a VTK file", kConvert},
    {"<?xml"sv, "an XML file (VTK or other)", kConvert},
    {"<VTKFile"sv, "a VTK file", kConvert},
    {"ISO-10303-21"sv, "a geometry (STEP), not a mesh", "mesh it: gmsh -3 -format msh41 {0}"},
    {"solid "sv, "a surface (STL), not a volume mesh", "mesh it: gmsh -3 -format msh41 {0}"},
    {"ply\n"sv, "a surface (PLY), not a volume mesh", "mesh it: gmsh -3 -format msh41 {0}"},
    {"$NOD"sv, "a Gmsh mesh of version 1", "write it again: gmsh -save -format msh41 {0} -o new.msh"},
}};

void refuse_foreign(std::string_view bytes, const std::string& path) {
  for (const Signature& signature : kForeign) {
    if (!bytes.starts_with(signature.bytes)) continue;
    throw IoError(fmt::format("this is {}, and not Gmsh MSH 2.2 or 4.1, SU2, CGNS or Weft's own format", signature.what),
                  fmt::format(fmt::runtime(signature.advice), path), Where{.file = path});
  }
}

/// What the file shows itself to be. The first line that is not a comment decides.
MeshBlock parse_any(std::string_view bytes, const std::string& path) {
  std::string_view rest = bytes;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  while (!rest.empty()) {
    const std::size_t begin = rest.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) break;
    rest.remove_prefix(begin);
    if (rest.front() == '$') return parse_gmsh(bytes, path);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (rest.front() != '%') {
      const std::string_view key = line.substr(0, line.find('='));
      if (key.size() < line.size() && key.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_ \t") == std::string_view::npos)
        return parse_su2(bytes, path);
      break;
    }
    rest.remove_prefix(line.size());
  }
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".geo") {
    throw IoError("this is a Gmsh geometry, not a mesh", fmt::format("mesh it: gmsh -3 -format msh41 {}", path),
                  Where{.file = path});
  }
  throw IoError("this is not a mesh that Weft knows",
                "Gmsh MSH 2.2 and 4.1 (beginning with $MeshFormat), SU2 (NDIME=), CGNS and Weft's own format (HDF5) are read",
                Where{.file = path});
}

MeshBlock not_cgns(std::string_view, const std::string& path) {
  throw IoError("this is not a CGNS file", "CGNS in HDF5 is read", Where{.file = path});
}

/// HDF5's own words do not say what to do.
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
  return detail::scatter_whole(comm, agreed(comm, [&] { return comm.is_root() ? load_whole() : MeshBlock{}; }));
}

MeshBlock load_text(const std::string& path, Parser parse) {
  const FileContent content = load(path);
  refuse_foreign(content.view(), path);
  return parse(content.view(), path);
}

}  // namespace

MeshBlock read_mesh(const Communicator& comm, const std::string& path) {
  const bool ours = with_advice([&] {
    return comm.broadcast(agreed(comm, [&] {
      return comm.is_root() && io::Hdf5Tree::starts_like_hdf5(path) && detail::hdf5_kind(path) == detail::Hdf5Kind::weft;
    }));
  });
  if (ours) return read_weft(comm, path);
  return read_with(comm, [&] { return io::Hdf5Tree::starts_like_hdf5(path) ? load_cgns(path) : load_text(path, parse_any); });
}
MeshBlock read_weft(const Communicator& comm, const std::string& path) {
  return with_advice([&] { return detail::read_weft_file(comm, path); });
}
MeshBlock read_gmsh(const Communicator& comm, const std::string& path) {
  return read_with(comm, [&] { return load_text(path, parse_gmsh); });
}
MeshBlock read_su2(const Communicator& comm, const std::string& path) {
  return read_with(comm, [&] { return load_text(path, parse_su2); });
}
MeshBlock read_cgns(const Communicator& comm, const std::string& path) {
  return read_with(comm, [&] { return io::Hdf5Tree::starts_like_hdf5(path) ? load_cgns(path) : load_text(path, not_cgns); });
}

}  // namespace weft::mesh
