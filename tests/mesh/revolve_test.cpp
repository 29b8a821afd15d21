#include "weft/mesh/revolve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "weft/base/error.hpp"
#include "weft/mesh/generate/generate_by_name.hpp"

namespace weft::mesh::revolve_test {
namespace {

using ::testing::HasSubstr;

Mesh generated(const std::string& name, const GeneratorParameters& parameters, const BuildOptions& options = {}) {
  const Communicator comm = Communicator::world();
  return build(comm, generate(comm, name, parameters), options);
}

TEST(Revolve, ComputesTheVolumesAndAreasOfAFullRevolution) {
  for (const char* elements : {"quads", "triangles", "mixed"}) {
    Mesh m = generated("box", {{"nx", std::int64_t{6}}, {"ny", std::int64_t{4}}, {"xmax", 3.0}, {"elements", elements}});
    const Mesh plane =
        generated("box", {{"nx", std::int64_t{6}}, {"ny", std::int64_t{4}}, {"xmax", 3.0}, {"elements", elements}});
    revolve(m);
    EXPECT_TRUE(m.axisymmetric);
    double volume = 0;
    for (const LocalCellId c : m.owned()) volume += m.cell_volume[c];
    EXPECT_NEAR(m.comm.sum(volume), 3 * std::numbers::pi, 1e-13);
    EXPECT_EQ(m.cell_centroid, plane.cell_centroid);
    for (const BoundaryZone& zone : m.boundary) {
      double area = 0;
      for (const LocalFaceId face : zone.faces) area += m.face_area[face];
      const bool disc = zone.name[0] == 'x';
      EXPECT_NEAR(m.comm.sum(area), disc ? std::numbers::pi : zone.name == "ymax" ? 6 * std::numbers::pi : 0, 1e-13) << zone.name;
    }
  }
}

std::string refused(const std::string& name, const GeneratorParameters& parameters, const BuildOptions& options = {}) {
  Mesh m = generated(name, parameters, options);
  try {
    revolve(m);
  } catch (const MeshError& error) {
    return error.what();
  }
  return "";
}

TEST(Revolve, ThrowsOnEveryRank) {
  EXPECT_THAT(refused("box", {{"nx", std::int64_t{2}}, {"ny", std::int64_t{2}}, {"nz", std::int64_t{2}}}), HasSubstr("2-D"));
  EXPECT_THAT(refused("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}, {"ymin", -0.5}}), HasSubstr("below the axis"));
  EXPECT_EQ(refused("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}, {"ymin", 0.5}}), "");
  BuildOptions across, along;
  across.periodic = {{"ymin", "ymax", {0, 1, 0}}};
  along.periodic = {{"xmin", "xmax", {1, 0, 0}}};
  EXPECT_THAT(refused("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}}, across), HasSubstr("periodic across the axis"));
  EXPECT_EQ(refused("box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}}, along), "");
}

}  // namespace
}  // namespace weft::mesh::revolve_test
