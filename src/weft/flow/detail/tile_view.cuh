#pragma once
/// Tiles in shared memory, for kernels that give each tile a block. Rows come in variable by variable, in whole lines and with
/// every load in flight at once; then one thread per face or cell calls the functions that the CPU's loops call.
#include <cstddef>
#include <cstdint>

#include "weft/device/cuda.cuh"
#include "weft/flow/detail/fetch.cuh"
#include "weft/flow/detail/tile_launch.hpp"

namespace weft::flow::detail {

/// Threads of a block at most.
inline constexpr int kTileThreads = 128;

/// Row of the whole rank.
__device__ inline std::int32_t row_of(const TileArrays& t, const Tile& tile, int local) {
  return local < tile.cells ? tile.first_cell + local : t.halo_row[tile.halo + local - tile.cells];
}

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
  __host__ __device__ std::size_t bytes() const { return bytes_; }

 private:
  unsigned char* first_;
  std::size_t bytes_ = 0;
};

/// Writes `count` numbers from shared memory. @pre both addresses are multiples of 16.
__device__ inline void put(const double* from, double* to, int count) {
  const int thread = static_cast<int>(threadIdx.x), pairs = count / 2;
#pragma unroll 1
  for (int i = thread; i < pairs; i += static_cast<int>(blockDim.x)) {
    reinterpret_cast<double2*>(to)[i] = reinterpret_cast<const double2*>(from)[i];
  }
  if (thread == 0 && count % 2 != 0) to[count - 1] = from[count - 1];
}

/// The View of kernels.hpp on a tile in shared memory; what is read once per thread stays in global memory.
template <int Dim>
struct TileView {
  using Real = double;
  using Group = double;
  static constexpr int kGroups = kVars;

  const TileArrays& t;
  const Tile& tile;
  const double *values, *centroids, *gradients;
  const double* faces;            ///< as in Tiles::geometry, or no more than its first columns
  const std::uint32_t* topology;  ///< as in Tiles
  double* slopes;                 ///< what set_gradient writes
  IdealGas gas;
  Primitive scale;
  double reference_length, order;
  bool axisymmetric;

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
  __device__ std::int32_t face_begin(std::int32_t c) const { return static_cast<std::int32_t>(topology[c]); }
  __device__ std::int32_t face_end(std::int32_t c) const { return static_cast<std::int32_t>(topology[c + 1]); }
  __device__ std::int32_t cell_face(std::int32_t s) const {
    return static_cast<std::int32_t>(topology[tile.cell_sides() + s] & 0xffffU);
  }
  __device__ std::int32_t row_behind(std::int32_t s) const {
    return static_cast<std::int32_t>(topology[tile.cell_sides() + s] >> 16U);
  }

  __device__ std::int32_t left(std::int32_t f) const { return static_cast<std::int32_t>(topology[tile.sides() + f] & 0xffffU); }
  __device__ std::int32_t right(std::int32_t f) const { return static_cast<std::int32_t>(topology[tile.sides() + f] >> 16U); }
  __device__ Vec3 face_centroid(std::int32_t f) const { return {column(0, f), column(1, f), Dim == 3 ? column(2, f) : 0}; }
  __device__ Vec3 face_normal(std::int32_t f) const {
    return {column(Dim, f), column(Dim + 1, f), Dim == 3 ? column(Dim + 2, f) : 0};
  }
  __device__ double face_area(std::int32_t f) const { return column(2 * Dim, f); }
  __device__ double column(int number, std::int32_t f) const { return faces[number * tile.face_stride() + f]; }

  __device__ Vec3 centroid(std::int32_t row) const {
    return {centroids[3 * row], centroids[3 * row + 1], Dim == 3 ? centroids[3 * row + 2] : 0};
  }
  template <int D>
  __device__ Vec3 pull(std::int32_t c, std::int32_t s) const {
    return pull_over<D>(centroid(stencil_row(s)) - centroid(c));
  }
  template <int D>
  __device__ Vec3 to_face(std::int32_t c, std::int32_t s) const {
    return face_centroid(cell_face(s)) - centroid(c);
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
