// A mesh is the same, bit by bit, on any number of threads; so are errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "weft/base/error.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh.hpp"

#include "support/sanitized.hpp"

namespace weft::mesh::build_threads_test {
namespace {

template <class T>
void expect_same_bytes(std::span<const T> a, std::span<const T> b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size_bytes()), 0) << what;
}

template <class I, class T>
void expect_same(const IdVector<I, T>& a, const IdVector<I, T>& b, const char* what) {
  expect_same_bytes(std::span(a.data(), a.size()), std::span(b.data(), b.size()), what);
}

template <class T>
void expect_same(const Array<T, NonUniform>& a, const Array<T, NonUniform>& b, const char* what) {
  expect_same_bytes(a.offsets(), b.offsets(), what);
  expect_same_bytes(a.entries(), b.entries(), what);
}

void expect_same(const Mesh& a, const Mesh& b) {
  EXPECT_EQ(a.inner_cells, b.inner_cells);
  EXPECT_EQ(a.owned_cells, b.owned_cells);
  EXPECT_EQ(a.ghost_cells, b.ghost_cells);
  expect_same(a.cell_type, b.cell_type, "cell_type");
  expect_same(a.cell_nodes, b.cell_nodes, "cell_nodes");
  expect_same(a.cell_faces, b.cell_faces, "cell_faces");
  expect_same(a.cell_cells, b.cell_cells, "cell_cells");
  expect_same(a.cell_global, b.cell_global, "cell_global");
  expect_same(a.cell_file_id, b.cell_file_id, "cell_file_id");
  expect_same(a.cell_zone, b.cell_zone, "cell_zone");
  expect_same(a.cell_volume, b.cell_volume, "cell_volume");
  expect_same(a.cell_centroid, b.cell_centroid, "cell_centroid");
  expect_same(a.node_coord, b.node_coord, "node_coord");
  expect_same(a.node_global, b.node_global, "node_global");
  expect_same(a.face_left, b.face_left, "face_left");
  expect_same(a.face_right, b.face_right, "face_right");
  expect_same(a.face_nodes, b.face_nodes, "face_nodes");
  expect_same(a.face_normal, b.face_normal, "face_normal");
  expect_same(a.face_area, b.face_area, "face_area");
  expect_same(a.face_centroid, b.face_centroid, "face_centroid");
  EXPECT_EQ(a.inner_faces.last(), b.inner_faces.last());
  EXPECT_EQ(a.interface_faces.last(), b.interface_faces.last());
  ASSERT_EQ(a.boundary.size(), b.boundary.size());
  for (const BoundaryZoneId z : a.boundary.ids()) {
    EXPECT_EQ(a.boundary[z].name, b.boundary[z].name);
    EXPECT_EQ(a.boundary[z].faces.first(), b.boundary[z].faces.first());
    EXPECT_EQ(a.boundary[z].faces.last(), b.boundary[z].faces.last());
  }
}

BuildOptions with_threads(int threads) {
  BuildOptions options;
  options.threads = threads;
  return options;
}

TEST(BuildThreads, GiveTheSameMesh) {
  const Communicator comm = Communicator::world();
  for (const CellMix elements : {CellMix::hexahedra, CellMix::tetrahedra, CellMix::mixed}) {
    const BoxSpec box{.nx = full_or_sanitized(21, 13),
                      .ny = full_or_sanitized(19, 11),
                      .nz = full_or_sanitized(17, 9),
                      .elements = elements,
                      .jitter = 0.1};
    for (const Neighbours ghosts : {Neighbours::face, Neighbours::node}) {
      for (const bool periodic : {false, true}) {
        BuildOptions options;
        options.stencil = ghosts;
        options.partition.partitioner = ghosts == Neighbours::face ? Partitioner::hilbert : Partitioner::metis;
        if (periodic) options.periodic = {{"xmin", "xmax"}};
        const Mesh alone = build(comm, generate(comm, box), options);
        for (const int threads : {2, 3, 8}) {
          options.threads = threads;
          expect_same(alone, build(comm, generate(comm, box), options));
        }
      }
    }
  }
}

TEST(BuildThreads, ReportTheFirstInvertedCell) {
  const Communicator comm = Communicator::world();
  const auto message = [&](int threads) {
    MeshBlock block = generate(comm, BoxSpec{.nx = 30, .ny = 30, .nz = 10});
    for (const std::int64_t cell : {8900, 3300, 7000}) {  // their bases become their tops
      const std::int64_t local = cell - block.first_cell.value();
      if (local < 0 || local >= block.cells.size()) continue;
      const auto nodes = block.cells.node.begin() + block.cells.offset[local];
      std::swap_ranges(nodes, nodes + 4, nodes + 4);
    }
    try {
      (void)build(comm, std::move(block), with_threads(threads));
    } catch (const MeshError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string alone = message(1);
  EXPECT_NE(alone.find("negative volume"), std::string::npos) << alone;
  for (const int threads : {2, 3, 8}) EXPECT_EQ(message(threads), alone);
}

TEST(BuildThreads, AreAtLeastOne) {
  const Communicator comm = Communicator::world();
  EXPECT_THROW((void)build(comm, generate(comm, BoxSpec{.nx = 2, .ny = 2, .nz = 2}), with_threads(0)), InputError);
}

}  // namespace
}  // namespace weft::mesh::build_threads_test
