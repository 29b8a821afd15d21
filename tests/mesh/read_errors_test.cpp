// Every invalid mesh file yields the message in the table of docs/guide/meshes.md. With WEFT_UPDATE_DOCS=1 in the environment
// the table is written.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/write_mesh.hpp"

#include "cgns_samples.hpp"
#include "support/source_dir.hpp"

namespace weft::mesh {
namespace {

const std::string kSu2 = R"(NDIME= 2
NELEM= 2
5 0 1 2 0
5 0 2 3 1
NPOIN= 4
0 0 0
1 0 1
1 1 2
0 1 3
NMARK= 2
MARKER_TAG= wall
MARKER_ELEMS= 2
3 0 1
3 1 2
MARKER_TAG= far
MARKER_ELEMS= 2
3 2 3
3 3 0
)";

const std::string kGmsh2 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 1 "wall"
2 2 "air"
$EndPhysicalNames
$Nodes
3
1 0 0 0
2 1 0 0
3 0 1 0
$EndNodes
$Elements
4
11 1 2 1 1 1 2
12 1 2 1 1 2 3
13 1 2 1 1 3 1
14 2 2 2 1 1 2 3
$EndElements
)";

const std::string kGmsh4 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
0 1 1 0
1 0 0 0 1 1 0 1 1 0
1 0 0 0 1 1 0 1 2 0
$EndEntities
$Nodes
1 3 1 3
2 1 0 3
1
2
3
0 0 0
1 0 0
0 1 0
$EndNodes
$Elements
2 4 1 4
1 1 1 3
11 1 2
12 2 3
13 3 1
2 1 2 1
14 1 2 3
$EndElements
)";

/// Returns `text` with `from`, which must occur, replaced by `to`.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

std::string upto(const std::string& text, const std::string& last) { return text.substr(0, text.find(last) + last.size()); }

struct Bad {
  const char* what;
  const char* file;
  std::string bytes;
};

std::vector<Bad> bad_su2() {
  return {
      {"node that does not exist", "m.su2", with(kSu2, "5 0 2 3 1", "5 0 2 4 1")},
      {"negative node", "m.su2", with(kSu2, "3 1 2", "3 1 -2")},
      {"cell with a repeated node", "m.su2", with(kSu2, "5 0 2 3 1", "5 0 2 2 1")},
      {"not a number", "m.su2", with(kSu2, "1 1 2", "1 nan 2")},
      {"beyond the range of a double", "m.su2", with(kSu2, "1 1 2", "1 1e999 2")},
      {"letters in a number", "m.su2", with(kSu2, "1 1 2", "1 1.0x 2")},
      {"missing coordinate", "m.su2", with(kSu2, "1 1 2", "1")},
      {"wrong dimension", "m.su2", with(kSu2, "NDIME= 2", "NDIME= 3")},
      {"missing node of an element", "m.su2", with(kSu2, "3 3 0", "3 3")},
      {"truncated in the cells", "m.su2", upto(kSu2, "5 0 2")},
      {"truncated in the nodes", "m.su2", upto(kSu2, "1 0 1\n")},
      {"truncated before the last marker", "m.su2", upto(kSu2, "3 1 2\n")},
      {"truncated in a marker", "m.su2", upto(kSu2, "MARKER_TAG= far\n")},
      {"negative count", "m.su2", with(kSu2, "NELEM= 2", "NELEM= -2")},
      {"count larger than the file", "m.su2", with(kSu2, "NPOIN= 4", "NPOIN= 4000000000")},
      {"count with too many digits", "m.su2", with(kSu2, "NPOIN= 4", "NPOIN= 99999999999999999999")},
      {"count too large", "m.su2", with(kSu2, "NELEM= 2", "NELEM= 3")},
      {"count too small", "m.su2", with(kSu2, "NELEM= 2", "NELEM= 1")},
      {"second-order element", "m.su2", with(kSu2, "5 0 2 3 1", "22 0 1 2 3 0 1")},
      {"unknown element type", "m.su2", with(kSu2, "5 0 2 3 1", "7 0 2 3 1")},
      {"3-D cell in a 2-D mesh", "m.su2", with(kSu2, "5 0 2 3 1", "10 0 1 2 3 1")},
      {"cell as a boundary element", "m.su2", with(kSu2, "3 3 0", "5 3 0 1")},
      {"one boundary element in two markers", "m.su2", with(kSu2, "3 3 0", "3 1 0")},
      {"boundary element that is no face of a cell", "m.su2",
       with(with(with(kSu2, "NPOIN= 4", "NPOIN= 5"), "0 1 3\n", "0 1 3\n9 9 4\n"), "3 3 0", "3 3 4")},
      {"two markers of one name", "m.su2", with(kSu2, "= far", "= wall")},
      {"no markers", "m.su2", upto(kSu2, "0 1 3\n")},
      {"more markers announced than there are", "m.su2", with(kSu2, "NMARK= 2", "NMARK= 3")},
      {"marker without a name", "m.su2", with(kSu2, "MARKER_TAG= wall\n", "")},
      {"several meshes in one file", "m.su2", "NZONE= 2\nIZONE= 1\n" + kSu2},
      {"no dimension", "m.su2", with(kSu2, "NDIME= 2\n", "")},
      {"four dimensions", "m.su2", with(kSu2, "NDIME= 2", "NDIME= 4")},
      {"misspelt keyword", "m.su2", with(kSu2, "NELEM=", "NELM=")},
      {"no nodes", "m.su2", upto(kSu2, "5 0 2 3 1\n")},
  };
}

