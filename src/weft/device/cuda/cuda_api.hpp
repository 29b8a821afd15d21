#pragma once
/// The CUDA functions that this module uses, declared without CUDA headers: handles are opaque pointers. They are defined in
/// cuda_api.cu, or in a build without CUDA in no_cuda.cpp, where each call throws no_gpu(). All functions that are not noexcept
/// may throw DeviceError.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weft/device/device.hpp"
#include "weft/device/info.hpp"

namespace weft::detail::cuda {

/// The usable GPUs, or the reason why there are none.
struct Available {
  int devices = 0;
  std::string missing;  ///< reason why no GPU can be used; empty where devices > 0
  std::string remedy;   ///< remedy for people; empty where devices > 0
};
/// Returns the usable GPUs, determined on the first call.
[[nodiscard]] const Available& available();
/// Throws no_gpu() where no GPU can be used.
void require();

[[nodiscard]] int current_device();
void set_device(int device);
[[nodiscard]] GpuId gpu_id(int device);
void wait_for_device();

[[nodiscard]] void* create_stream(bool high_priority);
void destroy_stream(void* stream) noexcept;
/// Returns the handle of the default stream of CUDA, which is not null.
[[nodiscard]] void* default_stream();
void wait_stream(void* stream);
void stream_waits(void* stream, void* event);
[[nodiscard]] bool capturing(void* stream);

/// Creates an event of `device`, which need not be the current GPU.
[[nodiscard]] void* create_event(int device, bool timed);
void record_event(void* event, void* stream);
[[nodiscard]] bool event_done(void* event);
void wait_event(void* event);
[[nodiscard]] double seconds_between(void* begin, void* end);

enum class Memory : std::uint8_t { device, managed, mapped, pinned };
[[nodiscard]] void* allocate(Memory kind, std::size_t bytes);
void release(Memory kind, void* memory) noexcept;
/// Allocates in stream order from the memory pool of the GPU, which retains freed memory.
[[nodiscard]] void* allocate_in(void* stream, std::size_t bytes);
void release_in(void* stream, void* memory) noexcept;

/// Page-locks memory that CUDA did not allocate and makes it accessible to all GPUs.
void register_host(void* memory, std::size_t bytes);
void unregister_host(void* memory) noexcept;
/// Returns true if the current GPU accesses registered memory at its address on the host.
[[nodiscard]] bool same_address_on_gpu(void* memory);

void copy(void* stream, void* to, const void* from, std::size_t bytes);
void set(void* stream, void* at, int value, std::size_t bytes);
/// Migrates managed memory to the GPU of the stream or to the host.
void prefetch(void* stream, void* at, std::size_t bytes, bool to_host);

/// Writes a handle of 64 bytes that identifies the allocation at `base` for other processes.
void export_memory(const void* base, std::byte* handle);
[[nodiscard]] void* import_memory(const std::byte* handle);
void drop_imported(void* memory) noexcept;

void begin_capture(void* stream);
/// Ends the capture and returns the graph.
[[nodiscard]] void* end_capture(void* stream);
void abandon_capture(void* stream) noexcept;
/// Returns an executable graph.
[[nodiscard]] void* instantiate(void* graph);
/// Gives the nodes of an executable graph the arguments of `graph`; returns false, and changes nothing, where the two graphs have
/// different nodes or dependencies.
[[nodiscard]] bool update_executable(void* executable, void* graph);
void launch_executable(void* executable, void* stream);
/// Adds `graph` as a node to the graph that is being captured from the stream.
void add_child_graph(void* stream, void* graph);
void destroy_graph(void* graph) noexcept;
void destroy_executable(void* executable) noexcept;
/// Enqueues a call of `f` by a thread of CUDA; in a capture, a node of the graph, which then owns `f`.
void call_on_host(void* stream, std::function<void()> f);

/// Sets the versions and the devices of `info`.
void describe(CudaInfo& info);

/// Throws DeviceError for the failed call `what`, with the CUDA error code, its name and its description `text`.
[[noreturn]] void throw_failure(int code, const char* name, const char* text, const char* what, const char* file, unsigned line,
                                const char* function);

}  // namespace weft::detail::cuda
