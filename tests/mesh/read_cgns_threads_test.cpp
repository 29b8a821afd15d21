// A CGNS mesh is the same, bit by bit, on any number of threads; so is the first error of a damaged file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "weft/mesh/io/read_mesh.hpp"

#include "cgns_polyhedra.hpp"
#include "cgns_samples.hpp"
#include "thread_checks.hpp"

namespace weft::mesh::read_cgns_threads_test {
namespace {

using namespace testing;
using ::testing::HasSubstr;

std::string expect_same_loaded(const CgnsTree& root) {
  const CgnsScratch scratch;
  write_cgns(root, scratch.path);
  return expect_same_on_threads([&](Team& team) { return load_cgns(scratch.path, team); });
}

/// Returns the box as a CGNS file: a section of hexahedra, and one of quads for each zone.
CgnsTree cgns_box(const MeshBlock& block) {
  CgnsTree root = cgns_base(3, 3);
  CgnsTree zone = cgns_zone("Z", block.coords, 3, static_cast<int>(block.cells.size()));
  int last = 0;
  const auto section = [&](const std::string& name, int type, const Elements& elements, ZoneId only) {
    Ints vertices;
    const int first = last + 1;
    for (std::int64_t i = 0; i < elements.size(); ++i) {
      if (only.valid() && elements.zone[i] != only) continue;
      for (const GlobalNodeId node : elements.nodes(i)) vertices.push_back(static_cast<int>(node.value()) + 1);
      ++last;
    }
    zone.add(cgns_section(name, type, first, last, vertices));
  };
  section("Cells", 17, block.cells, ZoneId::invalid());
  for (const ZoneId z : block.zones.ids()) {
    if (block.zones[z].dim == 2) section(block.zones[z].name, kQuad, block.boundary, z);
  }
  root.at("Base").add(zone);
  return root;
}

TEST(ReadCgnsThreads, GiveTheSameCellsOfOneTypeAndTheFirstError) {
  const MeshBlock block = box();
  const CgnsTree root = cgns_box(block);
  EXPECT_EQ(expect_same_loaded(root), "");
  const MeshBlock read = load(root);
  expect_same_bytes(read.coords, block.coords, "coords");
  expect_same_bytes(read.cells.node, block.cells.node, "node");
  EXPECT_EQ(read.boundary.size(), block.boundary.size());

  CgnsTree damaged = root;
  auto& vertices = std::get<Ints>(damaged.at("Base/Z/Cells/ElementConnectivity").data);
  for (const std::size_t cell : {8000U, 2000U, 5000U}) vertices[8 * cell] = 123'456;
  const std::string missing = expect_same_loaded(damaged);
  EXPECT_NE(missing.find("element 2001"), std::string::npos) << missing;
  EXPECT_NE(missing.find("node 123456 does not exist"), std::string::npos) << missing;
  vertices[8 * 1500] = vertices[8 * 1500 + 1];
  EXPECT_NE(expect_same_loaded(damaged).find("twice"), std::string::npos);

  damaged = root;
  auto& y = std::get<Reals>(damaged.at("Base/Z/GridCoordinates/CoordinateY").data);
  for (const std::size_t node : {9000U, 4000U, 7000U}) y[node] = std::nan("");
  EXPECT_NE(expect_same_loaded(damaged).find("CoordinateY of node 4001 is nan"), std::string::npos);
}

/// A MIXED section, which begins with element 1.
struct Mixed {
  Ints numbers, offset{0};

