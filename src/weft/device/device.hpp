#pragma once
/// The available GPUs and the current GPU of the calling thread.
#include <optional>
#include <string>
#include <string_view>

#include "weft/base/error.hpp"

namespace weft {

/// Returns the number of GPUs that this process can use; 0 without a GPU, without a driver, and in a build without CUDA.
[[nodiscard]] int device_count();

/// Returns the reason why no GPU can be used, for messages ("this build has no CUDA", ...); empty where device_count() > 0.
[[nodiscard]] std::string cuda_unavailable_reason();

/// Returns an error that states why no GPU can be used and how to change that. @pre device_count() == 0.
[[nodiscard]] DeviceError no_gpu();

/// Returns the GPU of the process with the index `local_rank` on this machine: local_rank modulo device_count().
/// @pre local_rank >= 0.  @throws DeviceError (see no_gpu()) where there is no GPU.
[[nodiscard]] int device_of(int local_rank);

/// Returns the index of this process among those of its job on this machine, as Open MPI, Intel MPI and Slurm state it in the
/// environment; empty without them.
[[nodiscard]] std::optional<int> launched_local_rank();

/// Sets the current GPU of the calling thread, on which it allocates memory and creates streams. The default is GPU 0.
/// @throws DeviceError where the GPU does not exist.
void set_device(int device);

/// Returns the current GPU of the calling thread. @throws DeviceError (see no_gpu()) where there is no GPU.
[[nodiscard]] int current_device();

/// The PCI address of a GPU, which identifies it across the processes of a machine.
struct GpuId {
  char bus[32] = {};  ///< "0000:00:06.0"
  friend bool operator==(const GpuId& a, const GpuId& b) { return std::string_view(a.bus) == b.bus; }
};
/// Returns the PCI address of the current GPU. @throws DeviceError (see no_gpu()) where there is no GPU.
[[nodiscard]] GpuId current_gpu();

/// Blocks the host until the work of all streams of the current GPU has completed.
/// @throws DeviceError, also for errors of that work.
void wait_for_device();

}  // namespace weft
