#pragma once
/// Kernels over tiles: one block each. A tile's rows come into shared memory variable by variable, in whole lines and with every
/// load in flight at once; then one thread per face or cell calls the functions that the CPU's loops call.
#include <cuda_pipeline_primitives.h>

#include "weft/device/cuda.cuh"
#include "weft/device/parallel_for.cuh"
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
    return gradients[row * (kVars * Dim) + k * Dim + d];
  }
  template <int D>
  __device__ void set_gradient(std::int32_t c, int k, int d, double slope) const {
    slopes[c * (kVars * Dim) + k * Dim + d] = slope;
  }
  template <int D>
  __device__ double matrix(std::int32_t c, int i) const {
    return t.matrices[static_cast<std::int64_t>(tile.first_cell + c) * (Dim * (Dim + 1) / 2) + i];
  }
};

/// Both sides of every face of a cell of lowered order see cell means only.
__device__ inline bool is_flat(const TileArrays& t, const Tile& tile, const std::int32_t* lowered, int c) {
  if (lowered == nullptr) return false;
  bool flat = lowered[tile.first_cell + c] != 0;
  for (std::int32_t s = t.cell_face_offset[tile.first_cell + c]; s < t.cell_face_offset[tile.first_cell + c + 1]; ++s) {
    const std::int32_t row = tile.row(t, static_cast<int>(t.cell_sides[s] >> 16U));
    flat = flat || (row < t.cells && lowered[row] != 0);
  }
  return flat;
}

/// Arrays of gradient_kernel in shared memory, for a tile that begins with cell `first`.
template <int Dim, bool GreenGauss>
struct GradientMemory {
  int face_stride;
  double *values, *centroids, *face_centroids, *face_normals, *face_areas, *slopes;
  std::int32_t* entry_offset;
  std::uint32_t *cell_sides, *sides;

  __host__ __device__ GradientMemory(SharedMemory& memory, const TileRange& range, std::int32_t first)
      : face_stride((range.faces + 1) / 2 * 2),
        values(memory.rows(range.rows, kVars, first)),
        centroids(memory.rows(range.rows, 3, first)),
        face_centroids(memory.take<double>(Dim * face_stride)),
        face_normals(memory.take<double>(GreenGauss ? Dim * face_stride : 0)),
        face_areas(memory.take<double>(GreenGauss ? face_stride : 0)),
        slopes(memory.take<double>(kVars * Dim * range.cells)),
        entry_offset(memory.take<std::int32_t>(range.cells + 1)),
        cell_sides(memory.take<std::uint32_t>(range.entries)),
        sides(memory.take<std::uint32_t>(GreenGauss ? face_stride : 0)) {}
};

/// Starts copying the Dim columns that begin at x, y and z to columns of shared memory.
template <int Dim>
__device__ void fetch_columns(const double* x, const double* y, const double* z, std::int32_t first, int count, double* to,
                              int stride) {
  fetch(x + first, to, count);
  fetch(y + first, to + stride, count);
  if constexpr (Dim == 3) fetch(z + first, to + 2 * stride, count);
}

