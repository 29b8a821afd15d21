#include <cuda/atomic>

#include "weft/array/transport/copies.cuh"
#include "weft/array/transport/put.hpp"

namespace weft::detail {
namespace {

using Flag = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system>;

__device__ void publish(std::uint32_t& flag, std::uint32_t epoch) { Flag(flag).store(epoch, cuda::memory_order_release); }
/// Returns true if a counter has reached a value, compared modulo 2^32.
__device__ bool reached(const std::uint32_t& flag, std::uint32_t value) {
  return static_cast<std::int32_t>(Flag(const_cast<std::uint32_t&>(flag)).load(cuda::memory_order_acquire) - value) >= 0;
}
/// Waits until a counter has reached a value; returns false if the exchange was stopped before. Not inlined, because nvcc 13.0
/// then spills registers of the kernel for bytes.
__device__ __noinline__ bool wait_until(const std::uint32_t& flag, std::uint32_t value, const std::uint32_t* stop) {
  constexpr std::uint32_t kBetween = 256;  // reading memory of the host takes longer than reading the flag
  for (std::uint32_t polls = 1; !reached(flag, value); ++polls) {
    if (polls % kBetween == 0 && Flag(const_cast<std::uint32_t&>(*stop)).load(cuda::memory_order_relaxed) != 0) return false;
  }
  return true;
}

/// Does not trigger dependent launches: blocks of the next kernel would occupy multiprocessors while the other GPU needs
/// them.
template <class Word>
__global__ void __launch_bounds__(kCopyThreads) put_kernel(const __grid_constant__ PutArgs a) {
  grid_dependency_sync();
  const CopyPart* const parts = a.table.count <= kSmallPut ? a.parts_here : a.table.parts;
  const PeerLink* const links = a.link_count <= kSmallPut ? a.links_here : a.links;
  const std::uint32_t epoch = a.epochs[blockIdx.x] + 1;
  const int thread = static_cast<int>(threadIdx.x);
  if (blockIdx.x == 0) {
    for (int i = thread; i < a.link_count; i += kCopyThreads) {
      if (links[i].arriving > 0) publish(links[i].there->credit, epoch);
    }
  }
  for (std::uint32_t chunk = blockIdx.x; chunk < a.table.chunks;) {
    const std::int32_t group = part_of(parts, a.table.count, chunk).group;
    const PeerLink* const link = group < 0 ? nullptr : links + group;
    std::uint32_t mine = 0;
    do {
      const ThreadCopy<Word> copy(part_of(parts, a.table.count, chunk), chunk);
      if (mine == 0 && link != nullptr) {
        const bool permitted = thread != 0 || reached(link->here->credit, epoch) || wait_until(link->here->credit, epoch, a.stop);
        if (__syncthreads_and(permitted) == 0) return;
      }
      copy.store();
      ++mine;
      chunk += gridDim.x;
    } while (chunk < a.table.chunks && part_of(parts, a.table.count, chunk).group == group);
    if (link == nullptr) continue;
    __syncthreads();
    if (thread == 0) {
      __threadfence_system();  // all writes of the block
      Flag(link->there->arrived).fetch_add(mine, cuda::memory_order_relaxed);
    }
  }
  if (blockIdx.x == 0) {
    for (int i = thread; i < a.link_count; i += kCopyThreads) {
      if (links[i].arriving > 0) (void)wait_until(links[i].here->arrived, epoch * links[i].arriving, a.stop);
    }
  }
  __syncthreads();
  if (thread == 0) a.epochs[blockIdx.x] = epoch;
}

}  // namespace

void launch_put(Stream& stream, const PutArgs& args) {
  std::uint32_t blocks = args.table.chunks < kPutBlocks ? args.table.chunks : kPutBlocks;
  if (blocks == 0) blocks = 1;  // one block to give credit
  with_words(args.table, [&](auto word) {
    const auto kernel = put_kernel<decltype(word)>;
    request_dynamic_shared_memory(kernel);
    launch(stream, "copies to other GPUs", {.blocks = blocks, .threads = kCopyThreads}, kernel, args);
  });
}

const char* peer_write_obstacle(const GpuId& other) {
  int here = 0, there = 0, can = 0;
  check_cuda(cudaGetDevice(&here), "cudaGetDevice");
  if (cudaDeviceGetByPCIBusId(&there, other.bus) != cudaSuccess) {
    (void)cudaGetLastError();
    return "the other GPU is not visible (CUDA_VISIBLE_DEVICES)";
  }
  check_cuda(cudaDeviceCanAccessPeer(&can, here, there), "cudaDeviceCanAccessPeer");
  if (can == 0) return "no peer access";
  check_cuda(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrNativeAtomicSupported, here, there), "cudaDeviceGetP2PAttribute");
  return can == 0 ? "no atomics over their link" : nullptr;
}

}  // namespace weft::detail
