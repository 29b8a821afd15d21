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

  /// @throws std::bad_alloc.
  [[nodiscard]] static std::unique_ptr<DeviceStorage> make(Backend backend, std::size_t bytes);

  virtual ~DeviceStorage() = default;
  DeviceStorage(const DeviceStorage&) = delete;
  DeviceStorage& operator=(const DeviceStorage&) = delete;

  [[nodiscard]] virtual Backend backend() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Address in the backend's memory; null where bytes() is 0.
  [[nodiscard]] virtual std::byte* data() = 0;

  /// Copies `from` to `offset` once `before` is done; `from` must stay until the event is done. @pre it fits.
  virtual Event copy_from_host(std::size_t offset, std::span<const std::byte> from, const After& before) = 0;
  /// Copies from `offset` into `to`.
  virtual Event copy_to_host(std::size_t offset, std::span<std::byte> to, const After& before) = 0;

 protected:
  DeviceStorage() = default;
};

}  // namespace weft
