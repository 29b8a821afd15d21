// The CGNS reader with each kind of section, boundary and connectivity between zones.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "weft/base/error.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/read_scatter.hpp"
#include "weft/mesh/mesh.hpp"

#include "cgns_polyhedra.hpp"
#include "cgns_samples.hpp"

namespace weft::mesh::read_cgns_test {
namespace {

using namespace testing;

/// Creates one section per cell, or one MIXED section of all cells; then one MIXED section for each boundary zone.
CgnsTree mixed_file(bool one_section, bool with_offsets) {
  const MeshBlock block = mixed_3d();
  CgnsTree root = cgns_base(3, 3), zone = cgns_zone("Zone", block.coords, 3, static_cast<int>(block.cells.size()));
  int id = 0;
  const auto mixed = [&](const std::string& name, const Elements& elements, const auto& wanted) {
    Ints numbers, offset{0};
    const int first = id + 1;
    for (std::int64_t i = 0; i < elements.size(); ++i) {
      if (!wanted(i)) continue;
      ++id;
      numbers.push_back(shape(elements.type[static_cast<std::size_t>(i)]).cgns);
      for (const int vertex : vertices(elements, i)) numbers.push_back(vertex);
      offset.push_back(static_cast<int>(numbers.size()));
    }
    zone.add(cgns_section(name, kMixed, first, id, numbers, with_offsets ? offset : Ints{}));
  };
  if (one_section) {
    mixed("Cells", block.cells, [](std::int64_t) { return true; });
  } else {
    for (std::int64_t i = 0; i < block.cells.size(); ++i, ++id)
      zone.add(cgns_section("Cells " + std::to_string(i), shape(block.cells.type[static_cast<std::size_t>(i)]).cgns, id + 1,
                            id + 1, vertices(block.cells, i)));
  }
  for (const ZoneId z : {ZoneId(0), ZoneId(1)}) {
    mixed(block.zones[z].name, block.boundary,
          [&](std::int64_t i) { return block.boundary.zone[static_cast<std::size_t>(i)] == z; });
  }
  root.at("Base").add(zone);
  return root;
}

TEST(ReadCgns, EveryTypeInSeparateAndMixedSections) {
  const MeshBlock expected = without_volume_zones(mixed_3d());
  expect_same(load(mixed_file(false, false)), expected);
  expect_same(load(mixed_file(true, false)), expected);
  expect_same(load(mixed_file(true, true)), expected);
}

TEST(ReadCgns, AllRanksTogether) {
  const Communicator comm = Communicator::world();
  const CgnsScratch scratch;
  std::string path = scratch.path;
  comm.broadcast(path);
  if (comm.is_root()) write_cgns(mixed_file(true, true), path);
  comm.barrier();
  for (const MeshBlock& block : {read_mesh(comm, path), read_cgns(comm, path)}) {
    EXPECT_EQ(comm.sum(block.cells.size()), 4);
    EXPECT_EQ(block.zones, (IdVector<ZoneId, Zone>{{"wall", 2}, {"in let", 2}}));
  }
  EXPECT_THROW(static_cast<void>(read_su2(comm, path)), IoError);
  EXPECT_THROW(static_cast<void>(read_cgns(comm, path + ".not")), IoError);
  comm.barrier();
}

TEST(ReadCgns, LongIntegersAndSinglePrecision) {
  CgnsTree root = cgns_square();
  CgnsTree& zone = root.at("Base/Zone 1");
  zone.data = Longs{4, 2, 0};
  zone.at("Triangles/ElementRange").data = Longs{1, 2};
  zone.at("Triangles/ElementConnectivity").data = Longs{1, 2, 3, 1, 3, 4};
  zone.at("GridCoordinates/CoordinateX").data = Floats{0, 1, 1, 0.5F};
  const MeshBlock block = load(root);
  EXPECT_EQ(block.coords[3], (Vec3{0.5, 1, 0}));
  EXPECT_EQ(vertices(block.cells, 1), (Ints{1, 3, 4}));
}

// ------------------------------------------------------------------------------------------------------------- units of length

CgnsTree units(const std::string& length) {
  std::string words;
  for (const std::string& word :
       {std::string("Kilogram"), length, std::string("Second"), std::string("Kelvin"), std::string("Radian")})
    words += word + std::string(32 - word.size(), ' ');
  return {"DimensionalUnits", "DimensionalUnits_t", words, {}, {}, {}};
}
CgnsTree data_class(const std::string& name) { return {"DataClass", "DataClass_t", name, {}, {}, {}}; }

TEST(ReadCgns, LengthsAreConvertedToMetresWithANote) {
  const Vec3 corner = load(cgns_square()).coords[2];
  struct Unit {
    const char* name;
    double metres;
  };
  for (const Unit& unit :
       {Unit{"Meter", 1}, Unit{"Centimeter", 0.01}, Unit{"Millimeter", 0.001}, Unit{"Foot", 0.3048}, Unit{"Inch", 0.0254}}) {
    CgnsTree root = cgns_square();
    root.at("Base").add(data_class("Dimensional"));
    root.at("Base").add(units(unit.name));
    const MeshBlock block = load(root);
    EXPECT_EQ(block.coords[2], unit.metres * corner) << unit.name;
    EXPECT_EQ(block.file_unit, unit.metres);
    ASSERT_EQ(block.notes.size(), unit.metres == 1 ? 0U : 1U);
    for (const std::string& note : block.notes) EXPECT_NE(note.find(unit.name), std::string::npos) << note;
  }
}

TEST(ReadCgns, TheInnermostUnitAndClassApply) {
  const Vec3 corner = load(cgns_square()).coords[2];
  CgnsTree root = cgns_square();
  root.at("Base").add(units("Meter"));
  root.at("Base/Zone 1").add(units("Inch"));  // dimensional, because no class is given
  EXPECT_EQ(load(root).coords[2], 0.0254 * corner);
  root.at("Base/Zone 1/GridCoordinates").add(units("Millimeter"));
  EXPECT_EQ(load(root).coords[2], 0.001 * corner);
  for (const char* name : {"X", "Y"})
    root.at(std::string("Base/Zone 1/GridCoordinates/Coordinate") + name).add(data_class("NondimensionalParameter"));
  EXPECT_EQ(load(root).coords[2], corner);
  EXPECT_EQ(load(root).file_unit, 1);
  EXPECT_TRUE(load(root).notes.empty());
}

TEST(ReadCgns, NormalizedLengthsAreConvertedFirst) {
  const Vec3 corner = load(cgns_square()).coords[2];
  CgnsTree root = cgns_square();
  root.at("Base").add(data_class("NormalizedByDimensional"));
  root.at("Base").add(units("Millimeter"));
  for (const char* name : {"X", "Y"}) {
    root.at(std::string("Base/Zone 1/GridCoordinates/Coordinate") + name)
        .add({"DataConversion", "DataConversion_t", Reals{250, 10}, {}, {}, {}});
  }
  const Vec3 x = load(root).coords[2];
  EXPECT_NEAR(x.x, 0.25 * corner.x + 0.01, 1e-16);
  EXPECT_NEAR(x.y, 0.25 * corner.y + 0.01, 1e-16);
  root.at("Base/Zone 1/GridCoordinates/CoordinateX/DataConversion").data = Reals{0, 0};
  EXPECT_EQ(error_of(root), "DataConversion is not a finite scale and offset");
}

TEST(ReadCgns, UnknownUnitsCountAsMetresWithANote) {
  const Vec3 corner = load(cgns_square()).coords[2];
  for (const char* name : {"UserDefined", "Furlong"}) {
    CgnsTree root = cgns_square();
    root.at("Base").add(units(name));
    const MeshBlock block = load(root);
    EXPECT_EQ(block.coords[2], corner);
    ASSERT_EQ(block.notes.size(), 1U);
    EXPECT_NE(block.notes[0].find(name), std::string::npos);
  }
  CgnsTree root = cgns_square();
  root.at("Base").add(units("Null"));
  EXPECT_TRUE(load(root).notes.empty());
  root.at("Base").add(data_class("Dimensional"));
  EXPECT_EQ(load(root).notes.size(), 1U);
  root.at("Base/DimensionalUnits").data = std::string("Kilogram");
  EXPECT_EQ(error_of(root), "DimensionalUnits names no unit of length");
}

// ------------------------------------------------------------------------------------------------------------------ polyhedra

TEST(ReadCgns, PolyhedraAreConvertedToTheirShapes) {
  const MeshBlock expected = mixed_3d();
  for (const PolyhedraAs as : {PolyhedraAs::faces, PolyhedraAs::faces_with_offsets, PolyhedraAs::parents}) {
    const MeshBlock block = load(polyhedra(mixed_3d(), as));
    EXPECT_EQ(block.cells.type, expected.cells.type);
    for (std::int64_t c = 0; c < block.cells.size(); ++c) {
      Ints mine = vertices(block.cells, c), theirs = vertices(expected.cells, c);
      std::sort(mine.begin(), mine.end()), std::sort(theirs.begin(), theirs.end());
      EXPECT_EQ(mine, theirs);
      EXPECT_GT(corner(block, c), 0);
    }
    EXPECT_EQ(faces_of(block), faces_of(expected));  // the section of inner faces is not a zone
    const Communicator comm = Communicator::world();
    static_cast<void>(build(comm, detail::scatter_whole(comm, block)));
  }
}

TEST(ReadCgns, ParentsInOtherSectionsAreNotReadTwice) {
  const MeshBlock expected = without_volume_zones(mixed_3d());
  CgnsTree root = polyhedra(mixed_3d(), PolyhedraAs::parents);
  Ints numbers;
  for (std::int64_t c = 0; c < expected.cells.size(); ++c) {
    numbers.push_back(shape(expected.cells.type[static_cast<std::size_t>(c)]).cgns);
    for (const int vertex : vertices(expected.cells, c)) numbers.push_back(vertex);
  }
  CgnsTree& zone = root.at("Base/Zone");
  const int faces = std::get<Ints>(zone.children.back().at("ElementRange").data)[1];
  zone.add(cgns_section("Cells", kMixed, faces + 1, faces + 4, numbers));
  const MeshBlock block = load(root);
  EXPECT_EQ(block.cells.type, expected.cells.type);
  EXPECT_EQ(block.cells.node, expected.cells.node);
  EXPECT_EQ(faces_of(block), faces_of(expected));
}

TEST(ReadCgns, OtherPolyhedraThrowWithTheirNumber) {
  CgnsTree root = polyhedra(mixed_3d(), PolyhedraAs::faces);
  Ints& numbers = std::get<Ints>(root.at("Base/Zone/Cells/ElementConnectivity").data);
  numbers.erase(numbers.begin() + 1);
  numbers[0] = 5;
  EXPECT_NE(error_of(root).find("a polyhedron of 5 faces"), std::string::npos) << error_of(root);
  try {
    static_cast<void>(load(root));
  } catch (const MeshError& error) {
    EXPECT_GT(error.where().element, 0);
    EXPECT_EQ(error.where().zone, "Zone");
  }
}

// ------------------------------------------------------------------------------------------------------------------- boundary

TEST(ReadCgns, BoundaryConditionsInEveryForm) {
  const auto expected = faces_of(load(cgns_square()));
  EXPECT_EQ(expected.at("wall"), (std::set<std::set<std::int64_t>>{{0, 1}, {1, 2}}));
  EXPECT_EQ(expected.at("far"), (std::set<std::set<std::int64_t>>{{2, 3}, {0, 3}}));
  struct Way {
    const char *points, *location;
    Ints wall, far;
  };
  const std::vector<Way> ways{{"ElementRange", "", {3, 4}, {5, 6}},
                              {"ElementList", "", {3, 4}, {5, 6}},
                              {"PointRange", "FaceCenter", {3, 4}, {5, 6}},
                              {"PointList", "Vertex", {1, 2, 3}, {4, 3, 1}},
                              {"PointList", "", {1, 2, 3}, {4, 3, 1}}};
  for (const Way& way : ways) {
    CgnsTree root = cgns_square();
    CgnsTree& zone = root.at("Base/Zone 1");
    zone.remove("ZoneBC");
    add_condition(zone, "BC 1", way.points, way.wall, way.location, "wall");
    add_condition(zone, "BC 2", way.points, way.far, way.location, "far");
    EXPECT_EQ(faces_of(load(root)), expected) << way.points << way.location;
  }
  CgnsTree root = cgns_square();
  root.at("Base/Zone 1").remove("ZoneBC");
  EXPECT_EQ(load(root).zones, (IdVector<ZoneId, Zone>{{"Lines", 1}}));
  EXPECT_EQ(load(root).boundary.size(), 4);
}

TEST(ReadCgns, RangeOfVertices) {
  CgnsTree root = cgns_square();
  CgnsTree& zone = root.at("Base/Zone 1");
  zone.remove("ZoneBC");
  add_condition(zone, "wall", "PointRange", {1, 3});
  add_condition(zone, "far", "PointList", {1, 4, 3});
  EXPECT_EQ(faces_of(load(root)).at("wall"), (std::set<std::set<std::int64_t>>{{0, 1}, {1, 2}}));  // not the diagonal
}

TEST(ReadCgns, FlatPolygonsAndThreeCoordinates) {
  CgnsTree root = cgns_square();
  root.at("Base").data = Ints{2, 3};
  CgnsTree& zone = root.at("Base/Zone 1");
  zone.at("GridCoordinates").add({"CoordinateZ", "DataArray_t", Reals{3, 3, 3, 3}, {}, {}, {}});
  zone.remove("Triangles");
  zone.add(cgns_section("Polygons", kNgon, 1, 1, {1, 2, 3, 4}, {0, 4}));
  zone.at("Lines/ElementRange").data = Ints{3, 6};
  const MeshBlock block = load(root);
  EXPECT_EQ(block.cells.type, std::vector<CellType>{CellType::quad});
  EXPECT_EQ(block.coords[2], (Vec3{1, 1, 0}));
}

TEST(ReadCgns, LinksWithinTheFileAreFollowedAndOthersNamed) {
  CgnsTree root = cgns_square();
  root.at("Base").add(root.at("Base/Zone 1/GridCoordinates")).name = "Elsewhere";
  CgnsTree& grid = root.at("Base/Zone 1/GridCoordinates");
  grid.children.clear();
  grid.link_path = "/Base/Elsewhere";
  EXPECT_EQ(load(root).coords.size(), 4U);
  grid.link_file = "grid.cgns";
  EXPECT_NE(error_of(root).find("lies in another file (grid.cgns)"), std::string::npos) << error_of(root);
}

// --------------------------------------------------------------------------------------------------------------------- misuse

TEST(ReadCgns, TruncatedFilesThrow) {
  const CgnsScratch scratch;
  write_cgns(cgns_square(), scratch.path);
  const auto whole = std::filesystem::file_size(scratch.path);
  for (std::uintmax_t size = 8; size < whole; size += 97) {
    write_cgns(cgns_square(), scratch.path);
    std::filesystem::resize_file(scratch.path, size);
    EXPECT_THROW(static_cast<void>(load_cgns(scratch.path)), IoError) << size;
  }
}

TEST(ReadCgns, DataLargerThanTheFileIsNotRead) {
  const CgnsScratch scratch;
  CgnsTree root = cgns_square();
  root.at("Base/Zone 1/GridCoordinates/CoordinateX").data = {};
  write_cgns(root, scratch.path);
  const hid_t file = H5Fopen(scratch.path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hsize_t size = hsize_t{1} << 40;
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  H5Dclose(H5Dcreate2(file, "/Base/Zone 1/GridCoordinates/CoordinateX/ data", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT,
                      H5P_DEFAULT));
  H5Sclose(space);
  H5Fclose(file);
  EXPECT_THROW(static_cast<void>(load_cgns(scratch.path)), IoError);
}

}  // namespace
}  // namespace weft::mesh::read_cgns_test