std::vector<Bad> bad_gmsh() {
  MeshBlock solid = testing::mixed_3d();
  const std::string binary4 = format_mesh(solid, MeshFormat::gmsh41_binary, "m");
  std::string bad_mark = binary4;
  bad_mark[upto(binary4, "4.1 1 8\n").size()] = 7;
  solid.coords[3].y = std::numeric_limits<double>::infinity();
  const std::string infinite = format_mesh(solid, MeshFormat::gmsh22_binary, "m");
  return {
      {"node that does not exist", "m.msh", with(kGmsh2, "14 2 2 2 1 1 2 3", "14 2 2 2 1 1 2 4")},
      {"node listed twice", "m.msh", with(kGmsh2, "3 0 1 0", "2 0 1 0")},
      {"two elements of one number", "m.msh", with(kGmsh2, "14 2 2", "12 2 2")},
      {"infinite coordinate", "m.msh", with(kGmsh2, "3 0 1 0", "3 0 inf 0")},
      {"infinite coordinate, binary", "m.msh", infinite},
      {"second-order elements, a node between corners missing", "m.msh",
       with(with(kGmsh2, "14 2 2 2 1 1 2 3", "14 9 2 2 1 1 2 3 4 5 6"), "12 1 2 1 1 2 3", "12 8 2 1 1 2 3 9")},
      {"third-order elements", "m.msh", with(kGmsh2, "14 2 2 2 1 1 2 3", "14 21 2 2 1 1 2 3 4 5 6 7 8 9 10")},
      {"unknown element type", "m.msh", with(kGmsh2, "14 2 2", "14 999 2")},
      {"no physical groups on the boundary", "m.msh",
       with(with(with(kGmsh2, "11 1 2 1", "11 1 2 0"), "12 1 2 1", "12 1 2 0"), "13 1 2 1", "13 1 2 0")},
      {"entity in two physical groups", "m.msh", with(kGmsh4, "1 0 0 0 1 1 0 1 1 0", "1 0 0 0 1 1 0 2 1 3 0")},
      {"one boundary element in two groups", "m.msh", with(kGmsh2, "12 1 2 1 1 2 3", "12 1 2 5 1 2 1")},
      {"boundary element that is no face of a cell", "m.msh",
       with(with(kGmsh2, "3\n1 0 0 0", "4\n7 9 9 0\n1 0 0 0"), "13 1 2 1 1 3 1", "13 1 2 1 1 3 7")},
      {"two groups of one name", "m.msh", with(kGmsh2, "2\n1 1 \"wall\"", "3\n1 5 \"wall\"\n1 1 \"wall\"")},
      {"one group with two names", "m.msh", with(kGmsh2, "2\n1 1 \"wall\"", "3\n1 1 \"skin\"\n1 1 \"wall\"")},
      {"name without quotes", "m.msh", with(kGmsh2, "\"wall\"", "wall")},
      {"mesh in the xz plane", "m.msh", with(kGmsh2, "3 0 1 0", "3 0 0 1")},
      {"mesh in the yz plane", "m.msh", with(kGmsh2, "2 1 0 0", "2 0 0 1")},
      {"curved surface", "m.msh", with(kGmsh2, "3 0 1 0", "3 0 1 1")},
      {"lines only", "m.msh", with(with(kGmsh2, "14 2 2 2 1 1 2 3\n", ""), "$Elements\n4", "$Elements\n3")},
      {"no elements", "m.msh", upto(kGmsh2, "$EndNodes\n")},
      {"truncated in the nodes", "m.msh", upto(kGmsh2, "2 1 0")},
      {"truncated in the elements", "m.msh", upto(kGmsh2, "12 1 2 1 1 2 3\n")},
      {"truncated, binary", "m.msh", binary4.substr(0, binary4.size() - 100)},
      {"closing line missing", "m.msh", with(kGmsh2, "$EndNodes\n", "")},
      {"count too large", "m.msh", with(kGmsh2, "$Elements\n4", "$Elements\n5")},
      {"count too small", "m.msh", with(kGmsh2, "$Elements\n4", "$Elements\n3")},
      {"negative count", "m.msh", with(kGmsh2, "$Elements\n4", "$Elements\n-4")},
      {"count larger than the file", "m.msh", with(kGmsh4, "2 1 0 3", "2 1 0 300000000")},
      {"too many numbers in a line", "m.msh", with(kGmsh4, "14 1 2 3", "14 1 2 3 3")},
      {"block with elements of another dimension", "m.msh", with(kGmsh4, "2 1 2 1", "1 1 2 1")},
      {"two $Nodes", "m.msh", with(kGmsh2, "$Elements\n", "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n")},
      {"partitioned by Gmsh", "m.msh", with(kGmsh4, "$Nodes", "$PartitionedEntities\n$EndPartitionedEntities\n$Nodes")},
      {"MSH 4.0", "m.msh", with(kGmsh4, "4.1 0 8", "4 0 8")},
      {"MSH 1", "m.msh", "$NOD\n1\n1 0 0 0\n$ENDNOD\n"},
      {"byte order mark of neither order", "m.msh", bad_mark},
      {"no $MeshFormat", "m.msh", with(kGmsh2, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "")},
  };
}

