#pragma once
/// A mutex in the memory of a GPU, for kernels in .cu files.
#include <cuda/atomic>

namespace weft::kernels {

/// Excludes threads of a GPU from each other. Zero bytes are an unlocked mutex, so that set_bytes() initialises arrays of them.
/// Each thread locks for itself, also several threads of a warp (compute capability 7.0 or higher: threads of a warp advance
/// independently). A thread that waits sleeps for twice as long after each attempt, from 32 ns up to 1 us, so that it does not
/// compete with the owner for the memory.
///
/// The order in which threads enter is arbitrary: results must not depend on it. Where an atomic operation or a scan suffices, it
/// is faster.
class Mutex {
 public:
  /// Waits until no other thread has the mutex, and takes it. What former owners have written is visible afterwards.
  /// @pre this thread does not have it, and does not wait for a barrier or a warp function until unlock().
  __device__ void lock() {
    for (unsigned sleep = 32; !try_lock(); sleep = sleep < 1024 ? 2 * sleep : sleep) __nanosleep(sleep);
  }
  /// Takes the mutex and returns true if no thread has it.
  [[nodiscard]] __device__ bool try_lock() { return state().exchange(1, cuda::memory_order_acquire) == 0; }
  /// Releases the mutex. @pre this thread has it.
  __device__ void unlock() { state().store(0, cuda::memory_order_release); }

 private:
  [[nodiscard]] __device__ cuda::atomic_ref<unsigned, cuda::thread_scope_device> state() {
    return cuda::atomic_ref<unsigned, cuda::thread_scope_device>(state_);
  }

  unsigned state_;
};

}  // namespace weft::kernels
