#pragma once
/// The untyped part of HostDeviceVector: two sides of bytes, and which bytes of each side are stale.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "weft/device/detail/interval_set.hpp"
#include "weft/device/storage.hpp"

namespace weft {

enum class Side : std::uint8_t { host, device };

namespace detail {

/// Offsets and counts are bytes. With Backend::host both sides are the same memory and nothing is ever stale.
class HostDeviceBytes {
 public:
  HostDeviceBytes(Backend backend, std::string name) : name_(std::move(name)), backend_(backend) {}
  HostDeviceBytes(const HostDeviceBytes& other);
  HostDeviceBytes(HostDeviceBytes&& other) noexcept;
  HostDeviceBytes& operator=(HostDeviceBytes other) noexcept;
  ~HostDeviceBytes() = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Backend backend() const { return backend_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  void resize(std::size_t size);

  [[nodiscard]] const std::byte* read(Side side, std::size_t first, std::size_t count) const {
    if (backend_ != Backend::host) expect_fresh(side, first, count);
    return address(side, first);
  }
  [[nodiscard]] std::byte* read_write(Side side, std::size_t first, std::size_t count) {
    if (backend_ != Backend::host) expect_fresh(side, first, count);
    return write(side, first, count);
  }
  [[nodiscard]] std::byte* write(Side side, std::size_t first, std::size_t count) {
    if (backend_ != Backend::host) mark_written(side, first, count);
    return address(side, first);
  }
  [[nodiscard]] bool fresh(Side side, std::size_t first, std::size_t count) const;

  Event to_device(const After& before, std::size_t first, std::size_t count);
  Event to_host(const After& before, std::size_t first, std::size_t count);

 private:
  [[nodiscard]] std::byte* address(Side side, std::size_t first) const {
    const auto& storage = side == Side::host || backend_ == Backend::host ? host_ : device_;
    return storage == nullptr ? nullptr : storage->data() + first;
  }
  void expect_fresh(Side side, std::size_t first, std::size_t count) const;
  void mark_written(Side side, std::size_t first, std::size_t count);
  void make_device();

  std::string name_;
  Backend backend_;
  std::size_t size_ = 0;
  std::unique_ptr<DeviceStorage> host_, device_;  ///< null until needed
  IntervalSet host_stale_, device_stale_;
};

}  // namespace detail
}  // namespace weft