/// Returns a tetrahedron with its four triangles: 4-byte numbers, the last of them first, and 8-byte coordinates.
std::string ugrid() {
  std::string bytes;
  for (const char* const number : {"\4", "\4", "", "\1", "", "", ""}) bytes += std::string(3, '\0') + std::string(number, 1);
  return bytes + std::string(4 * 3 * 8 + (3 + 1) * 4 * 4 + 4 * 4, '\0');
}

std::vector<Bad> bad_files() {
  return {
      {"empty file", "m.msh", ""},
      {"CGNS file in the old form", "m.cgns",
       "\xC0\xA8\xA3\xA9"
       "ADF Database Version A02011>"},
      {"compressed file", "m.msh.xz",
       std::string("\xFD"
                   "7zXZ\0\0\0",
                   8)},
      {"geometry instead of a mesh", "m.geo", "Point(1) = {0, 0, 0};\n"},
      {"STEP file", "m.stp", "ISO-10303-21;\nHEADER;\n"},
      {"VTK file", "m.vtk", "# vtk DataFile Version 3.0\n"},
      {"Fluent mesh", "m.msh", "(0 \"Created by another program\")\n(2 3)\n(10 (0 1 8 0 3))\n"},
      {"Fluent case, without a comment", "m.cas", "\n(2 3)\n"},
      {"file of an OpenFOAM mesh", "points",
       "/*--------------------------------*- C++ -*----------------------------------*\\\n"
       "| =========                 |\n| \\\\      /  F ield         | OpenFOAM\n"},
      {"file of an OpenFOAM mesh, without the banner", "owner", "FoamFile\n{\n"},
      {"UGRID mesh, text", "m.ugrid", "4 4 0 1 0 0 0\n0 0 0\n"},
      {"UGRID mesh, binary", "m.b8.ugrid", ugrid()},
      {"STL surface, text", "m.stl", "solid wing\nfacet normal 0 0 1\n"},
      {"STL surface, binary", "m.stl", std::string(80, ' ') + std::string("\1\0\0\0", 4) + std::string(50, '\0')},
      {"Medit mesh", "m.mesh", "MeshVersionFormatted 2\n"},
      {"universal file", "m.unv", "    -1\n  2411\n"},
      {"Abaqus input", "m.inp", "*Heading\n"},
      {"Tecplot file", "m.dat", "TITLE = \"Grid\"\nVARIABLES = \"X\" \"Y\"\n"},
      {"anything else", "m.txt", "hello\n"},
  };
}

