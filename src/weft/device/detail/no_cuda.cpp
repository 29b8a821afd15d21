// What a build without CUDA has in place of cuda_api.cu.
#include "weft/device/detail/cuda_api.hpp"

namespace weft::detail::cuda {
namespace {

[[noreturn]] void refuse();
void refuse() {
  require();
  __builtin_unreachable();  // require() throws, for there are no devices
}

}  // namespace

const Available& available() {
  static const Available none{
      .devices = 0, .missing = "this build has no CUDA", .remedy = "build with nvcc on the PATH (cmake --preset release)"};
  return none;
}

int current_device() { refuse(); }
void set_device(int) { refuse(); }
GpuName name_of(int) { refuse(); }
void wait_for_device() { refuse(); }
void* create_stream(bool) { refuse(); }
void destroy_stream(void*) noexcept {}
void wait_stream(void*) { refuse(); }
void stream_waits(void*, void*) { refuse(); }
bool capturing(void*) { refuse(); }
void* create_event(int, bool) { refuse(); }
void record_event(void*, void*) { refuse(); }
bool event_done(void*) { refuse(); }
void wait_event(void*) { refuse(); }
double seconds_between(void*, void*) { refuse(); }
void* allocate(Memory, std::size_t) { refuse(); }
void release(Memory, void*) noexcept {}
void* allocate_in(void*, std::size_t) { refuse(); }
void release_in(void*, void*) noexcept {}
void copy(void*, void*, const void*, std::size_t) { refuse(); }
void set(void*, void*, int, std::size_t) { refuse(); }
void prefetch(void*, void*, std::size_t, bool) { refuse(); }
void export_memory(const void*, std::byte*) { refuse(); }
void* import_memory(const std::byte*) { refuse(); }
void drop_imported(void*) noexcept {}
void begin_capture(void*) { refuse(); }
void* end_capture(void*) { refuse(); }
void abandon_capture(void*) noexcept {}
void launch_graph(void*, void*) { refuse(); }
void destroy_graph(void*) noexcept {}
void describe(CudaInfo&) {}

}  // namespace weft::detail::cuda
