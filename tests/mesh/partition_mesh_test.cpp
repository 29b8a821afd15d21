// Meshes stored in the order of their parts.
#include "weft/mesh/partition/partition_mesh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <numeric>

#include "weft/base/error.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/read_scatter.hpp"
#include "weft/mesh/io/write_mesh.hpp"
#include "weft/mesh/mesh.hpp"
#include "weft/mesh/mesh_stats.hpp"

#include "read_samples.hpp"

namespace weft::mesh::partition_mesh_test {
namespace {

const BoxSpec kBox{.nx = 5, .ny = 4, .nz = 6, .elements = CellMix::mixed, .jitter = 0.05};

std::int64_t sum(const std::vector<std::int64_t>& v) { return std::accumulate(v.begin(), v.end(), std::int64_t{0}); }

/// Returns the corners of elements by their file ids.
std::map<std::int64_t, std::vector<Vec3>> corners(const MeshBlock& whole, const Elements& elements) {
  std::map<std::int64_t, std::vector<Vec3>> all;
  for (std::int64_t i = 0; i < elements.size(); ++i) {
    std::vector<Vec3>& points = all[elements.file_id[static_cast<std::size_t>(i)]];
    for (const GlobalNodeId n : elements.nodes(i)) points.push_back(whole.coords[n.index()]);
  }
  return all;
}

TEST(PartitionMesh, IsARenumberedMeshIndependentOfTheNumberOfRanks) {
  const Communicator comm = Communicator::world();
  for (const int parts : {1, 3, 4, 200}) {
    SCOPED_TRACE(parts);
    const PartitionOptions options{.partitioner = Partitioner::hilbert};
    const MeshBlock cut = partition_mesh(comm, generate(comm, kBox), parts, options);
    const MeshBlock whole = detail::gather_whole(comm, cut), before = detail::gather_whole(comm, generate(comm, kBox));
    EXPECT_EQ(cut.parts.count(), parts);
    if (!comm.is_root()) continue;
    EXPECT_EQ(sum(cut.parts.cells), whole.cells.size());
    EXPECT_EQ(sum(cut.parts.nodes), static_cast<std::int64_t>(whole.coords.size()));
    EXPECT_EQ(sum(cut.parts.boundary), whole.boundary.size());
    EXPECT_EQ(whole.zones, before.zones);
    EXPECT_EQ(corners(whole, whole.cells), corners(before, before.cells));
    EXPECT_EQ(corners(whole, whole.boundary), corners(before, before.boundary));
    const MeshBlock alone = partition_mesh(Communicator::self(), generate(Communicator::self(), kBox), parts, options);
    testing::expect_same(whole, alone);
    EXPECT_EQ(cut.parts, alone.parts);
  }
}

TEST(PartitionMesh, AFileWithAPartPerRankIsNotPartitionedAgain) {
  const Communicator comm = Communicator::world();
  const std::string path =
      std::filesystem::temp_directory_path() / ("weft-parts-" + std::to_string(comm.broadcast(std::int64_t{::getpid()})) + ".h5");
  const MeshBlock cut = partition_mesh(comm, generate(comm, kBox), comm.size());
  write_mesh(comm, cut, path, MeshFormat::weft);
  const MeshBlock read = read_mesh(comm, path);
  EXPECT_EQ(read.parts, cut.parts);
  EXPECT_EQ(read.cells.size(), cut.parts.cells[comm.rank().index()]);
  const Mesh mesh = build(comm, read);
  EXPECT_EQ(mesh.owned_cells, read.cells.size());
  EXPECT_EQ(mesh.source_parts, comm.size());
  // METIS computes the same parts, so that no cell has moved.
  const MeshStats stats = measure(mesh), direct = measure(build(comm, generate(comm, kBox)));
  EXPECT_EQ(stats.cut_faces, direct.cut_faces);
  EXPECT_EQ(stats.ghost_cells, direct.ghost_cells);
  EXPECT_NEAR(stats.volume, 1, 1e-12);
  if (comm.size() > 1) {
    EXPECT_THAT(describe(stats), ::testing::HasSubstr("the file is cut into " + std::to_string(comm.size()) + " parts\n"));
  }
  // One rank reads the file without partitioning; another partitioner applies if requested.
  const Mesh alone = build(Communicator::self(), read_mesh(Communicator::self(), path));
  EXPECT_EQ(alone.owned_cells, alone.global_cells);
  BuildOptions options;
  options.partition.partitioner = Partitioner::hilbert;
  EXPECT_EQ(comm.sum(std::int64_t{build(comm, read_mesh(comm, path), options).owned_cells}), mesh.global_cells);
  comm.barrier();
  if (comm.is_root()) std::filesystem::remove(path);
}

TEST(PartitionMesh, MorePartsThanRanksArePartitionedAgainWithANote) {
  const Communicator comm = Communicator::world();
  const MeshBlock cut = partition_mesh(comm, generate(comm, kBox), comm.size() + 3);
  const Mesh mesh = build(comm, cut);
  EXPECT_LE(comm.max(mesh.owned_cells), 1.05 * static_cast<double>(mesh.global_cells) / comm.size() + 1);
  EXPECT_THAT(describe(measure(mesh)), ::testing::HasSubstr("can make no use"));
}

TEST(PartitionMesh, InconsistentPartsThrow) {
  const Communicator comm = Communicator::world();
  const std::string path =
      std::filesystem::temp_directory_path() / ("weft-parts-" + std::to_string(comm.broadcast(std::int64_t{::getpid()})) + ".h5");
  const auto said = [&](const std::function<void(Parts&)>& spoil) -> std::string {
    MeshBlock cut = partition_mesh(comm, generate(comm, kBox), 3);
    spoil(cut.parts);
    write_mesh(comm, cut, path, MeshFormat::weft);
    try {
      static_cast<void>(read_mesh(comm, path));
    } catch (const IoError& error) {
      return error.what();
    }
    return "read";
  };
  using ::testing::HasSubstr;
  EXPECT_EQ(said([](Parts&) {}), "read");
  EXPECT_THAT(said([](Parts& parts) { --parts.cells[1]; }), HasSubstr("parts/cells does not share out"));
  EXPECT_THAT(said([](Parts& parts) { parts.nodes[0] += 1; }), HasSubstr("parts/nodes does not share out"));
  EXPECT_THAT(said([](Parts& parts) {
                parts.cells = {-1, parts.cells[0] + parts.cells[1] + 1, parts.cells[2]};
              }),
              HasSubstr("parts/cells does not share out"));
  EXPECT_THAT(said([](Parts& parts) { parts.boundary[2] = std::int64_t{1} << 62; }),
              HasSubstr("parts/boundary does not share out"));
  EXPECT_THAT(said([](Parts& parts) { parts.boundary.pop_back(); }), HasSubstr("parts/boundary has 2 entries for 3 parts"));
  comm.barrier();
  if (comm.is_root()) std::filesystem::remove(path);
}

TEST(PartitionMesh, PassesOnWhatTheReaderRemarked) {
  const Communicator comm = Communicator::world();
  MeshBlock block = generate(comm, kBox);
  block.file_unit = 0.001;
  block.notes = {"in mm"};
  block.warnings = {"lost"};
  const MeshBlock cut = partition_mesh(comm, std::move(block), 3);
  EXPECT_EQ(cut.file_unit, 0.001);
  EXPECT_THAT(cut.notes, ::testing::ElementsAre("in mm"));
  EXPECT_THAT(cut.warnings, ::testing::ElementsAre("lost"));
}

TEST(PartitionMesh, ZeroPartsThrow) {
  const Communicator comm = Communicator::world();
  EXPECT_THROW(static_cast<void>(partition_mesh(comm, generate(comm, kBox), 0)), InputError);
}

}  // namespace
}  // namespace weft::mesh::partition_mesh_test
