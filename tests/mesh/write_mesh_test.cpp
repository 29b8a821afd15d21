// Written meshes read back the same: every format, element type and byte order, on any number of ranks.
#include "weft/mesh/io/write_mesh.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "weft/base/error.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/read_scatter.hpp"

#include "read_samples.hpp"

namespace weft::mesh::write_mesh_test {
namespace {

constexpr MeshFormat kAll[] = {MeshFormat::gmsh41, MeshFormat::gmsh41_binary, MeshFormat::gmsh22, MeshFormat::gmsh22_binary,
                               MeshFormat::su2};

MeshBlock parse(const std::string& bytes, MeshFormat format) {
  return format == MeshFormat::su2 ? parse_su2(bytes, "test.su2") : parse_gmsh(bytes, "test.msh");
}

MeshBlock as_read(const MeshBlock& block, MeshFormat format) {
  return format == MeshFormat::su2 ? testing::without_volume_zones(block) : block;
}

/// Returns a file name that is equal on all ranks, in the folder for temporary files.
std::string temporary(const Communicator& comm, const std::string& name) {
  const auto process = comm.broadcast(static_cast<std::int64_t>(::getpid()));
  return std::filesystem::temp_directory_path() / ("weft-" + std::to_string(process) + "-" + name);
}

TEST(WriteMesh, ReadsTheWrittenMesh) {
  for (const MeshFormat format : kAll) {
    for (const std::endian order : {std::endian::little, std::endian::big}) {
      SCOPED_TRACE(static_cast<int>(format));
      for (const MeshBlock& block : {testing::mixed_3d(), testing::mixed_2d()}) {
        testing::expect_same(parse(format_mesh(block, format, "test", order), format), as_read(block, format));
      }
    }
  }
}

TEST(WriteMesh, PreservesCellsWithoutZone) {
  MeshBlock block = testing::mixed_3d();
  block.cells.zone[1] = ZoneId::invalid();
  for (const MeshFormat format : kAll) {
    SCOPED_TRACE(static_cast<int>(format));
    testing::expect_same(parse(format_mesh(block, format, "test"), format), as_read(block, format));
  }
}

TEST(WriteMesh, PreservesZonesWithoutElements) {
  MeshBlock block = testing::mixed_2d();
  ASSERT_EQ(block.zones.size(), 3U);
  block.zones = {block.zones[ZoneId(0)], block.zones[ZoneId(1)], Zone{"nowhere", 1}, block.zones[ZoneId(2)]};
  for (ZoneId& zone : block.cells.zone) zone = ZoneId(3);
  for (const MeshFormat format : kAll) {
    SCOPED_TRACE(static_cast<int>(format));
    testing::expect_same(parse(format_mesh(block, format, "test"), format), as_read(block, format));
  }
}

TEST(WriteMesh, RanksWriteAndReadOneFile) {
  const Communicator comm = Communicator::world();
  for (const MeshFormat format : kAll) {
    for (const MeshBlock& whole : {testing::mixed_2d(50), testing::mixed_3d()}) {
      SCOPED_TRACE(static_cast<int>(format));
      const MeshBlock mine = detail::scatter_whole(comm, whole);
      const std::string path = temporary(comm, format == MeshFormat::su2 ? "ranks.su2" : "ranks.msh");
      write_mesh(comm, mine, path, format);
      const MeshBlock read = read_mesh(comm, path);
      EXPECT_EQ(read.source, path);
      testing::expect_same(read, as_read(mine, format));
      comm.barrier();
      if (comm.is_root()) std::filesystem::remove(path);
    }
  }
}

TEST(WriteMesh, ChunksAreContiguous) {
  const Communicator comm = Communicator::world();
  const MeshBlock mine = detail::scatter_whole(comm, testing::mixed_2d(50));
  EXPECT_EQ(mine.first_node.value(), comm.exclusive_sum(static_cast<std::int64_t>(mine.coords.size())));
  EXPECT_EQ(mine.first_cell.value(), comm.exclusive_sum(mine.cells.size()));
  EXPECT_EQ(comm.sum(static_cast<std::int64_t>(mine.coords.size())), 152);
  EXPECT_EQ(comm.sum(mine.cells.size()), 100);
  EXPECT_LE(comm.max(mine.cells.size()) - comm.min(mine.cells.size()), 1);
}

TEST(WriteMesh, MoreRanksThanElementsLeaveEmptyChunks) {
  const Communicator comm = Communicator::world();
  const MeshBlock mine = detail::scatter_whole(comm, testing::mixed_2d(1));
  const MeshBlock whole = detail::gather_whole(comm, mine);
  if (comm.is_root()) testing::expect_same(whole, testing::mixed_2d(1));
  EXPECT_EQ(mine.zones.size(), 3U);
}

TEST(WriteMesh, FormatsHaveNames) {
  EXPECT_EQ(kind_named<MeshFormat>("gmsh41"), MeshFormat::gmsh41);
  EXPECT_EQ(kind_named<MeshFormat>("gmsh41-binary"), MeshFormat::gmsh41_binary);
  EXPECT_EQ(kind_named<MeshFormat>("gmsh22"), MeshFormat::gmsh22);
  EXPECT_EQ(kind_named<MeshFormat>("gmsh22-binary"), MeshFormat::gmsh22_binary);
  EXPECT_EQ(kind_named<MeshFormat>("su2"), MeshFormat::su2);
  EXPECT_EQ(mesh_format_of("a/b.su2"), MeshFormat::su2);
  EXPECT_EQ(mesh_format_of("b.msh"), MeshFormat::gmsh41);
  EXPECT_THROW(static_cast<void>(mesh_format_of("b.cgns")), InputError);
  try {
    static_cast<void>(kind_named<MeshFormat>("gmsh42"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"gmsh41\"?"), std::string::npos) << error.what();
  }
}

TEST(WriteMesh, InvalidZoneNamesOfAFormatThrow) {
  MeshBlock block = testing::mixed_2d();
  block.zones[ZoneId(0)].name = "a \"b\"";
  EXPECT_THROW(static_cast<void>(format_mesh(block, MeshFormat::gmsh41, "test")), IoError);
  EXPECT_NO_THROW(static_cast<void>(format_mesh(block, MeshFormat::su2, "test")));
  block.zones[ZoneId(0)].name = "50% chord";
  EXPECT_THROW(static_cast<void>(format_mesh(block, MeshFormat::su2, "test")), IoError);
  EXPECT_NO_THROW(static_cast<void>(format_mesh(block, MeshFormat::gmsh22, "test")));
}

TEST(WriteMesh, AWriteErrorThrowsOnEveryRank) {
  const Communicator comm = Communicator::world();
  const MeshBlock mine = detail::scatter_whole(comm, testing::mixed_2d());
  EXPECT_THROW(write_mesh(comm, mine, "/no/such/folder/mesh.su2", MeshFormat::su2), IoError);
}

}  // namespace
}  // namespace weft::mesh::write_mesh_test
