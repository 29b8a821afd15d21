#pragma once
/// The few things that this room asks of CUDA, without CUDA's headers: handles are opaque. Defined by cuda_api.cu where CUDA was
/// found, and by no_cuda.cpp, where each throws that it was not. All but the noexcept ones throw DeviceError.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/device/device.hpp"
#include "weft/device/info.hpp"

namespace weft::detail::cuda {

struct Available {
  int devices = 0;
  std::string missing;  ///< empty where devices > 0
  std::string remedy;   ///< what to do about it; empty where devices > 0
};
/// Looked up once.
[[nodiscard]] const Available& available();
/// Throws no_gpu() where there is none.
void require();

[[nodiscard]] int current_device();
void set_device(int device);
[[nodiscard]] GpuName name_of(int device);
void wait_for_device();

[[nodiscard]] void* create_stream(bool high_priority);
void destroy_stream(void* stream) noexcept;
void wait_stream(void* stream);
void stream_waits(void* stream, void* event);
[[nodiscard]] bool capturing(void* stream);

/// On `device`, which need not be the current one.
[[nodiscard]] void* create_event(int device, bool timed);
void record_event(void* event, void* stream);
[[nodiscard]] bool event_done(void* event);
void wait_event(void* event);
[[nodiscard]] double seconds_between(void* begin, void* end);

enum class Memory : std::uint8_t { device, managed, mapped, pinned };
[[nodiscard]] void* allocate(Memory kind, std::size_t bytes);
void release(Memory kind, void* memory) noexcept;
/// From the pool of the stream's GPU, which keeps what is given back.
[[nodiscard]] void* allocate_in(void* stream, std::size_t bytes);
void release_in(void* stream, void* memory) noexcept;

void copy(void* stream, void* to, const void* from, std::size_t bytes);
void set(void* stream, void* at, int value, std::size_t bytes);
/// Managed memory: move it to the GPU of the stream, or to the host.
void prefetch(void* stream, void* at, std::size_t bytes, bool to_host);

/// 64 bytes that name the allocation at `base` for other processes.
void export_memory(const void* base, std::byte* handle);
[[nodiscard]] void* import_memory(const std::byte* handle);
void drop_imported(void* memory) noexcept;

void begin_capture(void* stream);
/// The graph, ready to be launched.
[[nodiscard]] void* end_capture(void* stream);
void abandon_capture(void* stream) noexcept;
void launch_graph(void* graph, void* stream);
void destroy_graph(void* graph) noexcept;

void describe(CudaInfo& info);

/// Throws DeviceError: `what` failed with CUDA's `code`, called `name`, which means `text`.
[[noreturn]] void throw_failure(int code, const char* name, const char* text, const char* what, const char* file, unsigned line,
                                const char* function);

}  // namespace weft::detail::cuda