struct BadCgns {
  const char* what;
  void (*spoil)(testing::CgnsTree& root);
};

testing::CgnsTree& zone_of(testing::CgnsTree& root) { return root.at("Base/Zone 1"); }

std::vector<BadCgns> bad_cgns() {
  using namespace testing;
  using Tree = CgnsTree;
  return {
      {"HDF5, but not CGNS", [](Tree& root) { root.children.clear(); }},
      {"node of another label", [](Tree& root) { zone_of(root).label = "Zones_t"; }},
      {"several bases",
       [](Tree& root) {
         root.add({"Other", "CGNSBase_t", Ints{2, 2}, {}, {}, {}});
       }},
      {"cells of one dimension",
       [](Tree& root) {
         root.at("Base").data = Ints{1, 2};
       }},
      {"no coordinates", [](Tree& root) { zone_of(root).remove("GridCoordinates"); }},
      {"no y", [](Tree& root) { zone_of(root).at("GridCoordinates").remove("CoordinateY"); }},
      {"cylindrical coordinates", [](Tree& root) { zone_of(root).at("GridCoordinates/CoordinateX").name = "CoordinateR"; }},
      {"too few coordinates",
       [](Tree& root) {
         zone_of(root).at("GridCoordinates/CoordinateX").data = Reals{0, 1, 1};
       }},
      {"infinite coordinate",
       [](Tree& root) {
         zone_of(root).at("GridCoordinates/CoordinateX").data = Reals{0, HUGE_VAL, 1, 0};
       }},
      {"coordinates of integers",
       [](Tree& root) {
         zone_of(root).at("GridCoordinates/CoordinateX").data = Ints{0, 1, 1, 0};
       }},
      {"size of a zone too short",
       [](Tree& root) {
         zone_of(root).data = Ints{4, 2};
       }},
      {"node that does not exist",
       [](Tree& root) { zone_of(root).at("Triangles/ElementConnectivity").data = Ints{1, 2, 3, 1, 3, 5}; }},
      {"cell with a repeated node",
       [](Tree& root) { zone_of(root).at("Triangles/ElementConnectivity").data = Ints{1, 2, 3, 1, 3, 3}; }},
      {"section shorter than its range",
       [](Tree& root) {
         zone_of(root).at("Triangles/ElementConnectivity").data = Ints{1, 2, 3};
       }},
      {"no connectivity", [](Tree& root) { zone_of(root).at("Triangles").remove("ElementConnectivity"); }},
      {"range that ends before it begins",
       [](Tree& root) {
         zone_of(root).at("Triangles/ElementRange").data = Ints{2, 1};
       }},
      {"two sections with one element",
       [](Tree& root) {
         zone_of(root).at("Lines/ElementRange").data = Ints{2, 5};
       }},
      {"second-order elements without the nodes between corners",
       [](Tree& root) {
         zone_of(root).at("Triangles").data = Ints{6, 0};
       }},
      {"third-order elements",
       [](Tree& root) {
         zone_of(root).at("Triangles").data = Ints{26, 0};
       }},
      {"unknown element type",
       [](Tree& root) {
         zone_of(root).at("Triangles").data = Ints{99, 0};
       }},
      {"3-D cells in a 2-D mesh",
       [](Tree& root) {
         zone_of(root).at("Triangles").data = Ints{10, 0};
         zone_of(root).at("Triangles/ElementConnectivity").data = Ints{1, 2, 3, 4, 1, 3, 2, 4};
       }},
      {"polygon as a cell",
       [](Tree& root) {
         zone_of(root).remove("Triangles");
         zone_of(root).add(cgns_section("Polygons", 22, 1, 1, {5, 1, 2, 3, 4, 1}));
       }},
      {"mixed section that ends early",
       [](Tree& root) {
         zone_of(root).at("Triangles").data = Ints{20, 0};
         zone_of(root).at("Triangles/ElementConnectivity").data = Ints{5, 1, 2, 3, 5, 1, 3};
       }},
      {"offsets that do not fit",
       [](Tree& root) {
         zone_of(root).remove("Triangles");
         zone_of(root).add(cgns_section("Mixed", 20, 1, 2, {5, 1, 2, 3, 5, 1, 3, 4}, {0, 3, 8}));
       }},
      {"polyhedron",
       [](Tree& root) {
         root.at("Base").data = Ints{3, 3};
         zone_of(root).at("GridCoordinates").add({"CoordinateZ", "DataArray_t", Reals{0, 0, 0, 1}, {}, {}, {}});
         zone_of(root).children.erase(zone_of(root).children.begin() + 2, zone_of(root).children.end());
         zone_of(root).add(cgns_section("Faces", 22, 1, 3, {3, 1, 2, 3, 3, 1, 2, 4, 3, 2, 3, 4}));
         zone_of(root).add(cgns_section("Cells", 23, 4, 4, {3, 1, 2, 3}));
       }},
      {"boundary element that does not exist",
       [](Tree& root) {
         zone_of(root).at("ZoneBC/wall/PointRange").data = Ints{3, 7};
       }},
      {"boundary element that is a cell",
       [](Tree& root) {
         zone_of(root).at("ZoneBC/far/PointList").data = Ints{6, 2};
       }},
      {"boundary vertex that does not exist",
       [](Tree& root) {
         zone_of(root).at("ZoneBC/far").remove("GridLocation");
         zone_of(root).at("ZoneBC/far/PointList").data = Ints{3, 4, 9};
       }},
      {"boundary vertices without a face",
       [](Tree& root) {
         zone_of(root).at("ZoneBC/far").remove("GridLocation");
         zone_of(root).at("ZoneBC/far/PointList").data = Ints{2, 4};
       }},
      {"boundary condition of nothing", [](Tree& root) { zone_of(root).at("ZoneBC/far").remove("PointList"); }},
      {"one boundary element in two conditions",
       [](Tree& root) {
         zone_of(root).at("ZoneBC/far/PointList").data = Ints{6, 5, 4};
       }},
      {"no boundary",
       [](Tree& root) {
         zone_of(root).remove("ZoneBC");
         zone_of(root).remove("Lines");
       }},
      {"no cells", [](Tree& root) { zone_of(root).remove("Triangles"); }},
      {"zone that is linked from another file",
       [](Tree& root) {
         zone_of(root).children.clear();
         zone_of(root).link_path = "/Base/Zone 1";
         zone_of(root).link_file = "grid.cgns";
       }},
      {"zones that do not match",
       [](Tree& root) {
         Tree& list = zone_of(root).add({"Joints", "ZoneGridConnectivity_t", {}, {}, {}, {}});
         Tree& link = list.add({"Joint", "GridConnectivity_t", std::string("Zone 2"), {}, {}, {}});
         link.add({"GridConnectivityType", "GridConnectivityType_t", std::string("Abutting"), {}, {}, {}});
       }},
      {"neighbour that does not exist",
       [](Tree& root) {
         Tree& list = zone_of(root).add({"Joints", "ZoneGridConnectivity_t", {}, {}, {}, {}});
         Tree& link = list.add({"Joint", "GridConnectivity_t", std::string("Zone 2"), {}, {}, {}});
         link.add({"GridConnectivityType", "GridConnectivityType_t", std::string("Abutting1to1"), {}, {}, {}});
         link.add({"PointList", "IndexArray_t", Ints{1}, {}, {}, {}});
         link.add({"PointListDonor", "IndexArray_t", Ints{1}, {}, {}, {}});
       }},
  };
}

