#include <algorithm>

#include "weft/device/cuda.cuh"
#include "weft/flow/cuda/choose_tiles.hpp"

namespace weft::flow::detail {

template <class Real>
Tiles choose_tiles(const mesh::Mesh& mesh, const Discretization& d, GradientKind kind, Team& team) {
  int device = 0, per_multiprocessor = 0, per_block = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&per_multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device), "shared memory");
  check_cuda(cudaDeviceGetAttribute(&per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared memory");
  constexpr int kReserved = 1024 + 256;  // for the system, and for arrays other than those of the tiles
  const GradientWeights gradient_weights = gradient_weights_of(kind, d.stencils_by_node);
  const auto need = [&](const TileSize& most) {
    const TileRange range = range_of(0, 1, most);
    return kReserved +
           static_cast<int>(mesh.dim == 2
                                ? std::max(gradient_memory<2, Real>(range, gradient_weights), flux_memory<2, Real>(range))
                                : std::max(gradient_memory<3, Real>(range, gradient_weights), flux_memory<3, Real>(range)));
  };
  return fit_tiles(mesh, d, need, per_multiprocessor, per_block, team);
}
template Tiles choose_tiles<double>(const mesh::Mesh&, const Discretization&, GradientKind, Team&);
template Tiles choose_tiles<float>(const mesh::Mesh&, const Discretization&, GradientKind, Team&);

}  // namespace weft::flow::detail
