#pragma once
/// Tiles in shared memory, for kernels that give each tile a block. Rows come in variable by variable, in whole lines and with
/// every load in flight at once; then one thread per face or cell calls the functions that the CPU's loops call.
#include <cuda_pipeline_primitives.h>

#include <cstddef>
#include <cstdint>

#include "weft/device/cuda.cuh"
#include "weft/flow/detail/tile_launch.hpp"

namespace weft::flow::detail {

/// Threads of a block at most.
inline constexpr int kTileThreads = 128;

struct Tile {
  std::int32_t number, first_cell, first_face, halo, first_entry;
  int cells, flux_rows, rows, cell_faces, faces,
      entries;  ///< flux_rows: own cells and those behind faces; cell_faces: not of the boundary

  __device__ Tile(const TileArrays& t, std::int32_t tile)
      : number(tile),
        first_cell(t.cell_offset[tile]),
        first_face(t.face_offset[tile]),
        halo(t.halo_offset[tile]),
        first_entry(t.cell_face_offset[first_cell]),
        cells(t.cell_offset[tile + 1] - first_cell),
        flux_rows(cells + t.face_halo[tile]),
        rows(cells + t.halo_offset[tile + 1] - halo),
        cell_faces(t.face_boundary[tile] - first_face),
        faces(t.face_end[tile] - first_face),
        entries(t.cell_face_offset[first_cell + cells] - first_entry) {}

  /// Row of the whole rank.
  __device__ std::int32_t row(const TileArrays& t, int local) const {
    return local < cells ? first_cell + local : t.halo_row[halo + local - cells];
  }
};

/// The arrays of a block in shared memory, one after the other, each at a multiple of 16 bytes.
class SharedMemory {
 public:
  __host__ __device__ explicit SharedMemory(unsigned char* first = nullptr) : first_(first) {}
  template <class T>
  __host__ __device__ T* take(int count) {
    T* const at = reinterpret_cast<T*>(first_ + bytes_);
    bytes_ += (sizeof(T) * static_cast<std::size_t>(count) + 15) / 16 * 16;
    return at;
  }
  /// Rows of `width` numbers: those of a tile that begins with cell `first` come from an address of any parity, and must go to
  /// one of the same parity to be copied 16 bytes at a time.
  __host__ __device__ double* rows(int count, int width, std::int32_t first) {
    return take<double>(count * width + 1) + (first & width & 1);
  }
  __host__ __device__ std::size_t bytes() const { return bytes_; }

 private:
  unsigned char* first_;
  std::size_t bytes_ = 0;
};

/// Starts copying `count` numbers. @pre both addresses are the same multiple of 8 bytes modulo 16.
__device__ inline void fetch(const double* from, double* to, int count) {
  const int head = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) / sizeof(double) % 2);
  const int pairs = (count - head) / 2, thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int i = thread; i < pairs; i += threads)
    __pipeline_memcpy_async(to + head + 2 * i, from + head + 2 * i, 2 * sizeof(double));
  if (thread == 0 && head == 1 && count > 0) __pipeline_memcpy_async(to, from, sizeof(double));
  if (thread == 1 && head + 2 * pairs < count) __pipeline_memcpy_async(to + count - 1, from + count - 1, sizeof(double));
}

/// Starts copying `count` numbers of 4 bytes.
template <class T>
  requires(sizeof(T) == 4)
__device__ void fetch(const T* from, T* to, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    __pipeline_memcpy_async(to + i, from + i, sizeof(T));
  }
}

/// Which number of a row a lane copies: neighbouring lanes take neighbouring columns, of one array or the next. Width 0: none.
struct Column {
  const double* from = nullptr;
  double* to = nullptr;
  unsigned width = 0;
};

/// Adds an array of `width` columns to what `lane` may take, from column `first` on.
__device__ inline void offer(Column& column, int lane, int first, int width, const double* from, double* to) {
  if (lane >= first && lane < first + width) column = {from + (lane - first), to + (lane - first), static_cast<unsigned>(width)};
}

/// Starts copying the rows around a tile: `Lanes` lanes of a warp share a row, so a warp copies 32 / Lanes at once. @pre whole
/// warps.
template <int Lanes>
__device__ void fetch_halo(const TileArrays& t, const Tile& tile, int halos, const Column& column) {
  constexpr int kAtOnce = 32 / Lanes;
  const int lane = static_cast<int>(threadIdx.x) % 32, part = lane / Lanes;
  const int step = static_cast<int>(blockDim.x) / 32 * 32;
  const std::int32_t* const halo = t.halo_row + tile.halo;
  double* const to = column.to + static_cast<unsigned>(tile.cells) * column.width;
  for (int base = static_cast<int>(threadIdx.x) - lane; base < halos; base += step) {
    // Each lane looks up one row, so that all are on their way before the first is needed.
    const std::int32_t row = base + lane < halos ? halo[base + lane] : 0;
    const int here = halos - base < 32 ? halos - base : 32;
#pragma unroll 4
    for (int i = 0; i < here; i += kAtOnce) {
      const int j = i + part;
      const auto of = static_cast<std::uint32_t>(__shfl_sync(0xffffffffU, row, j % 32));
      if (column.width > 0 && j < here) {
        __pipeline_memcpy_async(to + static_cast<unsigned>(base + j) * column.width,
                                column.from + static_cast<std::uint64_t>(of) * column.width, sizeof(double));
      }
    }
  }
}