template <class Read>
std::string message_of(Read&& read) {
  try {
    read();
  } catch (const MeshError& error) {
    EXPECT_FALSE(error.suggestion().empty()) << error.what();
    EXPECT_FALSE(error.where().file.empty()) << error.what();
    return error.what();
  } catch (const IoError& error) {
    EXPECT_FALSE(error.suggestion().empty()) << error.what();
    EXPECT_FALSE(error.where().file.empty()) << error.what();
    return error.what();
  }
  return "read without an error";
}

/// Escapes text for a cell of a Markdown table.
std::string row(const std::string& what, std::string message) {
  for (std::size_t at = 0; (at = message.find('|', at)) != std::string::npos; at += 2) message.replace(at, 1, "\\|");
  return "| " + what + " | `" + message + "` |\n";
}

std::string parsed_rows(const std::vector<Bad>& cases, MeshBlock (*parse)(std::string_view, const std::string&)) {
  std::string rows;
  for (const Bad& bad : cases) rows += row(bad.what, message_of([&] { static_cast<void>(parse(bad.bytes, bad.file)); }));
  return rows;
}

std::string cgns_rows() {
  const testing::CgnsScratch scratch;
  std::string rows;
  for (const BadCgns& bad : bad_cgns()) {
    testing::CgnsTree root = testing::cgns_square();
    bad.spoil(root);
    testing::write_cgns(root, scratch.path);
    std::string message = message_of([&] { static_cast<void>(load_cgns(scratch.path)); });
    for (std::size_t at = 0; (at = message.find(scratch.path)) != std::string::npos;)
      message.replace(at, scratch.path.size(), "m.cgns");
    rows += row(bad.what, message);
  }
  return rows;
}

