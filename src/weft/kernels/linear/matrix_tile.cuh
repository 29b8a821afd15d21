#pragma once
/// Copies of small matrices between global and shared memory, with all threads of a block.
#include <cuda_pipeline_primitives.h>

#include "weft/kernels/linear/matrix_tile.hpp"

namespace weft::kernels::detail {

/// Enqueues the copy of `count` contiguous matrices to a tile. The threads need not wait for the loads, so that all of them are
/// pending at once; wait_for_tile() follows.
template <class Tile, class T>
__device__ void load_matrices(T* tile, const T* from, int count) {
  constexpr typename Tile::At kAt;
#pragma unroll 4
  for (int e = static_cast<int>(threadIdx.x); e < count * Tile::kEntriesOfMatrix; e += Tile::kThreads) {
    __pipeline_memcpy_async(tile + kAt(e), from + e, sizeof(T));
  }
}

/// Waits until all threads of the block can read what they have copied to tiles.
__device__ inline void wait_for_tile() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

/// Calls store(to, entry) for the entries of `count` matrices in a tile, which are contiguous from `to` on.
template <class Tile, class T, class Store>
__device__ void store_matrices(T* to, const T* tile, int count, const Store& store) {
  constexpr typename Tile::At kAt;
#pragma unroll 4
  for (int e = static_cast<int>(threadIdx.x); e < count * Tile::kEntriesOfMatrix; e += Tile::kThreads) {
    store(to + e, tile[kAt(e)]);
  }
}

}  // namespace weft::kernels::detail