__device__ inline void fetched() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

/// Writes `count` numbers from shared memory, in whole lines.
__device__ inline void put(const double* from, double* to, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) to[i] = from[i];
}

/// The View of kernels.hpp on a tile in shared memory; what is read once per thread stays in global memory.
template <int Dim>
struct TileView {
  using Real = double;
  using Group = double;
  static constexpr int kGroups = kVars;

  const TileArrays& t;
  const Tile& tile;
  int face_stride;
  const double *values, *centroids, *gradients;
  const double *face_centroids, *face_normals, *face_areas;
  const std::uint32_t *sides, *cell_sides;
  const std::int32_t* entry_offset;
  double* slopes;  ///< what set_gradient writes
  IdealGas gas;
  Primitive scale;
  double reference_length;

  // Stencils by node are long: they stay where they are.
  __device__ std::int32_t stencil_begin(std::int32_t c) const {
    return t.stencil_row == nullptr ? face_begin(c) : t.stencil_offset[tile.first_cell + c];
  }
  __device__ std::int32_t stencil_end(std::int32_t c) const {
    return t.stencil_row == nullptr ? face_end(c) : t.stencil_offset[tile.first_cell + c + 1];
  }
  __device__ std::int32_t stencil_row(std::int32_t s) const {
    return t.stencil_row == nullptr ? row_behind(s) : t.stencil_row[s];
  }
  __device__ std::int32_t face_begin(std::int32_t c) const { return entry_offset[c] - tile.first_entry; }
  __device__ std::int32_t face_end(std::int32_t c) const { return entry_offset[c + 1] - tile.first_entry; }
  __device__ std::int32_t cell_face(std::int32_t s) const { return static_cast<std::int32_t>(cell_sides[s] & 0xffffU); }
  __device__ std::int32_t row_behind(std::int32_t s) const { return static_cast<std::int32_t>(cell_sides[s] >> 16U); }

  __device__ std::int32_t left(std::int32_t f) const { return static_cast<std::int32_t>(sides[f] & 0xffffU); }
  __device__ std::int32_t right(std::int32_t f) const { return static_cast<std::int32_t>(sides[f] >> 16U); }
  __device__ Vec3 face_centroid(std::int32_t f) const {
    return {face_centroids[f], face_centroids[face_stride + f], Dim == 3 ? face_centroids[2 * face_stride + f] : 0};
  }
  __device__ Vec3 face_normal(std::int32_t f) const {
    return {face_normals[f], face_normals[face_stride + f], Dim == 3 ? face_normals[2 * face_stride + f] : 0};
  }
  __device__ double face_area(std::int32_t f) const { return face_areas[f]; }

  __device__ Vec3 centroid(std::int32_t row) const {
    return {centroids[3 * row], centroids[3 * row + 1], Dim == 3 ? centroids[3 * row + 2] : 0};
  }
  __device__ double inverse_volume(std::int32_t c) const { return t.inverse_volume[tile.first_cell + c]; }
  __device__ double value(std::int32_t row, int k) const { return values[row * kVars + k]; }
  template <int D>
  __device__ double gradient(std::int32_t row, int k, int d) const {
    return gradients[row * (kVars * Dim) + gradient_index(k, d)];
  }
  template <int D>
  __device__ void set_gradient(std::int32_t c, int k, int d, double slope) const {
    slopes[c * (kVars * Dim) + gradient_index(k, d)] = slope;
  }
  __device__ double scale_of(int k) const { return scale[k]; }
  template <int D>
  __device__ double matrix(std::int32_t c, int i) const {
    return t.matrices[static_cast<std::int64_t>(tile.first_cell + c) * (Dim * (Dim + 1) / 2) + i];
  }
};

/// Starts copying the Dim columns that begin at x, y and z to columns of shared memory.
template <int Dim>
__device__ void fetch_columns(const double* x, const double* y, const double* z, std::int32_t first, int count, double* to,
                              int stride) {
  fetch(x + first, to, count);
  fetch(y + first, to + stride, count);
  if constexpr (Dim == 3) fetch(z + first, to + 2 * stride, count);
}

/// One block a tile. @throws DeviceError where a tile does not fit into shared memory.
template <class Kernel, class Args, class Choice>
void launch_tiles(Stream& stream, const TileRange& range, int threads, std::size_t memory, const char* name, Kernel kernel,
                  const Args& args, const Choice& choice) {
  if (range.last <= range.first) return;
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(memory)), name);
  kernel<<<static_cast<unsigned>(range.last - range.first), static_cast<unsigned>(threads), memory, native(stream)>>>(range, args,
                                                                                                                      choice);
  check_launch(name);
}

}  // namespace weft::flow::detail