/// Reads through the file system; all ranks get the same message. @collective
std::string read_rows(const Communicator& comm) {
  namespace fs = std::filesystem;
  const auto process = comm.broadcast(static_cast<std::int64_t>(::getpid()));
  const std::string folder = fs::temp_directory_path() / ("weft-bad-" + std::to_string(process));
  if (comm.is_root()) fs::create_directories(folder);
  std::string rows;
  const auto add = [&](const char* what, const std::string& path) {
    std::string message = message_of([&] { static_cast<void>(read_mesh(comm, path)); });
    for (std::size_t at = 0; (at = message.find(folder + "/")) != std::string::npos;) message.erase(at, folder.size() + 1);
    rows += row(what, message);
  };
  add("missing file", folder + "/m.msh");
  if (comm.is_root()) fs::create_directory(folder + "/meshes");
  add("folder", folder + "/meshes");
  if (comm.is_root()) {
    fs::create_directories(folder + "/case/constant/polyMesh");
    std::ofstream(folder + "/case/constant/polyMesh/points") << "(\n)\n";
  }
  add("case folder of OpenFOAM", folder + "/case");
  for (const Bad& bad : bad_files()) {
    if (comm.is_root()) std::ofstream(folder + "/" + bad.file, std::ios::binary) << bad.bytes;
    add(bad.what, folder + "/" + bad.file);
  }
  if (comm.is_root()) fs::remove_all(folder);
  return rows;
}

