// MeshView and FvView on the host and in the mirror: they show what the mesh holds.
#include "weft/mesh/mesh_view.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/device/device.hpp"
#include "weft/device/parallel_for.hpp"

#include "mesh/mesh_view_support.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::mesh::mesh_view_test {
namespace {

using namespace test;

TEST(MeshView, host_and_mirror_show_cells_faces_and_geometry) {
  for (const Mesh& mesh : sample_meshes(Communicator::world())) {
    const std::vector<CellSight> expected = expected_sights(mesh);
    for (const Backend backend : {Backend::host, Backend::mirror}) {
      const FvParams params(mesh, backend);
      std::vector<CellSight> sights(expected.size());
      parallel_for(space::host{}, mesh.owned_cells, LookAround{params.view(), sights.data()});
      EXPECT_EQ(sights, expected);
      for (const CellSight& sight : sights) {
        EXPECT_LT(norm(sight.closure), 1e-14);
        EXPECT_NEAR(sight.divergence, sight.volume, 1e-14);
      }
    }
  }
}

TEST(MeshView, counts_and_zones_are_those_of_the_mesh) {
  for (const Mesh& mesh : sample_meshes(Communicator::world())) {
    const MeshParams params(mesh);
    const MeshView& view = params.view();
    EXPECT_EQ(view.dim, mesh.dim);
    EXPECT_EQ(view.cells(), mesh.cells());
    EXPECT_EQ(view.border_cells(), mesh.border().size());
    EXPECT_EQ(view.all_faces, mesh.faces());
    EXPECT_EQ(view.zones, mesh.boundary.count());
    std::int32_t next = view.first_boundary_face();
    for (const BoundaryZoneId z : view.zone_ids()) {
      const ZoneView zone = view.zone(z);
      EXPECT_EQ(zone.first_face, next);
      next += zone.faces;
      const FaceRange faces = mesh.boundary[z].faces;
      EXPECT_EQ(zone.faces, faces.size());
      for (const LocalFaceId f : zone.range()) {
        EXPECT_TRUE(faces.contains(f));
        EXPECT_EQ(view.zone_of(f), z);
        EXPECT_FALSE(view.right(f).valid());
      }
    }
    EXPECT_EQ(next, view.all_faces);
    const IndexSpace space = index_space_with_boundary(mesh);
    EXPECT_EQ(space.rows(), mesh.cells() + view.all_faces - view.first_boundary_face());
    if (space.boundary_rows() > 0) {
      EXPECT_EQ(view.boundary_row(LocalFaceId(view.first_boundary_face())), space.boundary().first());
      EXPECT_EQ(view.boundary_row(LocalFaceId(view.all_faces - 1)).value(), space.rows() - 1);
    }
    for (const LocalFaceId f : mesh.inner_faces) EXPECT_FALSE(view.zone_of(f).valid());
  }
}

TEST(MeshView, host_view_copies_no_cell_or_face) {
  const std::vector<Mesh> meshes = sample_meshes(Communicator::world());
  const FvParams on_host(meshes[0]), in_mirror(meshes[0], Backend::mirror);
  EXPECT_EQ(on_host.view().left_cell, meshes[0].face_left.data());
  EXPECT_EQ(on_host.view().cell_centroid, meshes[0].cell_centroid.data());
  EXPECT_NE(in_mirror.view().cell_centroid, meshes[0].cell_centroid.data());
}

TEST(MeshView, moved_params_leave_views_valid) {
  const std::vector<Mesh> meshes = sample_meshes(Communicator::world());
  FvParams first(meshes[0], Backend::mirror);
  const FvView before = first.view();
  const FvParams second = std::move(first);
  EXPECT_EQ(second.view().left_cell, before.left_cell);
  EXPECT_EQ(second.view().zone_view, before.zone_view);
}

TEST(MeshView, rejects_ids_outside_the_mesh) {
  const std::vector<Mesh> meshes = sample_meshes(Communicator::world());
  const FvParams params(meshes[0]);
  const FvView fv = params.view();
  EXPECT_BREACH((void)fv.left(LocalFaceId(fv.all_faces)));
  EXPECT_BREACH((void)fv.faces(LocalCellId(fv.owned_cells)));
  EXPECT_BREACH((void)fv.volume(LocalCellId::invalid()));
  EXPECT_BREACH((void)fv.zone(BoundaryZoneId(fv.zones)));
  EXPECT_BREACH((void)fv.boundary_row(LocalFaceId(0)));
}

TEST(MeshView, needs_a_gpu_for_device_memory) {
  WEFT_NEEDS_NO_GPU();
  const std::vector<Mesh> meshes = sample_meshes(Communicator::world());
  EXPECT_THROW(FvParams(meshes[0], Backend::cuda), DeviceError);
}

}  // namespace
}  // namespace weft::mesh::mesh_view_test
