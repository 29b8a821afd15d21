// GMRES on a GPU: the passes over the basis. A block computes a tile of the vectors, 16 bytes per thread.
#include "weft/base/contracts.hpp"
#include "weft/kernels/linear/gmres.hpp"
#include "weft/kernels/linear/gmres_steps.hpp"
#include "weft/kernels/linear/instances.hpp"
#include "weft/kernels/linear/krylov_machine.cuh"
#include "weft/kernels/primitives/block.cuh"
#include "weft/kernels/primitives/operators.hpp"
#include "weft/kernels/primitives/warp.cuh"

namespace weft::kernels {

namespace {

using detail::GmresNumbers;
using detail::kAllLanes;
using detail::kGmresThreads;
using detail::kGmresWarps;

template <class T>
using Group = detail::EntryGroup<T, detail::kGmresEntries<T>>;

/// The vectors of a system. The entries from n on to the end of a tile are 0.
template <class T>
struct Vectors {
  const T* basis;
  T* w;
  std::int64_t n, stride, tiles;
};

/// Returns the index of the first entry of this thread.
template <class T>
__device__ std::int64_t first_entry() {
  return (static_cast<std::int64_t>(blockIdx.x) * kGmresThreads + threadIdx.x) * detail::kGmresEntries<T>;
}
template <class T>
__device__ Group<T> load(const T* from) {
  return *reinterpret_cast<const Group<T>*>(from);
}
/// Stores the entries below n.
template <class T>
__device__ void store(const Group<T>& group, T* to, std::int64_t at, std::int64_t n) {
  if (at + detail::kGmresEntries<T> <= n) {
    *reinterpret_cast<Group<T>*>(to + at) = group;
  } else {
#pragma unroll
    for (int e = 0; e < detail::kGmresEntries<T>; ++e) {
      if (at + e < n) to[at + e] = group.value[e];
    }
  }
}

/// Adds the scalar product of the entries of a warp and stores it at products[warp].
template <class T>
__device__ void add_lanes(const Group<T>& v, const Group<T>& w, double* products) {
  double sum = 0;
#pragma unroll
  for (int e = 0; e < detail::kGmresEntries<T>; ++e) sum += static_cast<double>(v.value[e]) * static_cast<double>(w.value[e]);
  sum = warp_reduce(sum, Plus{});
  if (threadIdx.x % 32 == 0) products[threadIdx.x / 32] = sum;
}
/// Adds the scalar products of the warps and stores those of the tile.
__device__ void store_products(const double* products, int count, std::int64_t tiles, double* partial) {
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < count; k += kGmresThreads) {
    double sum = 0;
    for (int warp = 0; warp < kGmresWarps; ++warp) sum += products[k * kGmresWarps + warp];
    partial[k * tiles + blockIdx.x] = sum;
  }
}

template <class T>
__global__ void __launch_bounds__(kGmresThreads) gmres_project_kernel(const Vectors<T> u, const GmresNumbers numbers, int count) {
  extern __shared__ double products[];
  const std::int64_t at = first_entry<T>();
  trigger_dependent_launch();
  grid_dependency_sync();
  if (!numbers.s->extends()) return;
  const Group<T> w = load(u.w + at);
#pragma unroll 4
  for (int k = 0; k < count; ++k) add_lanes<T>(load(u.basis + k * u.stride + at), w, products + k * kGmresWarps);
  store_products(products, count, u.tiles, numbers.partial);
}

/// The scalar products begin with the last vector, whose entries are most likely in a cache.
template <class T>
__global__ void __launch_bounds__(kGmresThreads)
    gmres_subtract_kernel(const Vectors<T> u, const GmresNumbers numbers, int count) {
  extern __shared__ double products[];
  const std::int64_t at = first_entry<T>();
  trigger_dependent_launch();
  grid_dependency_sync();
  if (!numbers.s->extends()) return;
  Group<T> w = load(u.w + at);
#pragma unroll 4
  for (int k = 0; k < count; ++k) {
    const auto factor = static_cast<T>(numbers.first[k]);
    const Group<T> v = load(u.basis + k * u.stride + at);
#pragma unroll
    for (int e = 0; e < detail::kGmresEntries<T>; ++e) w.value[e] -= factor * v.value[e];
  }
  store(w, u.w, at, u.n);
  add_lanes<T>(w, w, products + count * kGmresWarps);
#pragma unroll 4
  for (int k = count - 1; k >= 0; --k) add_lanes<T>(load(u.basis + k * u.stride + at), w, products + k * kGmresWarps);
  store_products(products, count + 1, u.tiles, numbers.partial);
}

template <class T>
__global__ void __launch_bounds__(kGmresThreads)
    gmres_extend_kernel(const Vectors<T> u, const GmresNumbers numbers, int count, T* next) {
  const std::int64_t at = first_entry<T>();
  trigger_dependent_launch();
  grid_dependency_sync();
  if (!numbers.s->extends()) return;
  Group<T> w = load(u.w + at);
#pragma unroll 4
  for (int k = 0; k < count; ++k) {
    const auto factor = static_cast<T>(numbers.second[k]);
    const Group<T> v = load(u.basis + k * u.stride + at);
#pragma unroll
    for (int e = 0; e < detail::kGmresEntries<T>; ++e) w.value[e] -= factor * v.value[e];
  }
  const auto inverse = static_cast<T>(numbers.s->inverse);
#pragma unroll
  for (int e = 0; e < detail::kGmresEntries<T>; ++e) w.value[e] *= inverse;
  store(w, next, at, u.n);
}

template <class T>
__global__ void __launch_bounds__(kGmresThreads) gmres_expand_kernel(const Vectors<T> u, const GmresNumbers numbers, T* z) {
  const std::int64_t at = first_entry<T>();
  trigger_dependent_launch();
  grid_dependency_sync();
  if (numbers.s->status.state != KrylovState::running) return;
  Group<T> sum = {};
  const int count = numbers.s->columns;
#pragma unroll 4
  for (int k = 0; k < count; ++k) {
    const auto factor = static_cast<T>(numbers.y[k]);
    const Group<T> v = load(u.basis + k * u.stride + at);
#pragma unroll
    for (int e = 0; e < detail::kGmresEntries<T>; ++e) sum.value[e] += factor * v.value[e];
  }
  store(sum, z, at, u.n);
}

/// Adds the scalar products of the tiles: a block for each scalar product, a warp for 1024 tiles at a time.
__global__ void __launch_bounds__(1024) gmres_add_tiles_kernel(const GmresNumbers numbers, std::int64_t tiles, double* to) {
  constexpr int kWarps = 32;
  __shared__ double of_warps[kWarps];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const double* const of_tiles = numbers.partial + blockIdx.x * tiles;
  trigger_dependent_launch();
  grid_dependency_sync();
  if (!numbers.s->extends()) return;
  double total = 0;
  for (std::int64_t first = 0; first < tiles; first += kWarps * detail::kGmresTiles) {
    const std::int64_t begin = first + warp * detail::kGmresTiles;
    const std::int64_t end = begin + detail::kGmresTiles < tiles ? begin + detail::kGmresTiles : tiles;
    double sum = 0;
#pragma unroll 8
    for (std::int64_t tile = begin + lane; tile < end; tile += 32) sum += of_tiles[tile];
    sum = warp_reduce(sum, Plus{});
    if (lane == 0) of_warps[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 0; w < kWarps && first + w * detail::kGmresTiles < tiles; ++w) total += of_warps[w];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) to[blockIdx.x] = total;
}

/// Enqueues the passes over the basis.
struct CudaPasses : detail::CudaMachine {
  template <class T, int B>
  [[nodiscard]] static Vectors<T> vectors(const detail::GmresSystem<T, B>& u) {
    return {u.basis, u.w, u.n, u.stride, detail::gmres_tiles<T>(u.n)};
  }
  [[nodiscard]] static std::size_t products(int count) { return static_cast<std::size_t>(count) * kGmresWarps * sizeof(double); }
  void add_tiles(const GmresNumbers& numbers, std::int64_t tiles, int count, double* to) const {
    launch(queue, "gmres_add_tiles", {.blocks = count, .threads = 1024}, gmres_add_tiles_kernel, numbers, tiles, to);
  }

