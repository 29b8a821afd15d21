#pragma once
/// Untyped memory of a backend with copies to and from the host.
#include <cstddef>
#include <memory>
#include <span>

#include "weft/device/space.hpp"
#include "weft/device/stream.hpp"

namespace weft {

/// A fixed number of bytes in the memory of one backend, owned by the object unless it is of_others(). The contents are initially
/// undefined.
class DeviceStorage {
 public:
  /// Alignment of every allocation in bytes: a cache line of a GPU, and sufficient for every SIMD load of a CPU.
  static constexpr std::size_t kAlignment = 128;

  /// Allocates `bytes` bytes, on the current GPU for the CUDA backends. @throws std::bad_alloc; DeviceError where there is no GPU
  /// or its memory is exhausted.
  [[nodiscard]] static std::unique_ptr<DeviceStorage> make(Backend backend, std::size_t bytes);
  /// Allocates in stream order: from the memory pool of the stream's GPU, to which the destructor returns the memory in the order
  /// of the same stream; ordinary memory for a host stream. Can be captured in a Graph. Other processes cannot map the memory.
  /// @pre the stream outlives the object, and waits for the work of other streams on the memory before the destructor runs.
  /// @throws as make().  @cost about one microsecond for allocation and release; never blocks.
  [[nodiscard]] static std::unique_ptr<DeviceStorage> make(Stream& stream, std::size_t bytes);
  /// Refers to memory of others that outlives the object: of the current GPU for Backend::cuda, of the host for Backend::mirror.
  [[nodiscard]] static std::unique_ptr<DeviceStorage> of_others(Backend backend, std::span<std::byte> memory);
  /// Allocates memory for the host side of an array with this backend: page-locked for Backend::cuda, so that copies are
  /// asynchronous; the shared memory itself where the sides share it; ordinary memory otherwise. @throws as make().
  [[nodiscard]] static std::unique_ptr<DeviceStorage> make_host_side(Backend backend, std::size_t bytes);

  virtual ~DeviceStorage() = default;
  DeviceStorage(const DeviceStorage&) = delete;
  DeviceStorage& operator=(const DeviceStorage&) = delete;

  [[nodiscard]] virtual Backend backend() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Returns the address in the memory of the backend; null where bytes() is 0.
  [[nodiscard]] virtual std::byte* data() = 0;

  /// Starts a copy of `from` to `offset` after `before`; `from` must remain valid until the returned event has completed. On a
  /// GPU the copy runs in a separate stream, concurrently with kernels and with copies in the other direction, and asynchronously
  /// if `from` is page-locked. Where `from` is the destination itself (see sides_share_memory()) no data is copied; managed
  /// memory is prefetched to the GPU. @pre offset + from.size() <= bytes().
  virtual Event copy_from_host(std::size_t offset, std::span<const std::byte> from, const After& before) = 0;
  /// Starts a copy from `offset` into `to`, with the conditions of copy_from_host().
  virtual Event copy_to_host(std::size_t offset, std::span<std::byte> to, const After& before) = 0;

  // Copies in stream order, which can be captured in a Graph.
  virtual Event copy_from_host(std::size_t offset, std::span<const std::byte> from, Stream& stream) = 0;
  virtual Event copy_to_host(std::size_t offset, std::span<std::byte> to, Stream& stream) = 0;

 protected:
  DeviceStorage() = default;
};

}  // namespace weft
