#include "weft/device/device.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/device/cuda/cuda_api.hpp"

namespace weft {

namespace detail::cuda {

void require() {
  if (available().devices > 0) return;
  throw no_gpu();
}

void throw_failure(int code, const char* name, const char* text, const char* what, const char* file, unsigned line,
                   const char* function) {
  const bool out_of_memory = code == 2;  // cudaErrorMemoryAllocation
  throw DeviceError(fmt::format("{} failed in {} ({}, error {}: {})", what, function, name, code, text),
                    out_of_memory ? "use less memory, or more GPUs" : "", {.file = file, .line = line});
}

}  // namespace detail::cuda

int device_count() { return detail::cuda::available().devices; }

std::string cuda_unavailable_reason() { return detail::cuda::available().missing; }

DeviceError no_gpu() {
  WEFT_EXPECTS(device_count() == 0);
  const detail::cuda::Available& found = detail::cuda::available();
  return DeviceError("no GPU can be used: " + found.missing, "use the host, or " + found.remedy);
}

int device_of(int local_rank) {
  WEFT_EXPECTS(local_rank >= 0);
  detail::cuda::require();
  return local_rank % device_count();
}

std::optional<int> launched_local_rank() {
  for (const char* const name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    const std::string_view digits = text;
    int rank = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (error == std::errc() && end == digits.data() + digits.size() && rank >= 0) return rank;
  }
  return {};
}

void set_device(int device) {
  detail::cuda::require();
  const int count = device_count();
  if (device < 0 || device >= count) {
    throw DeviceError(fmt::format("GPU {} does not exist (this machine has {})", device, count), "GPUs are numbered from 0");
  }
  detail::cuda::set_device(device);
}

int current_device() { return detail::cuda::current_device(); }

GpuId current_gpu() { return detail::cuda::gpu_id(current_device()); }

void wait_for_device() {
  detail::cuda::require();
  detail::cuda::wait_for_device();
}

}  // namespace weft
