#pragma once
/// LU factorisation of a batch with a row of a matrix in the registers of each lane, for matrices of 8 to 32 rows on GPUs.
///
/// A group of 8, 16 or 32 lanes has a matrix, so that a warp has 4, 2 or 1. Rows are not exchanged: a lane keeps its row and
/// knows its position among the rows. Subscripts of the registers are compile-time constants once the loops are unrolled.
#include <cuda_pipeline_primitives.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/batched_lu.hpp"
#include "weft/kernels/linear/small_lu.hpp"
#include "weft/kernels/primitives/warp.cuh"

namespace weft::kernels::detail {

inline constexpr int kLuWarps = 4;  ///< warps of a block

/// Entries that a lane loads from shared memory, or stores, in one instruction of 16 bytes.
template <class T>
inline constexpr int kLaneVectorSize = 16 / static_cast<int>(sizeof(T));
template <class T>
using LaneVector = EntryGroup<T, kLaneVectorSize<T>>;

/// Returns the distance of rows of n entries in shared memory: an odd number of vectors, so that eight lanes that access the same
/// column of successive rows have no bank conflicts. With n = 8 it is 10 doubles.
template <class T>
[[nodiscard]] constexpr int lane_row_stride(int n) {
  constexpr int kSize = kLaneVectorSize<T>;
  return ((n + kSize - 1) / kSize | 1) * kSize;
}
static_assert(lane_row_stride<double>(8) == 10 && lane_row_stride<double>(9) == 10 && lane_row_stride<float>(32) == 36);

/// The matrices of a warp with n rows each, and their copy in shared memory. Lanes of groups beyond the batch, and of rows beyond
/// n, have no row.
template <class T, int kGroup>
struct LaneRows {
  static constexpr int kMatrices = 32 / kGroup;

  int n, stride, lane;
  int group;           ///< index of the group of the lane in its warp
  int row;             ///< index of the lane in its group
  std::int64_t first;  ///< first matrix of the warp
  int count;           ///< number of its matrices; 0 or less if the batch ends before it
  bool has_row;        ///< false for lanes without a row of a matrix of the batch
  T* tile;

  static std::size_t shared_bytes(int n) {
    return sizeof(T) * kLuWarps * kMatrices * static_cast<std::size_t>(n * lane_row_stride<T>(n));
  }

  __device__ LaneRows(int rows, std::int64_t size, void* shared)
      : n(rows),
        stride(lane_row_stride<T>(rows)),
        lane(static_cast<int>(threadIdx.x) % 32),
        group(lane / kGroup),
        row(lane % kGroup) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    first = (static_cast<std::int64_t>(blockIdx.x) * kLuWarps + warp) * kMatrices;
    count = size - first < kMatrices ? static_cast<int>(size - first) : kMatrices;
    has_row = group < count && row < n;
    tile = static_cast<T*>(shared) + warp * kMatrices * n * stride;
  }

  /// Returns row i of the matrix of the lane in shared memory.
  __device__ T* shared_row(int i) const { return tile + (group * n + i) * stride; }
  __device__ LaneVector<T>* shared_vectors(int i) const { return reinterpret_cast<LaneVector<T>*>(shared_row(i)); }

  /// Loads the row of the lane to registers. Entries beyond n are undefined.
  __device__ void load_row(T (&a)[kGroup]) const {
    constexpr int kSize = kLaneVectorSize<T>;
    const LaneVector<T>* const from = shared_vectors(row < n ? row : 0);
#pragma unroll
    for (int v = 0; v < kGroup / kSize; ++v) {
      if (v * kSize >= n) break;
      const LaneVector<T> loaded = from[v];
#pragma unroll
      for (int i = 0; i < kSize; ++i) a[v * kSize + i] = loaded.value[i];
    }
  }

  /// Returns the index of the row of the lane among those of all matrices of the batch.
  __device__ std::int64_t row_of_batch() const { return (first + group) * n + row; }