std::string table(const char* heading, const std::string& rows) {
  return std::string("\n### ") + heading + "\n\n| file | message |\n| --- | --- |\n" + rows;
}

TEST(ReadErrors, MessagesEqualThoseOfTheGuide) {
  const Communicator comm = Communicator::world();
  const std::string files = read_rows(comm);
  const std::string tables = table("Any file", files) + table("SU2", parsed_rows(bad_su2(), parse_su2)) +
                             table("Gmsh", parsed_rows(bad_gmsh(), parse_gmsh)) + table("CGNS", cgns_rows());
  EXPECT_EQ(tables.find("read without an error"), std::string::npos) << tables;

  const std::string path = source_dir() / "docs/guide/meshes.md";
  std::ifstream in(path);
  const std::string guide((std::istreambuf_iterator<char>(in)), {});
  const std::string begin = "<!-- generated by tests/mesh/read_errors_test.cpp -->\n", end = "\n<!-- end of generated tables -->";
  const std::size_t from = guide.find(begin), to = guide.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos) << path;
  if (std::getenv("WEFT_UPDATE_DOCS")) {
    comm.barrier();
    if (comm.is_root()) std::ofstream(path) << guide.substr(0, from + begin.size()) + tables + guide.substr(to);
    return;
  }
  EXPECT_EQ(guide.substr(from + begin.size(), to - from - begin.size()), tables)
      << "run with WEFT_UPDATE_DOCS=1 and read the difference";
}

TEST(ReadErrors, TheValidFilesAreRead) {
  EXPECT_EQ(parse_su2(kSu2, "m.su2").cells.size(), 2);
  EXPECT_EQ(parse_gmsh(kGmsh2, "m.msh").boundary.size(), 3);
  EXPECT_EQ(parse_gmsh(kGmsh4, "m.msh").boundary.size(), 3);
}

TEST(ReadErrors, ContainLocationAndElement) {
  try {
    static_cast<void>(parse_su2(with(kSu2, "3 3 0", "3 3 8"), "m.su2"));
    FAIL();
  } catch (const MeshError& error) {
    EXPECT_EQ(error.where(), (Where{.file = "m.su2", .line = 18, .zone = "far", .element = 1}));
  }
  MeshBlock block = testing::mixed_2d(1);
  std::string bytes = format_mesh(block, MeshFormat::gmsh22_binary, "m");
  const std::size_t last_node = bytes.find("\n$EndElements") - 4;
  bytes[last_node] = 99;
  try {
    static_cast<void>(parse_gmsh(bytes, "m.msh"));
    FAIL();
  } catch (const MeshError& error) {
    EXPECT_EQ(error.where().line, 0);
    EXPECT_EQ(error.where().offset, static_cast<std::int64_t>(last_node) - 5 * 4);
    EXPECT_EQ(error.where().element, 7);
  }
}

/// Each prefix of a file, and each file with one byte changed, is either read or yields a weft::Error.
TEST(ReadErrors, PrefixesAndFlippedBytesAreReadOrThrow) {
  const auto try_it = [](const std::string& bytes, bool su2) {
    try {
      static_cast<void>(su2 ? parse_su2(bytes, "m") : parse_gmsh(bytes, "m"));
    } catch (const Error&) {
    }
  };
  const MeshBlock block = testing::mixed_2d(1);
  for (const MeshFormat format :
       {MeshFormat::gmsh41, MeshFormat::gmsh41_binary, MeshFormat::gmsh22, MeshFormat::gmsh22_binary, MeshFormat::su2}) {
    const std::string bytes = format_mesh(block, format, "m");
    for (std::size_t size = 0; size < bytes.size(); ++size) try_it(bytes.substr(0, size), format == MeshFormat::su2);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const int flip : {0x01, 0x10, 0x80}) {
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ flip);
        try_it(changed, format == MeshFormat::su2);
      }
    }
  }
}

}  // namespace
}  // namespace weft::mesh
