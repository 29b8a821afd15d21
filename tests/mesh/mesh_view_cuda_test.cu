// MeshView and FvView in kernels: to the last bit what the host reads from the mesh.
#include <gtest/gtest.h>

#include <vector>

#include "weft/device/parallel_for.cuh"

#include "mesh/mesh_view_support.hpp"
#include "support/gpu.hpp"

namespace weft::mesh::mesh_view_cuda_test {
namespace {

using namespace test;

TEST(MeshViewCuda, shows_cells_faces_and_geometry) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const Mesh& mesh : sample_meshes(Communicator::world())) {
    for (const Backend backend : {Backend::cuda, Backend::cuda_managed, Backend::cuda_mapped}) {
      const FvParams params(mesh, backend);
      const DeviceVector<CellSight> on_device(stream, static_cast<std::size_t>(mesh.owned_cells));
      parallel_for(space::cuda{}, stream, mesh.owned_cells, LookAround{params.view(), on_device.data()});
      std::vector<CellSight> sights(on_device.size());
      on_device.get(0, sights, after(stream));
      EXPECT_EQ(sights, expected_sights(mesh)) << to_string(backend);
    }
  }
}

}  // namespace
}  // namespace weft::mesh::mesh_view_cuda_test