  /// Calls call(entry of the matrices of the warp, entry of the tile) for the entries of a lane.
  template <class Call>
  __device__ void for_each_entry(const Call& call) const {
    const int rows_apart = 32 / n, columns_apart = 32 % n;
    int tile_row = lane / n, column = lane % n;
#pragma unroll 4
    for (int e = lane; e < count * n * n; e += 32) {
      call(e, tile_row * stride + column);
      tile_row += rows_apart;
      column += columns_apart;
      if (column >= n) {
        column -= n;
        ++tile_row;
      }
    }
  }

  /// Copies the matrices of the warp to shared memory. All loads of a lane are pending at once.
  __device__ void load(const T* factors) const {
    for_each_entry([&](int entry, int at) { __pipeline_memcpy_async(tile + at, factors + first * n * n + entry, sizeof(T)); });
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
  }
};

/// The pivot of a column: the lane that has it, its position among the rows, and its magnitude.
template <class T>
struct LanePivot {
  int lane, position;
  T magnitude;
};

/// Returns the entry of the largest magnitude at positions from c on, the first of several, or an infinite one at position c if
/// the entry there is not a number; others that are not numbers are ignored. The same for all lanes of a group.
template <class T, int kGroup>
__device__ LanePivot<T> find_pivot(T entry, int c, int position, bool has_row, int lane) {
  const T size = abs(entry), not_a_number = position == c ? std::numeric_limits<T>::infinity() : T(-1);
  T largest = !has_row || position < c ? T(-1) : size == size ? size : not_a_number;
  int found = position * 32 + lane;
#pragma unroll
  for (int apart = kGroup / 2; apart > 0; apart /= 2) {
    const T other = __shfl_xor_sync(kAllLanes, largest, apart);
    const int other_found = __shfl_xor_sync(kAllLanes, found, apart);
    if (other > largest || (other == largest && other_found < found)) {
      largest = other;
      found = other_found;
    }
  }
  return {static_cast<int>(static_cast<unsigned>(found) % 32), static_cast<int>(static_cast<unsigned>(found) / 32), largest};
}

/// In step c the lane of the pivot stores its row to row c of the shared memory, where the entries from c on are those of U, and
/// the others read them there. From then on the entries from c on in the registers of that lane are unused, so that updates need
/// no condition: the lane divides the pivot by itself and subtracts its own row. Its entries before c, those of L, stay as they
/// are. After a column without a pivot the steps go on with numbers that are not used; positions stay a permutation of the rows.
///
/// The bound of four blocks per multiprocessor keeps the compiler from placing registers in local memory.
template <class T, int kGroup>
__global__ void __launch_bounds__(kLuWarps * 32, 4)
    lu_factor_rows_kernel(int n, T* factors, std::uint8_t* pivots, std::uint8_t* status, std::int64_t size) {
  using Vector = LaneVector<T>;
  constexpr int kSize = kLaneVectorSize<T>;
  extern __shared__ uint4 lane_rows_memory[];  // aligned as LaneVector
  const LaneRows<T, kGroup> rows(n, size, lane_rows_memory);
  trigger_dependent_launch();
  grid_dependency_sync();
  if (rows.count <= 0) return;
  rows.load(factors);
  T a[kGroup];
  rows.load_row(a);
  __syncwarp();
  int failed = 0, position = rows.row, pivot_of_row = rows.row;
#pragma unroll
  for (int c = 0; c < kGroup; ++c) {
    if (c >= n) break;
    const LanePivot<T> pivot = find_pivot<T, kGroup>(a[c], c, position, rows.has_row, rows.lane);
    if (failed == 0 && !is_pivot(pivot.magnitude)) failed = c + 1;
    if (failed == 0 && rows.row == c) pivot_of_row = pivot.position;
    if (position == c) position = pivot.position;
    Vector* const row_of_pivot = rows.shared_vectors(c);
    if (rows.lane == pivot.lane) {
      position = c;
#pragma unroll
      for (int v = c / kSize; v < kGroup / kSize; ++v) {
        if (v * kSize >= n) break;
        Vector stored;
#pragma unroll
        for (int i = 0; i < kSize; ++i) stored.value[i] = a[v * kSize + i];
        row_of_pivot[v] = stored;
      }
    }
    __syncwarp();
#pragma unroll
    for (int v = c / kSize; v < kGroup / kSize; ++v) {
      if (v * kSize >= n) break;
      const Vector of_pivot = row_of_pivot[v];
#pragma unroll
      for (int i = 0; i < kSize; ++i) {
        const int k = v * kSize + i;
        if (k == c) a[c] = (position > c ? a[c] : of_pivot.value[i]) / of_pivot.value[i];
        if (k > c) a[k] -= a[c] * of_pivot.value[i];
      }
    }
  }
  __syncwarp();
  if (rows.has_row) {
    T* const to = rows.shared_row(position);
#pragma unroll
    for (int k = 0; k < kGroup - 1; ++k) {
      if (k < position) to[k] = a[k];
    }
    pivots[rows.row_of_batch()] = static_cast<std::uint8_t>(pivot_of_row);
    if (rows.row == 0) status[rows.first + rows.group] = static_cast<std::uint8_t>(failed);
  }
  __syncwarp();
  rows.for_each_entry([&](int entry, int at) { factors[rows.first * n * n + entry] = rows.tile[at]; });
}