template <int Dim, bool GreenGauss, class Limiter>
__global__ void __launch_bounds__(kTileThreads)
    gradient_kernel(const __grid_constant__ TileRange range, const __grid_constant__ GradientArgs a, const Limiter limiter) {
  extern __shared__ unsigned char memory[];
  const TileArrays& t = a.tiles;
  const Tile tile(t, range.first + static_cast<std::int32_t>(blockIdx.x));
  SharedMemory shared(memory);
  const GradientMemory<Dim, GreenGauss> m(shared, range, tile.first_cell);
  const int fs = m.face_stride;
  constexpr int kLanes = 8;
  static_assert(kVars + 3 <= kLanes);
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  Column column;
  offer(column, lane, 0, kVars, a.values, m.values);
  offer(column, lane, kVars, 3, &t.row_centroid->x, m.centroids);
  fetch_halo<kLanes>(t, tile, tile.rows - tile.cells, column);
  fetch(a.values + static_cast<std::int64_t>(tile.first_cell) * kVars, m.values, tile.cells * kVars);
  fetch(&t.row_centroid[tile.first_cell].x, m.centroids, tile.cells * 3);
  fetch_columns<Dim>(t.centroid_x, t.centroid_y, t.centroid_z, tile.first_face, tile.faces, m.face_centroids, fs);
  if constexpr (GreenGauss) {
    fetch_columns<Dim>(t.normal_x, t.normal_y, t.normal_z, tile.first_face, tile.faces, m.face_normals, fs);
    fetch(t.area + tile.first_face, m.face_areas, tile.faces);
    fetch(t.sides + tile.first_face, m.sides, tile.faces);
  }
  fetch(t.cell_face_offset + tile.first_cell, m.entry_offset, tile.cells + 1);
  fetch(t.cell_sides + tile.first_entry, m.cell_sides, tile.entries);
  fetched();
  const TileView<Dim> view{.t = t,
                           .tile = tile,
                           .face_stride = fs,
                           .values = m.values,
                           .centroids = m.centroids,
                           .gradients = nullptr,
                           .face_centroids = m.face_centroids,
                           .face_normals = m.face_normals,
                           .face_areas = m.face_areas,
                           .sides = m.sides,
                           .cell_sides = m.cell_sides,
                           .entry_offset = m.entry_offset,
                           .slopes = m.slopes,
                           .gas = a.gas,
                           .scale = a.scale,
                           .reference_length = a.reference_length};
  for (int c = static_cast<int>(threadIdx.x); c < tile.cells; c += static_cast<int>(blockDim.x)) {
    if (is_flat(t, tile, a.lowered, c)) {
      for (int k = 0; k < kVars * Dim; ++k) m.slopes[c * (kVars * Dim) + k] = 0;
    } else {
      gradient_of_cell<Dim, GreenGauss>(view, c, limiter);
    }
  }
  __syncthreads();
  put(m.slopes, a.gradients + static_cast<std::int64_t>(tile.first_cell) * (kVars * Dim), tile.cells * kVars * Dim);
}

/// Sum of `mine` over the block in a fixed order, on every thread.
__device__ inline double block_sum(double mine, double* of_warps) {
  for (int apart = 16; apart > 0; apart /= 2) mine += __shfl_down_sync(0xffffffffU, mine, static_cast<unsigned>(apart));
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = mine;
  __syncthreads();
  double sum = 0;
  for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += of_warps[w];
  return sum;
}

/// Out of line: boundary conditions take powers, which would cost every thread registers.
template <class Flux>
WEFT_HD __noinline__ Conserved boundary_face_flux(const BoundaryArgs& b, const IdealGas& gas, const Flux& flux,
                                                  const Primitive& inside, Vec3 n, std::int32_t face) {
  const ZoneArgs& zone = b.zones[b.zone[face]];
  return zone.prescribed ? flux(gas, inside, b.prescribed[face], n) : boundary_flux(gas, zone.params, inside, n);
}

/// Arrays of flux_kernel in shared memory. A face's flux takes the place of its geometry.
template <int Dim>
struct FluxMemory {
  static constexpr int kFaceColumns = Dim == 3 ? 7 : 5;
  int face_stride;
  double *values, *gradients, *centroids, *faces;
  std::int32_t* entry_offset;
  std::uint32_t *cell_sides, *sides;

  __host__ __device__ FluxMemory(SharedMemory& memory, const TileRange& range, std::int32_t first)
      : face_stride((range.faces + 1) / 2 * 2),
        values(memory.rows(range.flux_rows, kVars, first)),
        gradients(memory.rows(range.flux_rows, kVars * Dim, first)),
        centroids(memory.rows(range.flux_rows, 3, first)),
        faces(memory.take<double>(kFaceColumns * face_stride)),
        entry_offset(memory.take<std::int32_t>(range.cells + 1)),
        cell_sides(memory.take<std::uint32_t>(range.entries)),
        sides(memory.take<std::uint32_t>(face_stride)) {}
};

/// Asks the second-level cache for lines that the block reads later.
__device__ inline void prefetch(const double* first, int count) {
  for (int i = static_cast<int>(threadIdx.x) * 16; i < count; i += static_cast<int>(blockDim.x) * 16) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(first + i));
  }
}