  void add(int type, const Ints& vertices) {
    numbers.push_back(type);
    numbers.insert(numbers.end(), vertices.begin(), vertices.end());
    offset.push_back(static_cast<int>(numbers.size()));
  }
  [[nodiscard]] int size() const { return static_cast<int>(offset.size()) - 1; }
  /// Returns the first number of an element, which is that of its type.
  [[nodiscard]] int& type_of(int element) {
    return numbers[static_cast<std::size_t>(offset[static_cast<std::size_t>(element) - 1])];
  }
};

/// Returns cells and boundary elements, interleaved, among them nodes and elements of second order, whose nodes between corners
/// are the last node of the mesh.
Mixed mixed_section(const MeshBlock& block) {
  Mixed section;
  const auto mid = static_cast<int>(block.coords.size()) + 1;
  const auto add = [&](const Elements& elements, std::int64_t i, bool second_order) {
    constexpr int kSecondOrder[] = {4, 6, 8, 11, 13, 15, 18}, kMids[] = {1, 3, 4, 6, 9, 9, 12};  // by CellType
    const CellType type = elements.type[static_cast<std::size_t>(i)];
    Ints nodes = vertices(elements, i);
    if (second_order) nodes.insert(nodes.end(), static_cast<std::size_t>(kMids[static_cast<int>(type)]), mid);
    section.add(second_order ? kSecondOrder[static_cast<int>(type)] : shape(type).cgns, nodes);
  };
  for (std::int64_t c = 0; c < block.cells.size(); ++c) {
    if (c % 100 == 0) section.add(2, {1});
    add(block.cells, c, c % 7 == 0);
    if (c < block.boundary.size()) add(block.boundary, c, c % 5 == 0);
  }
  return section;
}

CgnsTree with_section(const MeshBlock& block, const Mixed& section, bool offsets) {
  CgnsTree root = cgns_base(3, 3);
  TeamVector<Vec3> coords = block.coords;
  coords.push_back({0.5, 0.5, 0.5});
  CgnsTree zone = cgns_zone("Z", coords, 3, static_cast<int>(block.cells.size()));
  zone.add(cgns_section("All", kMixed, 1, section.size(), section.numbers, offsets ? section.offset : Ints{}));
  root.at("Base").add(zone);
  return root;
}

TEST(ReadCgnsThreads, GiveTheSameCellsOfMixedSections) {
  const MeshBlock block = box(CellMix::mixed);
  const Mixed section = mixed_section(block);
  ASSERT_GT(section.size(), 3 * (1 << 13));  // several rounds of the threads, and one
  for (const bool offsets : {true, false}) {
    const CgnsTree root = with_section(block, section, offsets);
    EXPECT_EQ(expect_same_loaded(root), "");
    const MeshBlock read = load(root);
    expect_same_bytes(read.coords, block.coords, "coords");
    expect_same_bytes(read.cells.type, block.cells.type, "type");
    expect_same_bytes(read.cells.node, block.cells.node, "node");
    expect_same_bytes(read.boundary.node, block.boundary.node, "node of boundary");
    ASSERT_EQ(read.warnings.size(), 1U);
    EXPECT_THAT(read.warnings[0], HasSubstr(std::to_string((block.cells.size() + 6) / 7) + " cells of second order"));
  }
}

/// Expects the same error on any number of threads, which names the element.
void expect_error(const MeshBlock& block, const Mixed& section, bool offsets, int element, const char* problem) {
  const std::string error = expect_same_loaded(with_section(block, section, offsets));
  EXPECT_THAT(error, HasSubstr("element " + std::to_string(element) + ": ")) << offsets;
  EXPECT_THAT(error, HasSubstr(problem)) << offsets;
}

TEST(ReadCgnsThreads, ReportTheFirstBadElementOfMixedSections) {
  const MeshBlock block = box(CellMix::mixed);
  const Mixed section = mixed_section(block);
  for (const bool offsets : {true, false}) {
    for (const int first : {2, section.size() / 2 + 100, section.size() - 4}) {
      Mixed damaged = section;
      for (const int element : {section.size() - 1, section.size() - 2, first}) (&damaged.type_of(element))[1] = 123'456;
      expect_error(block, damaged, offsets, first, "node 123456 does not exist");
      damaged.type_of(first) = 99;
      expect_error(block, damaged, offsets, first, "unknown element type 99");
      damaged.type_of(first) = kNgon;
      expect_error(block, damaged, offsets, first, "element type 22 in a MIXED section");
    }
    Mixed damaged = section;  // whichever of two different errors comes first
    (&damaged.type_of(9000))[1] = 0;
    damaged.type_of(9001) = 26;
    expect_error(block, damaged, offsets, 9000, "node 0 does not exist");
    damaged.type_of(8999) = 26;
    expect_error(block, damaged, offsets, 8999, "element type 26 is of third or higher order");
  }
}

TEST(ReadCgnsThreads, ReportTheFirstElementWithAWrongStart) {
  const MeshBlock block = box(CellMix::mixed);
  const Mixed section = mixed_section(block);
  // Elements whose predecessor another thread reads: with 2, 3, 5 and 8 threads and rounds of 2^13 elements for each.
  for (const int element : {2, 3000, (1 << 13), (1 << 13) + 1, (1 << 14) + 1, 3 * (1 << 13) + 1, section.size()}) {
    Mixed damaged = section;
    ++damaged.offset[static_cast<std::size_t>(element) - 1];
    expect_error(block, damaged, true, element, "ElementStartOffset of section \"All\" does not fit its elements");
  }
  Mixed damaged = section;  // all elements after 8192 begin where the list ends
  std::fill(damaged.offset.begin() + (1 << 13), damaged.offset.end(), section.offset.back());
  expect_error(block, damaged, true, (1 << 13) + 1, "ElementStartOffset of section \"All\" does not fit its elements");
}

TEST(ReadCgnsThreads, ReportMixedSectionsOfTheWrongLength) {
  const MeshBlock block = box(CellMix::mixed);
  const Mixed section = mixed_section(block);
  for (const int kept : {10'000, section.size() - 1}) {
    Mixed damaged = section;
    damaged.numbers.resize(static_cast<std::size_t>(section.offset[static_cast<std::size_t>(kept)]) - 1);
    expect_error(block, damaged, false, kept, "do not fit the");
    damaged.numbers.pop_back();
    damaged.offset.resize(static_cast<std::size_t>(kept) + 1);  // announces fewer elements, too
    damaged.offset.back() = static_cast<int>(damaged.numbers.size());
    expect_error(block, damaged, true, kept, "do not fit the");
    damaged.numbers = section.numbers;
    expect_error(block, damaged, false, kept, "do not fit the");
  }
}

TEST(ReadCgnsThreads, ReportTheFirstBadFace) {
  const MeshBlock block = box();
  CgnsTree root = cgns_box(block);
  const int cells = static_cast<int>(block.cells.size());
  CgnsTree& side = root.at("Base/Z").children.back();
  auto& vertices = std::get<Ints>(side.at("ElementConnectivity").data);
  const int before = std::get<Ints>(side.at("ElementRange").data)[0] - cells;
  for (const std::size_t face : {430U, 100U, 300U}) vertices[4 * face] = 123'456;
  EXPECT_THAT(expect_same_loaded(root), HasSubstr("element " + std::to_string(cells + before + 100) + ": node 123456"));
}

TEST(ReadCgnsThreads, GiveTheSamePolyhedra) {
  const MeshBlock block = box(CellMix::mixed);
  for (const PolyhedraAs as : {PolyhedraAs::faces, PolyhedraAs::faces_with_offsets, PolyhedraAs::parents}) {
    const CgnsTree root = polyhedra(block, as);
    EXPECT_EQ(expect_same_loaded(root), "");
    const MeshBlock read = load(root);
    expect_same_bytes(read.cells.type, block.cells.type, "type");
    EXPECT_EQ(faces_of(read), faces_of(block));  // a face inside is used twice, by cells of any threads
  }
}

/// Returns the positions of the first node or face of each element of a section.
std::vector<std::size_t> starts(CgnsTree& section, bool offsets) {
  std::vector<std::size_t> result;
  if (offsets) {
    for (const int at : std::get<Ints>(section.at("ElementStartOffset").data)) result.push_back(static_cast<std::size_t>(at));
    return result;
  }
  const auto& numbers = std::get<Ints>(section.at("ElementConnectivity").data);
  for (std::size_t at = 0; at < numbers.size(); at += static_cast<std::size_t>(numbers[at]) + 1) result.push_back(at + 1);
  return result;
}

TEST(ReadCgnsThreads, ReportTheFirstBadPolygonAndPolyhedron) {
  const MeshBlock block = box(CellMix::mixed);
  for (const bool offsets : {true, false}) {
    CgnsTree root = polyhedra(block, offsets ? PolyhedraAs::faces_with_offsets : PolyhedraAs::faces);
    CgnsTree& cells = root.at("Base/Zone/Cells");
    const int first_cell = std::get<Ints>(cells.at("ElementRange").data)[0];
    auto& faces = std::get<Ints>(cells.at("ElementConnectivity").data);
    const std::vector<std::size_t> of_cell = starts(cells, offsets);
    for (const std::size_t cell : {8500U, 6000U, 7000U}) faces[of_cell[cell]] = 1'234'567;
    EXPECT_THAT(expect_same_loaded(root), HasSubstr(std::to_string(first_cell + 6000) + ": its face 1234567 does not exist"));
    faces[of_cell[5999]] = faces[of_cell[5999] + 1];
    EXPECT_THAT(expect_same_loaded(root), HasSubstr(std::to_string(first_cell + 5999) + ": the cell is a polyhedron of"));

    CgnsTree& inside = root.at("Base/Zone/inside");
    auto& vertices = std::get<Ints>(inside.at("ElementConnectivity").data);
    const std::vector<std::size_t> of_face = starts(inside, offsets);
    for (const std::size_t face : {20'000U, 11'000U, 15'000U}) vertices[of_face[face]] = -1;
    EXPECT_THAT(expect_same_loaded(root), HasSubstr("element 11001: node -1 does not exist"));
    if (offsets) continue;
    vertices[of_face[10'000] - 1] = -3;  // the number of its nodes
    EXPECT_THAT(expect_same_loaded(root), HasSubstr("element 10001: section \"inside\" announces"));
    vertices[of_face[9'000]] = 0;
    EXPECT_THAT(expect_same_loaded(root), HasSubstr("element 9001: node 0 does not exist"));
  }
}

}  // namespace
}  // namespace weft::mesh::read_cgns_threads_test
