#pragma once
/// The untyped part of HostDeviceVector: two sides of bytes and the stale bytes of each side.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/device/interval_set.hpp"
#include "weft/device/storage.hpp"

namespace weft {

/// One of the two copies of an array.
enum class Side : std::uint8_t { host, device };

namespace detail {

struct Registration;

/// Two sides of bytes with freshness. Offsets and counts are in bytes. With Backend::host both sides are the same memory and are
/// never stale. Where the sides of a CUDA backend share their memory, host_ is that memory, and freshness determines which side
/// may access it. The host side may be registered memory of others, which is neither replaced nor freed.
class HostDeviceBytes {
 public:
  HostDeviceBytes(Backend backend, std::string name) : name_(std::move(name)), backend_(backend) {}
  /// Uses registered memory as the host side. @throws ContractError with Backend::cuda_managed; DeviceError with
  /// Backend::cuda_mapped where the GPU cannot access it.
  HostDeviceBytes(Backend backend, std::string name, std::shared_ptr<const Registration> borrowed);
  HostDeviceBytes(const HostDeviceBytes& other);
  HostDeviceBytes(HostDeviceBytes&& other) noexcept;
  HostDeviceBytes& operator=(const HostDeviceBytes& other) { return *this = HostDeviceBytes(other); }
  HostDeviceBytes& operator=(HostDeviceBytes&& from) noexcept;
  ~HostDeviceBytes();

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Backend backend() const { return backend_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  /// Changes the number of bytes. @throws ContractError where the host side is memory of others.
  void resize(std::size_t size);
  /// Allocates the device side alone, filled with copies of `element`; the host side is stale and without memory.
  /// @pre size() is 0, `size` is a multiple of element.size(), and the sides do not share memory.
  void make_on_device(std::size_t size, std::span<const std::byte> element);
  /// Uses memory of others, which outlives the object, as the device side; the host side is stale and without memory.
  /// @pre size() is 0, and the backend is mirror, or cuda with memory of the current GPU.
  void use_on_device(std::span<std::byte> memory);
  /// Returns true if a side is memory of others.
  [[nodiscard]] bool borrowed() const { return borrowed_ != nullptr || borrowed_device_; }
  [[nodiscard]] bool borrowed_device() const { return borrowed_device_; }
  /// Checks the host side. @throws ContractError if it is memory of others whose registration has ended.
  void expect_available() const {
    if (borrowed_ != nullptr) expect_registered();
  }

  [[nodiscard]] const std::byte* read(Side side, std::size_t first, std::size_t count) const {
    if (count > 0) expect_available(side);
    if (is_tracked()) expect_fresh(side, first, count);
    return address(side, first);
  }
  [[nodiscard]] std::byte* read_write(Side side, std::size_t first, std::size_t count) {
    if (is_tracked()) expect_fresh(side, first, count);
    return write(side, first, count);
  }
  [[nodiscard]] std::byte* write(Side side, std::size_t first, std::size_t count) {
    if (count > 0) expect_available(side);
    if (is_tracked()) mark_written(side, first, count);
    return address(side, first);
  }
  [[nodiscard]] bool allocated(Side side) const { return size_ == 0 || address(side, 0) != nullptr; }
  [[nodiscard]] bool fresh(Side side, std::size_t first, std::size_t count) const;

  Event to_device(const After& before, std::size_t first, std::size_t count);
  Event to_host(const After& before, std::size_t first, std::size_t count);
  Event to_device(Stream& stream, std::size_t first, std::size_t count);
  Event to_host(Stream& stream, std::size_t first, std::size_t count);
  Event bring(Side to, const After& before, std::size_t first, std::size_t count);
  void release_host();

  // For a scheduler that knows which side is fresh (HostDeviceVector describes them).
  void suspend_tracking();
  void resume_tracking() { suspended_ = false; }
  [[nodiscard]] bool is_tracked() const { return backend_ != Backend::host && !suspended_; }
  Event copy_untracked(Side to, Stream& stream, std::size_t first, std::size_t count);
  void set_fresh(std::size_t first, std::size_t count, bool on_host, bool on_device);

 private:
  /// A copy between the sides that may be pending.
  struct Copy {
    Event done;
    std::size_t first, last;
    bool to_host;
  };

  [[nodiscard]] std::byte* address(Side side, std::size_t first) const {
    const auto& storage = side == Side::host || sides_share_memory(backend_) ? host_ : device_;
    return storage == nullptr ? nullptr : storage->data() + first;
  }
  void expect_available(Side side) const {
    if (borrowed_ != nullptr && (side == Side::host || sides_share_memory(backend_))) expect_registered();
  }
  void expect_registered() const;
  void expect_fresh(Side side, std::size_t first, std::size_t count) const;
  [[noreturn]] void throw_stale(Side side) const;
  void expect_tracked() const;
  void mark_written(Side side, std::size_t first, std::size_t count);
  void make_host(std::size_t size);
  void make_device();
  template <class Before>
  Event copy_to_device(Before& before, std::size_t first, std::size_t count);
  template <class Before>
  Event copy_to_host(Before& before, std::size_t first, std::size_t count);
  void add_pending(const Event& done, std::size_t first, std::size_t count, bool to_host);
  void wait_for_copies(std::size_t first, std::size_t last, bool also_from_host) const;

  std::string name_;
  Backend backend_;
  std::size_t size_ = 0;
  std::unique_ptr<DeviceStorage> host_, device_;  ///< null until the first access
  std::shared_ptr<const Registration> borrowed_;  ///< registration of the host side, where that is memory of others
  bool borrowed_device_ = false;                  ///< the device side is memory of others
  bool suspended_ = false;                        ///< a scheduler tracks which side is fresh
  IntervalSet host_stale_, device_stale_;
  mutable std::vector<Copy> pending_;  ///< copies that accesses to the same bytes of the host side must wait for
};

}  // namespace detail
}  // namespace weft
