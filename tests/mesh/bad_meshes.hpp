#pragma once
// Meshes with one fault each, in every format that is read.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cgns_samples.hpp"

namespace weft::mesh::bad_meshes {

inline const std::string kSu2 = R"(NDIME= 2
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

inline const std::string kGmsh2 = R"($MeshFormat
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

inline const std::string kGmsh4 = R"($MeshFormat
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
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

inline std::string upto(const std::string& text, const std::string& last) {
  return text.substr(0, text.find(last) + last.size());
}

struct Bad {
  const char* what;
  const char* file;
  std::string bytes;
};

inline std::vector<Bad> bad_su2() {
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

inline std::vector<Bad> bad_gmsh() {
  MeshBlock solid = testing::mixed_3d();
  const std::string binary4 = format_mesh(solid, MeshFormat::gmsh41_binary, "m");
  std::string bad_mark = binary4;
  bad_mark[upto(binary4, "4.1 1 8\n").size()] = 7;
  // The first block of each section follows its four counts; its number of nodes or elements follows three numbers of 4 bytes.
  // 100 is more than the file can contain in binary, but not more than as many bytes of a text could be.
  const auto with_count = [&](const std::string& section, char count) {
    std::string bytes = binary4;
    bytes[upto(binary4, section + "\n").size() + 4 * 8 + 3 * 4] = count;
    return bytes;
  };
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
      {"count of nodes larger than the file, binary", "m.msh", with_count("$Nodes", 100)},
      {"count of elements larger than the file, binary", "m.msh", with_count("$Elements", 100)},
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
inline std::string ugrid() {
  std::string bytes;
  for (const char* const number : {"\4", "\4", "", "\1", "", "", ""}) bytes += std::string(3, '\0') + std::string(number, 1);
  return bytes + std::string(4 * 3 * 8 + (3 + 1) * 4 * 4 + 4 * 4, '\0');
}

inline std::vector<Bad> bad_files() {
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

inline testing::CgnsTree& zone_of(testing::CgnsTree& root) { return root.at("Base/Zone 1"); }

inline std::vector<BadCgns> bad_cgns() {
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

}  // namespace weft::mesh::bad_meshes
