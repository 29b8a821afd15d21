#include "weft/device/host_device_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/cuda/cuda_api.hpp"
#include "weft/device/registered_memory.hpp"

namespace weft::detail {
namespace {

/// Host memory of others. It is copied only where the sides share it, so that a copy moves no data.
class BorrowedStorage final : public DeviceStorage {
 public:
  BorrowedStorage(Backend backend, std::span<std::byte> memory) : backend_(backend), memory_(memory) {}

  [[nodiscard]] Backend backend() const override { return backend_; }
  [[nodiscard]] std::size_t bytes() const override { return memory_.size(); }
  [[nodiscard]] std::byte* data() override { return memory_.data(); }

  Event copy_from_host(std::size_t offset, std::span<const std::byte> from, const After& before) override {
    expect_itself(offset, from);
    return before.event();
  }
  Event copy_to_host(std::size_t offset, std::span<std::byte> to, const After& before) override {
    expect_itself(offset, to);
    return before.event();
  }
  Event copy_from_host(std::size_t offset, std::span<const std::byte> from, Stream& stream) override {
    expect_itself(offset, from);
    return stream.record();
  }
  Event copy_to_host(std::size_t offset, std::span<std::byte> to, Stream& stream) override {
    expect_itself(offset, to);
    return stream.record();
  }

 private:
  void expect_itself([[maybe_unused]] std::size_t offset, [[maybe_unused]] std::span<const std::byte> bytes) const {
    WEFT_EXPECTS(bytes.data() == memory_.data() + offset);
  }

