#include "weft/device/detail/host_device_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"

namespace weft::detail {

HostDeviceBytes::HostDeviceBytes(const HostDeviceBytes& other) : HostDeviceBytes(other.backend_, other.name_) {
  resize(other.size_);
  const std::byte* const from = other.read(Side::host, 0, size_);
  if (size_ > 0) std::copy_n(from, size_, host_->data());
}

HostDeviceBytes::HostDeviceBytes(HostDeviceBytes&& other) noexcept
    : name_(std::move(other.name_)),
      backend_(other.backend_),
      size_(std::exchange(other.size_, 0)),
      host_(std::move(other.host_)),
      device_(std::move(other.device_)),
      host_stale_(std::exchange(other.host_stale_, {})),
      device_stale_(std::exchange(other.device_stale_, {})) {}

HostDeviceBytes& HostDeviceBytes::operator=(HostDeviceBytes other) noexcept {
  std::swap(name_, other.name_);
  std::swap(backend_, other.backend_);
  std::swap(size_, other.size_);
  std::swap(host_, other.host_);
  std::swap(device_, other.device_);
  std::swap(host_stale_, other.host_stale_);
  std::swap(device_stale_, other.device_stale_);
  return *this;
}

void HostDeviceBytes::resize(std::size_t size) {
  const std::size_t kept = std::min(size_, size);
  if (backend_ != Backend::host) expect_fresh(Side::host, 0, kept);
  if (size > (host_ == nullptr ? 0 : host_->bytes())) {
    auto larger = DeviceStorage::make(Backend::host, size);
    if (kept > 0) std::copy_n(host_->data(), kept, larger->data());
    host_ = std::move(larger);
    device_.reset();
  }
  size_ = size;
  if (backend_ != Backend::host) {
    host_stale_ = {};
    device_stale_ = {};
    device_stale_.add(0, size_);
  }
}

bool HostDeviceBytes::fresh(Side side, std::size_t first, std::size_t count) const {
  return !(side == Side::host ? host_stale_ : device_stale_).intersects(first, first + count);
}

Event HostDeviceBytes::to_device(const After& before, std::size_t first, std::size_t count) {
  WEFT_EXPECTS(first <= size_ && count <= size_ - first);
  if (backend_ == Backend::host || count == 0) return before.event();
  expect_fresh(Side::host, first, count);
  make_device();
  device_stale_.remove(first, first + count);
  return device_->copy_from_host(first, {host_->data() + first, count}, before);
}

Event HostDeviceBytes::to_host(const After& before, std::size_t first, std::size_t count) {
  WEFT_EXPECTS(first <= size_ && count <= size_ - first);
  if (backend_ == Backend::host || count == 0) return before.event();
  expect_fresh(Side::device, first, count);
  host_stale_.remove(first, first + count);
  return device_->copy_to_host(first, {host_->data() + first, count}, before);
}

void HostDeviceBytes::expect_fresh(Side side, std::size_t first, std::size_t count) const {
  WEFT_EXPECTS(first <= size_ && count <= size_ - first);
  if (fresh(side, first, count)) return;
  const bool host = side == Side::host;
  throw DeviceError(fmt::format("\"{}\": the {} side is stale: the {} side was written since it was last copied", name_,
                                host ? "host" : "device", host ? "device" : "host"),
                    fmt::format("call {}() first", host ? "to_host" : "to_device"));
}

void HostDeviceBytes::mark_written(Side side, std::size_t first, std::size_t count) {
  WEFT_EXPECTS(first <= size_ && count <= size_ - first);
  if (side == Side::device) make_device();
  (side == Side::host ? host_stale_ : device_stale_).remove(first, first + count);
  (side == Side::host ? device_stale_ : host_stale_).add(first, first + count);
}

void HostDeviceBytes::make_device() {
  if (device_ == nullptr && size_ > 0) device_ = DeviceStorage::make(backend_, host_->bytes());
}

}  // namespace weft::detail