template <int Dim, class Flux>
__global__ void __launch_bounds__(kTileThreads)
    flux_kernel(const __grid_constant__ TileRange range, const __grid_constant__ FluxArgs a, const Flux flux) {
  extern __shared__ unsigned char memory[];
  const TileArrays& t = a.tiles;
  const Tile tile(t, range.first + static_cast<std::int32_t>(blockIdx.x));
  SharedMemory shared(memory);
  const FluxMemory<Dim> m(shared, range, tile.first_cell);
  const int fs = m.face_stride;
  static_assert(kVars + kVars * Dim + 3 <= 32);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Column column;
  offer(column, lane, 0, kVars, a.values, m.values);
  offer(column, lane, kVars, kVars * Dim, a.gradients, m.gradients);
  offer(column, lane, kVars + kVars * Dim, 3, &t.row_centroid->x, m.centroids);
  fetch_halo<32>(t, tile, tile.flux_rows - tile.cells, column);
  const auto first = static_cast<std::int64_t>(tile.first_cell);
  fetch(a.values + first * kVars, m.values, tile.cells * kVars);
  fetch(a.gradients + first * (kVars * Dim), m.gradients, tile.cells * kVars * Dim);
  fetch(&t.row_centroid[first].x, m.centroids, tile.cells * 3);
  fetch_columns<Dim>(t.normal_x, t.normal_y, t.normal_z, tile.first_face, tile.faces, m.faces, fs);
  fetch_columns<Dim>(t.centroid_x, t.centroid_y, t.centroid_z, tile.first_face, tile.faces, m.faces + Dim * fs, fs);
  fetch(t.area + tile.first_face, m.faces + 2 * Dim * fs, tile.faces);
  fetch(t.sides + tile.first_face, m.sides, tile.faces);
  fetch(t.cell_face_offset + tile.first_cell, m.entry_offset, tile.cells + 1);
  fetch(t.cell_sides + tile.first_entry, m.cell_sides, tile.entries);
  prefetch(a.start + first * kVars, tile.cells * kVars);
  prefetch(a.conserved + first * kVars, tile.cells * kVars);
  prefetch(t.inverse_volume + tile.first_cell, tile.cells);
  fetched();
  const TileView<Dim> view{.t = t,
                           .tile = tile,
                           .face_stride = fs,
                           .values = m.values,
                           .centroids = m.centroids,
                           .gradients = m.gradients,
                           .face_centroids = m.faces + Dim * fs,
                           .face_normals = m.faces,
                           .face_areas = m.faces + 2 * Dim * fs,
                           .sides = m.sides,
                           .cell_sides = m.cell_sides,
                           .entry_offset = m.entry_offset,
                           .slopes = nullptr,
                           .gas = a.gas,
                           .scale = {},
                           .reference_length = 1};
  double* const fluxes = m.faces;
  const int threads = static_cast<int>(blockDim.x);
  const auto keep = [&](int f, const Conserved& through) {
    for (int k = 0; k < kVars; ++k) fluxes[k * fs + f] = through[k];
  };
  for (int f = static_cast<int>(threadIdx.x); f < tile.cell_faces; f += threads) keep(f, flux_of_face<Dim>(view, flux, f));
  for (int f = tile.cell_faces + static_cast<int>(threadIdx.x); f < tile.faces; f += threads) {
    const Primitive inside = reconstruct<Dim>(view, view.left(f), view.face_centroid(f));
    const std::int32_t face = tile.row(t, view.right(f)) - t.cells;
    keep(f, view.face_area(f) * boundary_face_flux(a.boundary, a.gas, flux, inside, view.face_normal(f), face));
  }
  __syncthreads();

  // Update; what is written goes through the shared memory of the rows, which nobody reads any more.
  double* const new_conserved = m.gradients;
  double* const new_values = m.gradients + kVars * tile.cells;
  double rate_squared[kVars] = {};
  double stable = INFINITY;
  for (int c = static_cast<int>(threadIdx.x); c < tile.cells; c += threads) {
    double rate[kVars] = {};
    for (std::int32_t s = view.face_begin(c); s < view.face_end(c); ++s) {
      const std::int32_t f = view.cell_face(s);
      const double sign = view.left(f) == c ? -1.0 : 1.0;
      for (int k = 0; k < kVars; ++k) rate[k] += sign * fluxes[k * fs + f];
    }
    const std::int32_t cell = tile.first_cell + c;
    const double inverse_volume = t.inverse_volume[cell];
    const double dt = a.local_cfl > 0 ? lesser(a.dt, a.local_cfl * a.local_dt[cell]) : a.dt;
    Conserved u;
    for (int k = 0; k < kVars; ++k) {
      const std::int64_t i = static_cast<std::int64_t>(cell) * kVars + k;
      const double slope = rate[k] * inverse_volume;
      rate_squared[k] += slope * rate[k];
      u[k] = a.keep * a.start[i] + (1 - a.keep) * (a.conserved[i] + dt * slope);
    }
    const Primitive w = a.gas.primitive(u);
    if (!a.gas.physical(w)) {
      a.bad[0] = 1;
      if (a.bad[1 + cell] == 0) a.bad[1 + cell] = 1 + a.stage;
    } else if (a.stable_dt != nullptr) {
      const double own = stable_dt_of_cell(a.gas, w, t.projected_area[cell], inverse_volume);
      if (a.local_dt != nullptr) a.local_dt[cell] = own;
      stable = lesser(stable, own);
    }
    for (int k = 0; k < kVars; ++k) {
      new_conserved[c * kVars + k] = u[k];
      new_values[c * kVars + k] = w[k];
    }
  }
  __syncthreads();
  put(new_conserved, a.new_conserved + first * kVars, tile.cells * kVars);
  put(new_values, a.new_values + first * kVars, tile.cells * kVars);

  __shared__ double of_warps[kTileThreads / 32];
  if (a.rate_squared != nullptr) {
    for (int k = 0; k < kVars; ++k) {
      const double sum = block_sum(rate_squared[k], of_warps);
      if (threadIdx.x == 0) a.rate_squared[static_cast<std::int64_t>(tile.number) * kVars + k] = sum;
    }
  }
  if (a.stable_dt != nullptr) {
    // The order of positive numbers is that of their bits, and the least of many does not depend on who comes first.
    for (int apart = 16; apart > 0; apart /= 2) {
      stable = lesser(stable, __shfl_down_sync(0xffffffffU, stable, static_cast<unsigned>(apart)));
    }
    if (threadIdx.x % 32 == 0) atomicMin(a.stable_dt, static_cast<unsigned long long>(__double_as_longlong(stable)));
  }
}

