#pragma once
/// Which GPUs there are, and which of them this thread uses.
#include <string>
#include <string_view>

#include "weft/base/error.hpp"

namespace weft {

/// GPUs that this process can use: 0 where there is none, where there is no driver, and in a build without CUDA.
[[nodiscard]] int device_count();

/// Empty where device_count() > 0; else what is missing, for people: "this build has no CUDA", ...
[[nodiscard]] std::string why_no_cuda();

/// What to throw where device_count() == 0: says what is missing and what to do about it.
[[nodiscard]] DeviceError no_gpu();

/// The GPU of the `local_rank`-th process of this machine: they are dealt round robin. @pre local_rank >= 0.
/// @throws DeviceError saying what is missing where there is no GPU.
[[nodiscard]] int device_of(int local_rank);

/// Makes `device` the GPU that this thread allocates and makes streams on. Until called, that is GPU 0.
/// @throws DeviceError where there is no such GPU.
void set_device(int device);

/// @throws DeviceError saying what is missing where there is no GPU.
[[nodiscard]] int current_device();

/// Where a GPU sits on its bus: what names it to other processes of its machine.
struct GpuName {
  char bus[32] = {};  ///< "0000:00:06.0"
  friend bool operator==(const GpuName& a, const GpuName& b) { return std::string_view(a.bus) == b.bus; }
};
/// @throws DeviceError saying what is missing where there is no GPU.
[[nodiscard]] GpuName current_gpu();

/// Blocks the host until all work on the current GPU is done, whatever its stream.
/// @throws DeviceError, also for what failed in such work.
void wait_for_device();

}  // namespace weft