template <class T, int kGroup>
__global__ void __launch_bounds__(kLuWarps * 32)
    lu_solve_rows_kernel(int n, const T* factors, const std::uint8_t* pivots, const std::uint8_t* status, const T* b, T* x,
                         std::int64_t size) {
  extern __shared__ uint4 lane_rows_memory[];  // aligned as LaneVector
  const LaneRows<T, kGroup> rows(n, size, lane_rows_memory);
  trigger_dependent_launch();
  grid_dependency_sync();
  if (rows.count <= 0) return;
  rows.load(factors);
  const bool solve = rows.has_row && status[rows.first + rows.group] == 0;
  const int pivot_of_row = rows.has_row ? pivots[rows.row_of_batch()] : rows.row;
  int source = rows.row;  // the exchanges from the last to the first lead from a row to where its right-hand side is
#pragma unroll
  for (int c = kGroup - 1; c >= 0; --c) {
    if (c >= n) continue;
    const int pivot = __shfl_sync(kAllLanes, pivot_of_row, c, kGroup);
    source = source == c ? pivot : source == pivot ? c : source;
  }
  if (!solve) source = rows.row;
  T a[kGroup];
  rows.load_row(a);
  T value = rows.has_row ? b[rows.row_of_batch() - rows.row + source] : T{};
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kGroup; ++k) {
    if (k >= n) break;
    const T known = __shfl_sync(kAllLanes, value, k, kGroup);
    if (solve && rows.row > k) value -= a[k] * known;
  }
#pragma unroll
  for (int k = kGroup - 1; k >= 0; --k) {
    if (k >= n) continue;
    if (solve && rows.row == k) value /= a[k];
    const T known = __shfl_sync(kAllLanes, value, k, kGroup);
    if (solve && rows.row < k) value -= a[k] * known;
  }
  if (rows.has_row) x[rows.row_of_batch()] = value;
}

/// Calls call(kGroup) with the lanes of a matrix of n rows as a compile-time constant.
template <class Call>
void with_group(int n, const Call& call) {
  if (n <= 8) {
    call(std::integral_constant<int, 8>{});
  } else if (n <= 16) {
    call(std::integral_constant<int, 16>{});
  } else {
    call(std::integral_constant<int, 32>{});
  }
}

template <class T, int kGroup>
[[nodiscard]] KernelShape lane_rows_shape(const LuBatch<T>& batch) {
  constexpr int kMatrices = kLuWarps * LaneRows<T, kGroup>::kMatrices;
  return {.blocks = (batch.size() + kMatrices - 1) / kMatrices,
          .threads = kLuWarps * 32,
          .shared_memory = LaneRows<T, kGroup>::shared_bytes(batch.n)};
}

}  // namespace weft::kernels::detail
