#include "weft/mesh/generate/generate_by_name.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "weft/base/error.hpp"
#include "weft/comm/communicator.hpp"

#include "mesh/generate_check.hpp"

namespace weft::mesh::generate_by_name_test {
namespace {

using testing::check_mesh;
using testing::expect_equal;
using testing::whole_mesh;

std::string message(std::string_view name, const GeneratorParameters& parameters) {
  try {
    (void)generate(Share{}, generator_spec(name, parameters));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(GenerateByName, EveryGeneratorCreatesAMeshFromItsDefaults) {
  for (const GeneratorInfo& info : generators()) {
    SCOPED_TRACE(info.name);
    const MeshBlock mesh = whole_mesh(generator_spec(info.name, {}));
    if (info.name != "naca") check_mesh(mesh);  // the largest one has a test of its own
    EXPECT_EQ(mesh.source, "generator " + info.name);
    for (const Zone& zone : mesh.zones) EXPECT_NE((", " + info.zones + ",").find(" " + zone.name + ","), std::string::npos);
  }
}

TEST(GenerateByName, SetsParametersOfEveryType) {
  const GeneratorSpec numbers = generator_spec("box", {{"nx", std::int64_t{3}},
                                                       {"ny", "4"},
                                                       {"xmax", std::int64_t{2}},
                                                       {"ymax", 1.5},
                                                       {"elements", "triangles"},
                                                       {"warp", "0.05"}});
  const auto& box = std::get<BoxSpec>(numbers);
  EXPECT_EQ(box.nx, 3);
  EXPECT_EQ(box.ny, 4);
  EXPECT_EQ(box.xmax, 2);
  EXPECT_EQ(box.ymax, 1.5);
  EXPECT_EQ(box.warp, 0.05);
  EXPECT_EQ(box.elements, CellMix::triangles);
  EXPECT_EQ(std::get<BoxSpec>(generator_spec("box", {{"nx", 32.0}})).nx, 32);
  for (const double number : {2.5, 1e300}) EXPECT_NE(message("box", {{"nx", number}}).find("nx: "), std::string::npos);

  const Communicator comm = Communicator::world();
  const MeshBlock share =
      generate(comm, "naca", {{"digits", "2412"}, {"around", std::int64_t{32}}, {"radial", std::int64_t{16}}});
  NacaSpec spec;
  spec.digits = "2412";
  spec.around = 32;
  spec.radial = 16;
  expect_equal(share, generate(comm, spec));
}

TEST(GenerateByName, NamesTheClosestName) {
  EXPECT_EQ(message("forwardstep", {}), "no generator is called \"forwardstep\"; did you mean \"forward_step\"?");
  EXPECT_EQ(
      message("torus_of_revolution", {}),
      "no generator is called \"torus_of_revolution\"; known: box, vortex_box, wedge, expansion, forward_step, bump, nozzle, "
      "shock_reflection, naca, ringleb, cylinder");
  EXPECT_EQ(message("wedge", {{"hieght", 1.0}}), "hieght: generator \"wedge\" has no such parameter; did you mean \"height\"?");
  EXPECT_EQ(message("bump", {{"elements", "triangle"}}).substr(0, 73),
            "elements: \"triangle\" is unknown; did you mean \"triangles\"? Choose quads, ");
}

TEST(GenerateByName, ChecksTypeAndRange) {
  EXPECT_EQ(message("box", {{"nx", std::int64_t{0}}}), "nx: 0 is out of range; choose 1 to 1000000");
  EXPECT_EQ(message("box", {{"nx", 2.5}}), "nx: 2.5 is not a whole number; choose 1 to 1000000");
  EXPECT_EQ(message("box", {{"nx", "many"}}), "nx: many is not a whole number; choose 1 to 1000000");
  EXPECT_EQ(message("box", {{"xmax", "1 m"}}), "xmax: \"1 m\" is not a number; choose any");
  EXPECT_EQ(message("box", {{"xmax", std::numeric_limits<double>::infinity()}}), "xmax: inf is out of range; choose any");
  EXPECT_EQ(message("box", {{"xmax", -1.0}}), "xmax: -1 is not above xmin = 0; exchange them");
  EXPECT_EQ(message("box", {{"nz", std::int64_t{4}}, {"jitter", 0.2}}),
            "jitter: 0.2 would fold three-dimensional cells; choose at most 0.1");
  EXPECT_EQ(message("vortex_box", {{"size", 0.0}}), "size: 0 is out of range; choose > 0");
  EXPECT_EQ(message("vortex_box", {{"elements", "prisms"}}),
            "elements: \"prisms\" is three-dimensional, this mesh is two-dimensional; choose quads, triangles or mixed");
  EXPECT_EQ(message("wedge", {{"angle", std::int64_t{50}}}),
            "angle: at 50 degrees the floor rises 1.19175 m and meets the ceiling at 1 m; "
            "choose a smaller angle, a shorter downstream or a larger height");
  EXPECT_EQ(message("wedge", {{"elements", "tetrahedra"}}),
            "elements: these elements are three-dimensional, the mesh is two-dimensional; "
            "choose quads, triangles or mixed, or layers of cells in z");
  EXPECT_EQ(message("box", {{"nz", std::int64_t{5}}, {"elements", "mixed"}}),
            "elements: mixed needs at least 6 layers of cells in z, not 5; choose more layers, or hex_prism");
  EXPECT_EQ(message("naca", {{"digits", std::int64_t{12}}}),
            "digits: 12 is a number, not text; put it in quotes: leading zeros count");
  const auto huge = std::int64_t{1000000};
  EXPECT_EQ(message("box", {{"nx", huge}, {"ny", huge}, {"nz", huge}}),
            "generator box: 1000000 x 1000000 x 1000000 cells are more than 10^12; choose fewer cells");
}

TEST(GenerateByName, RefusesImpossibleCornerSizes) {
  EXPECT_EQ(message("expansion", {{"corner_size", -0.1}}), "corner_size: -0.1 is out of range; choose 0 to inf");
  EXPECT_EQ(message("expansion", {{"corner_size", 0.05}}),
            "corner_size: 0.05 m is above 0.03125 m, the length of 16 uniform cells from the inlet to the corner; "
            "choose at most 0.03125, or 0 for uniform cells");
  EXPECT_EQ(
      message("wedge", {{"nx", std::int64_t{12}}, {"corner_size", 0.01}}),
      "corner_size: with 0.01 m cells from the inlet to the corner would grow by more than a factor of 2 from one to the next "
      "(cells: 4, length: 0.5 m); choose at least 0.0333333333, or a larger nx");
  EXPECT_EQ(
      message("wedge", {{"ny", std::int64_t{5}}, {"corner_size", 0.01}}),
      "corner_size: with 0.01 m cells from the floor to the ceiling would grow by more than a factor of 2 from one to the next "
      "(cells: 5, length: 1 m); choose at least 0.0322580645, or a larger ny");
  EXPECT_EQ(message("wedge", {{"ny", std::int64_t{5}}, {"corner_size", 0.0322580645}}).substr(0, 44),
            "corner_size: 0.0322580645 m is above 0.03125");
  EXPECT_EQ(message("wedge", {{"nx", std::int64_t{40}}, {"ny", std::int64_t{5}}, {"corner_size", 0.0322580645}}), "accepted");
  EXPECT_EQ(message("wedge", {{"nx", std::int64_t{480}}, {"ny", std::int64_t{320}}, {"corner_size", 1e-10}}),
            "corner_size: 1e-10 m is below 1e-09 of the 0.5 m from the inlet to the corner, which coordinates do not resolve; "
            "choose at least 5e-10");
  EXPECT_EQ(message("forward_step", {{"corner_size", 0.1}}),
            "corner_size: 0.1 m is above 0.05 m, the length of 12 uniform cells from the inlet to the step; "
            "choose at most 0.05, or 0 for uniform cells");
  EXPECT_EQ(
      message("forward_step", {{"corner_size", 0.01}, {"step_height", 0.1}}),
      "corner_size: with 0.01 m cells from the floor to the step would grow by more than a factor of 2 from one to the next "
      "(cells: 2, length: 0.1 m); choose at least 0.0333333333, or a smaller h");
}

TEST(GenerateByName, ErrorContainsTheKey) {
  try {
    (void)generator_spec("box", {{"nx", std::int64_t{-1}}});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().key, "nx");
  }
}

/// Returns the tables of the guide.
std::string tables() {
  std::ostringstream text;
  for (const GeneratorInfo& info : generators()) {
    text << "### " << info.name << "\n\n" << info.text << ". Zones: " << info.zones << ".\n\n";
    text << "| parameter | unit | default | range | meaning |\n| --- | --- | --- | --- | --- |\n";
    for (const GeneratorParameter& p : info.parameters) {
      text << "| " << p.name << " | " << p.unit << " | " << p.initial << " | " << p.range << " | " << p.text << " |\n";
    }
    text << "\n";
  }
  return text.str();
}

/// Returns the path of docs/guide/generators.md relative to the folder of this test's program, or nothing.
std::filesystem::path guide() {
  for (auto at = std::filesystem::canonical("/proc/self/exe").parent_path(); at != at.root_path(); at = at.parent_path()) {
    if (std::filesystem::exists(at / "docs/guide/generators.md")) return at / "docs/guide/generators.md";
  }
  return {};
}

// With WEFT_UPDATE_DOCS set, the guide is rewritten.
TEST(GenerateByName, GuideListsEveryParameter) {
  const std::filesystem::path path = guide();
  if (path.empty()) GTEST_SKIP() << "the build folder is outside of the sources";
  std::ostringstream read;
  read << std::ifstream(path).rdbuf();
  const std::string text = read.str(), begin = "<!-- tables: begin -->\n", end = "<!-- tables: end -->";
  const std::size_t first = text.find(begin), last = text.find(end);
  ASSERT_TRUE(first != std::string::npos && last != std::string::npos);
  const std::string now = text.substr(first + begin.size(), last - first - begin.size());
  if (std::getenv("WEFT_UPDATE_DOCS") != nullptr && Communicator::world().is_root()) {
    std::ofstream(path) << text.substr(0, first) << begin << tables() << text.substr(last);
  } else {
    EXPECT_EQ(now, tables()) << "run mesh_tests with WEFT_UPDATE_DOCS=1 on one rank";
  }
}

}  // namespace
}  // namespace weft::mesh::generate_by_name_test