template <int Dim, class Flux>
struct BoundaryFluxLoop {
  FluxArgs a;
  Flux flux;
  Conserved* fluxes;
  WEFT_HD void operator()(std::int32_t face) const {
    ResidualView rows{};
    rows.centroids = a.tiles.row_centroid;
    rows.values = const_cast<double*>(a.values);
    rows.gradients = const_cast<double*>(a.gradients);
    const Primitive inside = reconstruct<Dim>(rows, a.boundary.left[face], a.boundary.centroid[face]);
    fluxes[face] = boundary_face_flux(a.boundary, a.gas, flux, inside, a.boundary.normal[face], face);
  }
};

/// A thread for each cell, in whole warps.
inline int threads_for(int cells) { return cells >= kTileThreads ? kTileThreads : (cells + 31) / 32 * 32; }

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

template <int Dim>
std::size_t shared_memory(const TileRange& range) {
  SharedMemory gradients, fluxes;
  (void)GradientMemory<Dim, true>(gradients, range, 1);
  (void)FluxMemory<Dim>(fluxes, range, 1);
  return gradients.bytes() > fluxes.bytes() ? gradients.bytes() : fluxes.bytes();
}

template <int Dim, bool GreenGauss, class Limiter>
void launch_gradients_with(Stream& stream, const TileRange& range, const Limiter& limiter, const GradientArgs& args) {
  SharedMemory memory;
  (void)GradientMemory<Dim, GreenGauss>(memory, range, 1);
  const int threads = threads_for(range.cells);
  launch_tiles(stream, range, threads, memory.bytes(), "gradients", gradient_kernel<Dim, GreenGauss, Limiter>, args, limiter);
}

template <int Dim>
void launch_gradients(Stream& stream, const TileRange& range, GradientKind kind, const LimiterChoice& limiter,
                      const GradientArgs& args) {
  std::visit(
      [&](const auto& chosen) {
        if (kind == GradientKind::green_gauss) {
          launch_gradients_with<Dim, true>(stream, range, chosen, args);
        } else {
          launch_gradients_with<Dim, false>(stream, range, chosen, args);
        }
      },
      limiter);
}

template <int Dim>
void launch_fluxes(Stream& stream, const TileRange& range, const FluxChoice& flux, const FluxArgs& args) {
  std::visit(
      [&](const auto& chosen) {
        SharedMemory memory;
        (void)FluxMemory<Dim>(memory, range, 1);
        launch_tiles(stream, range, kTileThreads, memory.bytes(), "fluxes", flux_kernel<Dim, std::decay_t<decltype(chosen)>>,
                     args, chosen);
      },
      flux);
}

template <int Dim>
void launch_boundary_fluxes(Stream& stream, const FluxChoice& flux, const FluxArgs& args, Conserved* fluxes) {
  std::visit(
      [&](const auto& chosen) {
        using Flux = std::decay_t<decltype(chosen)>;
        parallel_for(space::cuda{}, stream, args.boundary.faces, BoundaryFluxLoop<Dim, Flux>{args, chosen, fluxes});
      },
      flux);
}

}  // namespace weft::flow::detail
