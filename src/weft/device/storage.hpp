#pragma once
/// Raw memory of one backend, and copies between it and the host.
#include <cstddef>
#include <memory>
#include <span>

#include "weft/device/space.hpp"
#include "weft/device/stream.hpp"

namespace weft {

/// A fixed number of bytes in the memory of one backend. Freed with the object; contents start undefined.
class DeviceStorage {
 public:
  /// Every allocation starts at a multiple of this: a cache line, and enough for any vector load.
  static constexpr std::size_t kAlignment = 64;

  /// On the current GPU, for the backends of CUDA. @throws std::bad_alloc; DeviceError where there is no GPU or no memory left.
  [[nodiscard]] static std::unique_ptr<DeviceStorage> make(Backend backend, std::size_t bytes);
  /// Memory for the host side of an array with this backend: what its GPU copies from and to without help of the processor.
  [[nodiscard]] static std::unique_ptr<DeviceStorage> make_host_side(Backend backend, std::size_t bytes);

  virtual ~DeviceStorage() = default;
  DeviceStorage(const DeviceStorage&) = delete;
  DeviceStorage& operator=(const DeviceStorage&) = delete;

  [[nodiscard]] virtual Backend backend() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Address in the backend's memory; null where bytes() is 0.
  [[nodiscard]] virtual std::byte* data() = 0;

  /// Copies `from` to `offset` once `before` is done; `from` must stay until the event is done. On a GPU the copy runs on a
  /// stream of its own, beside kernels and copies the other way; it is really asynchronous where `from` is page-locked. Where
  /// `from` is the place itself (see sides_share_memory) nothing is copied, and managed memory is moved to the GPU. @pre it fits.
  virtual Event copy_from_host(std::size_t offset, std::span<const std::byte> from, const After& before) = 0;
  /// Copies from `offset` into `to`.
  virtual Event copy_to_host(std::size_t offset, std::span<std::byte> to, const After& before) = 0;

  // The same as work of a stream; can be captured in a Graph.
  virtual Event copy_from_host(std::size_t offset, std::span<const std::byte> from, Stream& stream) = 0;
  virtual Event copy_to_host(std::size_t offset, std::span<std::byte> to, Stream& stream) = 0;

 protected:
  DeviceStorage() = default;
};

}  // namespace weft
