// Common parts of both versions of the MSH format: https://gmsh.info/doc/texinfo/gmsh.html#Gmsh-file-formats
#include "weft/mesh/io/read_gmsh_sections.hpp"

#include <fmt/format.h>

#include <array>

namespace weft::mesh::detail {
namespace {

constexpr int kPoint = 15;
constexpr std::array<int, kCellTypes> kNumbers{1, 2, 3, 4, 7, 6, 5};  // by CellType

struct SecondOrder {
  int number, nodes;
  CellType type;
};
constexpr std::array<SecondOrder, 11> kSecondOrder{{{8, 3, CellType::line},
                                                    {9, 6, CellType::triangle},
                                                    {10, 9, CellType::quad},
                                                    {11, 10, CellType::tetrahedron},
                                                    {12, 27, CellType::hexahedron},
                                                    {13, 18, CellType::prism},
                                                    {14, 14, CellType::pyramid},
                                                    {16, 8, CellType::quad},
                                                    {17, 20, CellType::hexahedron},
                                                    {18, 15, CellType::prism},
                                                    {19, 13, CellType::pyramid}}};
constexpr const char* kOrderOne =
    "elements of first and second order are read: mesh again with order 1 (gmsh -order 1, or Mesh.ElementOrder = 1)";

}  // namespace

int gmsh_number(CellType type) { return kNumbers[static_cast<std::size_t>(type)]; }

GmshType gmsh_type(const MeshCursor& in, std::int64_t number, std::int64_t at) {
  if (number == kPoint) return {.nodes = 1, .dim = 0};
  for (int i = 0; i < kCellTypes; ++i) {
    const auto type = static_cast<CellType>(i);
    if (gmsh_number(type) == number) return {.nodes = shape(type).nodes, .dim = shape(type).dim, .type = type};
  }
  for (const SecondOrder& second : kSecondOrder) {
    if (second.number != number) continue;
    const CellShape& form = shape(second.type);
    return {.nodes = form.nodes, .dropped = second.nodes - form.nodes, .dim = form.dim, .type = second.type};
  }
  constexpr std::int64_t kLastType = 140;
  if (number > kPoint && number <= kLastType) {
    in.fail_at(at, fmt::format("Gmsh element type {} is not read (of third or higher order, polygon or special)", number),
               kOrderOne);
  }
  in.fail_at(at, fmt::format("unknown element type {}", number), kTruncated);
}

int read_gmsh_format(MeshCursor& in) {
  in.begin_record("format line");
  const std::int64_t at = in.offset();
  const double version = in.coordinate("format version");
  const auto kind = in.integer("file type");
  const auto bytes = in.integer("size of a real number");
  in.end_record("format line");
  constexpr const char* kSaveAs = "write it again as MSH 4.1: gmsh -save -format msh41 old.msh -o new.msh";
  const bool version2 = version >= 2 && version < 3, version4 = version == 4.1;
  if (!version2 && !version4) in.fail_at(at, fmt::format("MSH version {} is not read (2.2 and 4.1 are)", version), kSaveAs);
  if (kind != 0 && kind != 1) in.fail_at(at, fmt::format("file type {} is neither text (0) nor binary (1)", kind), kTruncated);
  if (bytes != 8) in.fail_at(at, fmt::format("the data size is {} bytes", bytes), "files with a data size of 8 are read");
  if (kind == 1) {
    in.skip_line();
    in.set_binary(true, false);
    const auto one = in.raw<std::int32_t>("byte order mark");
    constexpr std::int32_t kSwappedOne = 0x01000000;
    if (one != 1 && one != kSwappedOne) in.fail(fmt::format("the byte order mark is {:#x}, not 1", one), kTruncated);
    in.set_binary(true, one != 1);
  }
  return version2 ? 2 : 4;
}

void read_gmsh_names(MeshCursor& in, RawMesh& raw) {
  constexpr std::int64_t kBytes = 7;
  if (!in.next_line()) in.fail("the file ends in $PhysicalNames", kTruncated);
  const std::int64_t names = in.checked_count(in.integer("number of physical names"), "number of physical names", kBytes);
  for (std::int64_t i = 0; i < names; ++i) {
    if (!in.next_line() || in.peek() == '$')
      in.fail(fmt::format("$PhysicalNames announces {} names, but {} follow", names, i), kTruncated);
    Group group;
    group.at = in.offset();
    group.dim = in.integer<std::int32_t>("dimension");
    group.tag = in.integer<std::int32_t>("physical tag");
    const std::string_view line = in.take_line();
    if (line.size() < 2 || line.front() != '"' || line.back() != '"')
      in.fail_at(group.at, "a physical name must be in double quotes", "write: 2 1 \"wall\"");
    group.name = line.substr(1, line.size() - 2);
    raw.groups.push_back(std::move(group));
  }
}

}  // namespace weft::mesh::detail
