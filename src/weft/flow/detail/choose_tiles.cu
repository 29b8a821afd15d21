#include <limits>

#include "weft/base/error.hpp"
#include "weft/device/cuda.cuh"
#include "weft/flow/detail/choose_tiles.hpp"

namespace weft::flow::detail {

template <class Real>
Tiles choose_tiles(const mesh::Mesh& mesh, const Discretization& d, GradientKind kind) {
  int device = 0, per_multiprocessor = 0, per_block = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&per_multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device), "shared memory");
  check_cuda(cudaDeviceGetAttribute(&per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared memory");
  constexpr int kBlocks = 4;
  constexpr int kReserved = 1024;  // by the system and by arrays that are not of the tiles
  constexpr int kMost = std::numeric_limits<int>::max();
  const Pulls pulls = pulls_of(kind, has_stencils_by_node(d));
  const auto need = [&](const TileSize& most) {
    const TileRange range = range_of(0, 1, most);
    return kReserved + static_cast<int>(mesh.dim == 2
                                            ? std::max(gradient_memory<2, Real>(range, pulls), flux_memory<2, Real>(range))
                                            : std::max(gradient_memory<3, Real>(range, pulls), flux_memory<3, Real>(range)));
  };
  for (const int cells : {128, 112, 96, 80, 64, 48, 32, 16, 8}) {
    const TileCut whole(mesh, d, {.cells = cells, .rows = kMost, .faces = kMost, .entries = kMost});
    for (const double part : {1.0, 0.98, 0.95, 0.9, 0.8}) {
      if (whole.inner == 0 && part < 1) break;  // border tiles heed the number of cells alone
      const TileSize limit = whole.quantile(part);
      const bool good = need(limit) <= per_multiprocessor / kBlocks || cells <= 32;
      if (!good || need(limit) > per_block) continue;
      const Tiles tiles(mesh, d, part == 1.0 ? whole : TileCut(mesh, d, limit));
      if (need(tiles.of_inner) <= per_block && need(tiles.of_border) <= per_block) return tiles;
    }
  }
  throw DeviceError("cells of this mesh have so many neighbours that not even eight fit into a block's shared memory",
                    "use stencil = \"face\"");
}
template Tiles choose_tiles<double>(const mesh::Mesh&, const Discretization&, GradientKind);
template Tiles choose_tiles<float>(const mesh::Mesh&, const Discretization&, GradientKind);

}  // namespace weft::flow::detail
