// Page-locking of memory that CUDA did not allocate.
#include "weft/device/cuda.cuh"
#include "weft/device/cuda/cuda_api.hpp"

namespace weft::detail::cuda {

void register_host(void* memory, std::size_t bytes) {
  require();
  check_cuda(cudaHostRegister(memory, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable), "cudaHostRegister");
}
void unregister_host(void* memory) noexcept { note(cudaHostUnregister(memory)); }

bool same_address_on_gpu(void* memory) {
  void* on_gpu = nullptr;
  check_cuda(cudaHostGetDevicePointer(&on_gpu, memory, 0), "cudaHostGetDevicePointer");
  return on_gpu == memory;
}

}  // namespace weft::detail::cuda
