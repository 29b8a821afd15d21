#pragma once
/// Loops of a block over entries in global memory, for .cu files.

namespace weft::kernels::detail {

/// Calls store(n, load(n)) for kCount numbers n of each thread, from first + threadIdx.x at a distance of kThreads, as far as n <
/// end. @tparam kAll  all of them are below `end`, which then is not tested.
template <int kThreads, int kCount, bool kAll, class Load, class Store>
__device__ void store_loaded(int first, int end, const Load& load, const Store& store) {
  const int begin = first + static_cast<int>(threadIdx.x);
  decltype(load(0)) loaded[kCount];
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    if (const int n = begin + k * kThreads; kAll || n < end) loaded[k] = load(n);
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    if (const int n = begin + k * kThreads; kAll || n < end) store(n, loaded[k]);
  }
}

/// Calls store(n, load(n)) for n = 0 .. count-1, by all kThreads threads of the block. Each thread loads 4 entries before it
/// stores the first one, so that their loads are pending at once.
template <int kThreads, class Load, class Store>
__device__ void store_with_pending_loads(int count, const Load& load, const Store& store) {
  constexpr int kCount = 4;
  int first = 0;
  for (; first + kCount * kThreads <= count; first += kCount * kThreads)
    store_loaded<kThreads, kCount, true>(first, count, load, store);
  store_loaded<kThreads, kCount, false>(first, count, load, store);
}

}  // namespace weft::kernels::detail