  Backend backend_;
  std::span<std::byte> memory_;
};

}  // namespace

HostDeviceBytes::HostDeviceBytes(Backend backend, std::string name, std::shared_ptr<const Registration> borrowed)
    : name_(std::move(name)), backend_(backend), size_(borrowed->memory.size()), borrowed_(std::move(borrowed)) {
  if (backend == Backend::cuda_managed) {
    throw ContractError(
        fmt::format("\"{}\": memory of others cannot be managed memory (the driver allocates that itself)", name_),
        "use Backend::cuda, or Backend::cuda_mapped for access without a copy");
  }
  if (backend == Backend::cuda_mapped) {
    cuda::require();
    if (!cuda::same_address_on_gpu(borrowed_->memory.data())) {
      throw DeviceError(fmt::format("\"{}\": the GPU accesses registered memory at another address than the host", name_),
                        "use Backend::cuda");
    }
  }
  host_ = std::make_unique<BorrowedStorage>(backend, borrowed_->memory);
  if (backend_ != Backend::host) device_stale_.add(0, size_);
}

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
      borrowed_(std::move(other.borrowed_)),
      borrowed_device_(std::exchange(other.borrowed_device_, false)),
      suspended_(std::exchange(other.suspended_, false)),
      host_stale_(std::exchange(other.host_stale_, {})),
      device_stale_(std::exchange(other.device_stale_, {})),
      pending_(std::exchange(other.pending_, {})) {}

HostDeviceBytes& HostDeviceBytes::operator=(HostDeviceBytes&& from) noexcept {
  HostDeviceBytes other(std::move(from));
  std::swap(name_, other.name_);
  std::swap(backend_, other.backend_);
  std::swap(size_, other.size_);
  std::swap(host_, other.host_);
  std::swap(device_, other.device_);
  std::swap(borrowed_, other.borrowed_);
  std::swap(borrowed_device_, other.borrowed_device_);
  std::swap(suspended_, other.suspended_);
  std::swap(host_stale_, other.host_stale_);
  std::swap(device_stale_, other.device_stale_);
  std::swap(pending_, other.pending_);
  return *this;
}

HostDeviceBytes::~HostDeviceBytes() {
  try {
    wait_for_copies(0, size_, true);
  } catch (const DeviceError&) {  // NOLINT(bugprone-empty-catch): the next wait for the GPU reports the error
  }
}

void HostDeviceBytes::resize(std::size_t size) {
  if (borrowed()) {
    if (size == size_) return;
    throw ContractError(fmt::format("\"{}\": an array of memory of others cannot be resized", name_),
                        "make a new array, or clone() this one");
  }
  const std::size_t remaining = std::min(size_, size);
  if (backend_ != Backend::host) {
    expect_fresh(Side::host, 0, remaining);
    wait_for_copies(0, size_, true);
  }
  if (size > (host_ == nullptr ? 0 : host_->bytes())) {
    auto larger = DeviceStorage::make_host_side(backend_, size);
    if (remaining > 0) std::copy_n(host_->data(), remaining, larger->data());
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

void HostDeviceBytes::make_on_device(std::size_t size, std::span<const std::byte> element) {
  WEFT_EXPECTS(size_ == 0 && size % element.size() == 0 && !sides_share_memory(backend_));
  if (size == 0) return;
  auto device = DeviceStorage::make(backend_, size);
  device->copy_from_host(0, element, After()).wait();
  Stream stream = Stream::for_backend(backend_);
  for (std::size_t filled = element.size(); filled < size; filled *= 2) {
    copy_bytes(stream, device->data() + filled, device->data(), std::min(filled, size - filled));
  }
  stream.wait();
  host_.reset();
  device_ = std::move(device);
  size_ = size;
  host_stale_.add(0, size_);
}

void HostDeviceBytes::use_on_device(std::span<std::byte> memory) {
  WEFT_EXPECTS(size_ == 0 && !sides_share_memory(backend_));
  device_ = DeviceStorage::of_others(backend_, memory);
  host_.reset();
  borrowed_device_ = true;
  size_ = memory.size();
  host_stale_.add(0, size_);
}

bool HostDeviceBytes::fresh(Side side, std::size_t first, std::size_t count) const {
  return !(side == Side::host ? host_stale_ : device_stale_).intersects(first, first + count);
}

namespace {
// During a capture no data is copied, so no copy is pending, and waiting is not allowed.
bool in_capture(const After& before) { return before.event().captured(); }
bool in_capture(const Stream& stream) { return stream.capturing(); }
}  // namespace

template <class Before>
Event HostDeviceBytes::copy_to_device(Before& before, std::size_t first, std::size_t count) {
  expect_tracked();
  const bool captured = in_capture(before);
  expect_available();
  if (!fresh(Side::host, first, count)) throw_stale(Side::host);
  if (!captured) wait_for_copies(first, first + count, false);
  make_device();
  DeviceStorage& device = sides_share_memory(backend_) ? *host_ : *device_;
  Event done = device.copy_from_host(first, {host_->data() + first, count}, before);
  device_stale_.remove(first, first + count);
  if (!captured) add_pending(done, first, count, false);
  return done;
}

template <class Before>
Event HostDeviceBytes::copy_to_host(Before& before, std::size_t first, std::size_t count) {
  expect_tracked();
  const bool captured = in_capture(before);
  expect_available();
  expect_fresh(Side::device, first, count);
  make_host(size_);
  if (!captured) wait_for_copies(first, first + count, true);
  DeviceStorage& device = sides_share_memory(backend_) ? *host_ : *device_;
  Event done = device.copy_to_host(first, {host_->data() + first, count}, before);
  host_stale_.remove(first, first + count);
  if (!captured) add_pending(done, first, count, true);
  return done;
}

Event HostDeviceBytes::to_device(const After& before, std::size_t first, std::size_t count) {
  WEFT_EXPECTS(first <= size_ && count <= size_ - first);
  if (backend_ == Backend::host || count == 0) return before.event();
  return copy_to_device(before, first, count);
}

Event HostDeviceBytes::to_host(const After& before, std::size_t first, std::size_t count) {
  WEFT_EXPECTS(first <= size_ && count <= size_ - first);
  if (backend_ == Backend::host || count == 0) return before.event();
  return copy_to_host(before, first, count);
}

Event HostDeviceBytes::to_device(Stream& stream, std::size_t first, std::size_t count) {
  WEFT_EXPECTS(first <= size_ && count <= size_ - first);
  if (backend_ == Backend::host || count == 0) return stream.record();
  return copy_to_device(stream, first, count);
}

Event HostDeviceBytes::to_host(Stream& stream, std::size_t first, std::size_t count) {
  WEFT_EXPECTS(first <= size_ && count <= size_ - first);
  if (backend_ == Backend::host || count == 0) return stream.record();
  return copy_to_host(stream, first, count);
}

Event HostDeviceBytes::bring(Side to, const After& before, std::size_t first, std::size_t count) {
  WEFT_EXPECTS(first <= size_ && count <= size_ - first);
  Event done = before.event();
  if (backend_ == Backend::host) return done;
  for (const auto [begin, end] : (to == Side::host ? host_stale_ : device_stale_).within(first, first + count)) {
    const After previous(done);
    done = to == Side::host ? copy_to_host(previous, begin, end - begin) : copy_to_device(previous, begin, end - begin);
  }
  return done;
}

void HostDeviceBytes::release_host() {
  if (sides_share_memory(backend_) || borrowed_ != nullptr) return;
  if (size_ > 0) expect_fresh(Side::device, 0, size_);
  wait_for_copies(0, size_, true);
  host_.reset();
  host_stale_.add(0, size_);
}

void HostDeviceBytes::suspend_tracking() {
  if (backend_ == Backend::host) return;
  make_device();
  wait_for_copies(0, size_, true);
  suspended_ = true;
}

Event HostDeviceBytes::copy_untracked(Side to, Stream& stream, std::size_t first, std::size_t count) {
  WEFT_EXPECTS(suspended_ && first <= size_ && count <= size_ - first);
  if (count == 0 || sides_share_memory(backend_)) return stream.record();
  std::byte* const on_host = host_->data() + first;
  return to == Side::device ? device_->copy_from_host(first, {on_host, count}, stream)
                            : device_->copy_to_host(first, {on_host, count}, stream);
}

void HostDeviceBytes::set_fresh(std::size_t first, std::size_t count, bool on_host, bool on_device) {
  WEFT_EXPECTS((on_host || on_device) && first <= size_ && count <= size_ - first);
  if (backend_ == Backend::host) return;
  const auto set = [&](IntervalSet& stale, bool is_fresh) {  // most often as before, which takes less time to find than to change
    if (is_fresh ? stale.intersects(first, first + count) : !stale.contains(first, first + count)) {
      is_fresh ? stale.remove(first, first + count) : stale.add(first, first + count);
    }
  };
  set(host_stale_, on_host);
  set(device_stale_, on_device);
}

void HostDeviceBytes::expect_tracked() const {
  if (!suspended_) return;
  throw ContractError(fmt::format("\"{}\": a copy between the sides while a plan of tasks is executed", name_),
                      "the plan copies what its tasks state that they read");
}

void HostDeviceBytes::expect_fresh(Side side, std::size_t first, std::size_t count) const {
  WEFT_EXPECTS(first <= size_ && count <= size_ - first);
  if (fresh(side, first, count)) {
    if (side == Side::host) wait_for_copies(first, first + count, false);
    return;
  }
  throw_stale(side);
}

void HostDeviceBytes::expect_registered() const {
  if (!borrowed_->released) return;
  throw ContractError(
      fmt::format("\"{}\": the host memory of the array was released (its RegisteredMemory was destroyed first)", name_),
      "keep the RegisteredMemory, and the memory, longer than the array");
}

void HostDeviceBytes::throw_stale(Side side) const {
  const bool host = side == Side::host;
  throw DeviceError(fmt::format("\"{}\": the {} side is stale (the {} side was written since it was last copied)", name_,
                                host ? "host" : "device", host ? "device" : "host"),
                    fmt::format("call {}() first", host ? "to_host" : "to_device"));
}

void HostDeviceBytes::mark_written(Side side, std::size_t first, std::size_t count) {
  WEFT_EXPECTS(first <= size_ && count <= size_ - first);
  if (side == Side::device) {
    make_device();
  } else {
    make_host(size_);
    wait_for_copies(first, first + count, true);
  }
  (side == Side::host ? host_stale_ : device_stale_).remove(first, first + count);
  (side == Side::host ? device_stale_ : host_stale_).add(first, first + count);
}

void HostDeviceBytes::make_host(std::size_t size) {
  if (host_ == nullptr && size > 0) host_ = DeviceStorage::make_host_side(backend_, device_ == nullptr ? size : device_->bytes());
}

void HostDeviceBytes::make_device() {
  if (device_ == nullptr && size_ > 0 && !sides_share_memory(backend_)) {
    device_ = DeviceStorage::make(backend_, host_ == nullptr ? size_ : host_->bytes());
  }
}

void HostDeviceBytes::add_pending(const Event& done, std::size_t first, std::size_t count, bool to_host) {
  std::erase_if(pending_, [](const Copy& copy) { return copy.done.done(); });
  if (!done.done()) pending_.push_back({.done = done, .first = first, .last = first + count, .to_host = to_host});
}

void HostDeviceBytes::wait_for_copies(std::size_t first, std::size_t last, bool also_from_host) const {
  if (pending_.empty() || first == last) return;
  std::erase_if(pending_, [&](const Copy& copy) {
    if (std::max(copy.first, first) >= std::min(copy.last, last) || !(copy.to_host || also_from_host)) return false;
    copy.done.wait();
    return true;
  });
}

}  // namespace weft::detail