  template <class T, int B>
  void project(const detail::GmresSystem<T, B>& u, int count, double* to) const {
    const Vectors<T> of = vectors(u);
    if (of.tiles > 0) {
      launch(queue, "gmres_project", {.blocks = of.tiles, .threads = kGmresThreads, .shared_memory = products(count)},
             gmres_project_kernel<T>, of, u.numbers, count);
    }
    add_tiles(u.numbers, of.tiles, count, to);
  }
  template <class T, int B>
  void subtract(const detail::GmresSystem<T, B>& u, int count, double* to) const {
    const Vectors<T> of = vectors(u);
    if (of.tiles > 0) {
      launch(queue, "gmres_subtract", {.blocks = of.tiles, .threads = kGmresThreads, .shared_memory = products(count + 1)},
             gmres_subtract_kernel<T>, of, u.numbers, count);
    }
    add_tiles(u.numbers, of.tiles, count + 1, to);
  }
  template <class T, int B>
  void extend(const detail::GmresSystem<T, B>& u, int count) const {
    const Vectors<T> of = vectors(u);
    if (of.tiles == 0) return;
    launch(queue, "gmres_extend", {.blocks = of.tiles, .threads = kGmresThreads}, gmres_extend_kernel<T>, of, u.numbers, count,
           u.basis + count * u.stride);
  }
  template <class T, int B>
  void expand(const detail::GmresSystem<T, B>& u) const {
    const Vectors<T> of = vectors(u);
    if (of.tiles == 0) return;
    launch(queue, "gmres_expand", {.blocks = of.tiles, .threads = kGmresThreads}, gmres_expand_kernel<T>, of, u.numbers, u.z);
  }
};

}  // namespace

template <LinearScalar T, int B>
  requires BlockSize<B>
void Gmres<T, B>::start(space::cuda, Stream& stream, const BsrView<const T, B>& a, Preconditioner<T>* preconditioner,
                        std::span<const T> b, std::span<T> x, double tolerance) {
  WEFT_EXPECTS(!stream.is_host() && vectors_.backend() != Backend::host && is_system(a, b, x, tolerance));
  prepare(a, preconditioner, b, x);
  CudaPasses machine{{stream}};
  detail::start(machine, system_, tolerance);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void Gmres<T, B>::cycle(space::cuda, Stream& stream, int count) {
  WEFT_EXPECTS(!stream.is_host() && vectors_.backend() != Backend::host && system_.numbers.s != nullptr);
  (void)scalars_.read_write(Side::device);  // the host side is stale after these iterations
  CudaPasses machine{{stream}};
  for (int i = 0; i < count; ++i) detail::cycle(machine, system_, [] { return false; });
}

#define WEFT_INSTANTIATE(T, B)                                                                                               \
  template void Gmres<T, B>::start(space::cuda, Stream&, const BsrView<const T, B>&, Preconditioner<T>*, std::span<const T>, \
                                   std::span<T>, double);                                                                    \
  template void Gmres<T, B>::cycle(space::cuda, Stream&, int);
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
