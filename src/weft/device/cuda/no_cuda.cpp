// Definitions of cuda_api.hpp for a build without CUDA, in place of cuda_api.cu.
#include "weft/device/cuda/cuda_api.hpp"

namespace weft::detail::cuda {
namespace {

[[noreturn]] void reject();
void reject() {
  require();
  __builtin_unreachable();  // require() throws because there are no devices
}

}  // namespace

const Available& available() {
  static const Available none{
      .devices = 0, .missing = "this build has no CUDA", .remedy = "build with nvcc on the PATH (cmake --preset release)"};
  return none;
}

int current_device() { reject(); }
void set_device(int) { reject(); }
GpuId gpu_id(int) { reject(); }
void wait_for_device() { reject(); }
void* create_stream(bool) { reject(); }
void destroy_stream(void*) noexcept {}
void* default_stream() { reject(); }
void wait_stream(void*) { reject(); }
void stream_waits(void*, void*) { reject(); }
bool capturing(void*) { reject(); }
void* create_event(int, bool) { reject(); }
void record_event(void*, void*) { reject(); }
bool event_done(void*) { reject(); }
void wait_event(void*) { reject(); }
double seconds_between(void*, void*) { reject(); }
void* allocate(Memory, std::size_t) { reject(); }
void release(Memory, void*) noexcept {}
void* allocate_in(void*, std::size_t) { reject(); }
void release_in(void*, void*) noexcept {}
void register_host(void*, std::size_t) { reject(); }
void unregister_host(void*) noexcept {}
bool same_address_on_gpu(void*) { reject(); }
void copy(void*, void*, const void*, std::size_t) { reject(); }
void set(void*, void*, int, std::size_t) { reject(); }
void prefetch(void*, void*, std::size_t, bool) { reject(); }
void export_memory(const void*, std::byte*) { reject(); }
void* import_memory(const std::byte*) { reject(); }
void drop_imported(void*) noexcept {}
void begin_capture(void*) { reject(); }
void* end_capture(void*) { reject(); }
void abandon_capture(void*) noexcept {}
void* instantiate(void*) { reject(); }
bool update_executable(void*, void*) { reject(); }
void launch_executable(void*, void*) { reject(); }
void add_child_graph(void*, void*) { reject(); }
void destroy_graph(void*) noexcept {}
void destroy_executable(void*) noexcept {}
// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature is that with CUDA
void call_on_host(void*, std::function<void()>) { reject(); }
void describe(CudaInfo&) {}

}  // namespace weft::detail::cuda
