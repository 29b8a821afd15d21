#pragma once
/// A vector with a host copy and a device copy.
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/host_device_bytes.hpp"
#include "weft/device/registered_memory.hpp"

namespace weft {

/// A vector of trivially copyable elements with a host side and a device side. The class tracks which elements of each side are
/// up to date (fresh): elements written on one side are stale on the other until they are copied, and reading a stale element
/// throws. With Backend::host both sides share one memory, and nothing is tracked or copied. With Backend::cuda_managed and
/// cuda_mapped the sides share one memory as well; a copy then only transfers the right of access, and its event must be waited
/// for before the other side accesses the elements.
///
///     HostDeviceVector<double> x(1000, Backend::mirror, "x");
///     x[3] = 2.0;                                        // the device side is stale
///     x.to_device(stream);                               // both sides are fresh
///     kernel(stream, x.read_write(Side::device));        // the host side is stale
///     x.data();                                          // throws DeviceError: "x": the host side is stale ...
///     x.to_host(stream);  x.data();                      // waits for the copy
///
/// Write access is recorded when the span or pointer is requested, not when elements are written: request it again after a copy.
/// Addresses remain valid until resize() or assignment, and are multiples of DeviceStorage::kAlignment. Access to host elements
/// with a pending copy waits for that copy. The caller orders accesses to the device side by streams and events. The class is not
/// thread-safe.
template <class T>
class HostDeviceVector {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(alignof(T) <= DeviceStorage::kAlignment);

 public:
  using value_type = T;

  HostDeviceVector() : HostDeviceVector(0) {}
  /// Creates `size` elements T{}. @param name  of the vector, for error messages. @param first  the side that is allocated and
  /// fresh; the other one is stale, and is allocated when it is first accessed.
  explicit HostDeviceVector(std::size_t size, Backend backend = Backend::host, std::string name = "array",
                            Side first = Side::host)
      : bytes_(backend, std::move(name)) {
    if (first == Side::host || sides_share_memory(backend)) {
      resize(size);
      if (first == Side::device) (void)write(Side::device);
    } else {
      const T element{};
      bytes_.make_on_device(detail::bytes_of<T>(size), std::as_bytes(std::span(&element, 1)));
    }
  }
  /// Uses registered memory of others as the host side, with its values. The vector cannot be resized.
  /// @throws ContractError if another vector wraps the memory, if it does not hold whole elements T at a multiple of `alignment`
  /// bytes, or with Backend::cuda_managed; DeviceError with Backend::cuda_mapped where there is no GPU.
  HostDeviceVector(const RegisteredMemory& memory, Backend backend, std::string name = "array",
                   std::size_t alignment = alignof(T))
      : bytes_(backend, std::move(name), memory.wrap(sizeof(T), alignment)) {}
  /// Uses memory of others as the device side, with its values: of the current GPU with Backend::cuda, of the host with
  /// Backend::mirror. It must be neither freed nor moved before the vector is destroyed. The host side is stale, and is allocated
  /// when it is first accessed. The vector cannot be resized.
  HostDeviceVector(std::span<T> on_device, Backend backend, std::string name = "array") : bytes_(backend, std::move(name)) {
    bytes_.use_on_device(std::as_writable_bytes(on_device));
  }
  // The copy constructor and assignment read the host side (DeviceError where it is stale); the device side of the copy is stale.

  [[nodiscard]] std::size_t size() const { return bytes_.size() / sizeof(T); }
  [[nodiscard]] bool empty() const { return bytes_.size() == 0; }
  [[nodiscard]] Backend backend() const { return bytes_.backend(); }
  [[nodiscard]] const std::string& name() const { return bytes_.name(); }
  void set_name(std::string name) { bytes_.set_name(std::move(name)); }

  /// Changes the number of elements; new elements are T{}. The device side is stale afterwards. Capacity never decreases.
  /// @throws DeviceError where the host side of a remaining element is stale; ContractError where the host side is memory of
  /// others; std::bad_alloc.
  void resize(std::size_t size) {
    const std::size_t before = this->size();
    bytes_.resize(detail::bytes_of<T>(size));
    if (size > before) std::uninitialized_value_construct_n(data() + before, size - before);
  }
  /// Resizes as above; the threads of the team initialise the new elements, one contiguous share each, and touch them first.
  void resize(std::size_t size, Team& team) {
    const std::size_t before = this->size();
    bytes_.resize(detail::bytes_of<T>(size));
    if (size <= before) return;
    T* const added = data() + before;
    for_shares(team, static_cast<std::int64_t>(size - before),
               [&](LoopShare share) { std::uninitialized_value_construct_n(added + share.begin, share.end - share.begin); });
  }

  // Access to all elements of one side or to `count` elements from `first`. With Backend::host, Side::device is host memory.
  /// Returns elements for reading. @throws DeviceError where an element is stale on this side.
  [[nodiscard]] std::span<const T> read(Side side) const { return read(side, 0, size()); }
  [[nodiscard]] std::span<const T> read(Side side, std::size_t first, std::size_t count) const {
    return {reinterpret_cast<const T*>(bytes_.read(side, first * sizeof(T), count * sizeof(T))), count};
  }
  /// Returns elements for reading and writing, and marks them as stale on the other side.
  /// @throws DeviceError where an element is stale on this side.
  [[nodiscard]] std::span<T> read_write(Side side) { return read_write(side, 0, size()); }
  [[nodiscard]] std::span<T> read_write(Side side, std::size_t first, std::size_t count) {
    return {reinterpret_cast<T*>(bytes_.read_write(side, first * sizeof(T), count * sizeof(T))), count};
  }
  /// Returns elements that the caller overwrites entirely: they may be stale on this side, and become stale on the other.
  [[nodiscard]] std::span<T> write(Side side) { return write(side, 0, size()); }
  [[nodiscard]] std::span<T> write(Side side, std::size_t first, std::size_t count) {
    return {reinterpret_cast<T*>(bytes_.write(side, first * sizeof(T), count * sizeof(T))), count};
  }

  // Access to the host side as in std::vector: read() on a const object, read_write() otherwise; operator[] accesses one element.
  [[nodiscard]] const T* data() const { return read(Side::host).data(); }
  [[nodiscard]] T* data() { return read_write(Side::host).data(); }
  [[nodiscard]] std::span<const T> span() const { return read(Side::host); }
  [[nodiscard]] std::span<T> span() { return read_write(Side::host); }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    WEFT_EXPECTS(i < size());
    return *read(Side::host, i, 1).data();
  }
  [[nodiscard]] T& operator[](std::size_t i) {
    WEFT_EXPECTS(i < size());
    return *read_write(Side::host, i, 1).data();
  }

  /// Returns true if the side has memory, or needs none because the vector has no elements.
  [[nodiscard]] bool allocated(Side side) const { return bytes_.allocated(side); }
  /// Returns true if no element is stale on this side.
  [[nodiscard]] bool fresh(Side side) const { return fresh(side, 0, size()); }
  [[nodiscard]] bool fresh(Side side, std::size_t first, std::size_t count) const {
    return bytes_.fresh(side, first * sizeof(T), count * sizeof(T));
  }

  /// Starts a copy to the other side after `before`, on a copy stream of its own; no operation with Backend::host. The elements
  /// are fresh on both sides once the returned event has completed. @throws DeviceError where an element to be copied is stale.
  Event to_device(const After& before) { return to_device(before, 0, size()); }
  Event to_device(const After& before, std::size_t first, std::size_t count) {
    return bytes_.to_device(before, first * sizeof(T), count * sizeof(T));
  }
  Event to_host(const After& before) { return to_host(before, 0, size()); }
  Event to_host(const After& before, std::size_t first, std::size_t count) {
    return bytes_.to_host(before, first * sizeof(T), count * sizeof(T));
  }
  // Copies in stream order. If they are captured in a Graph, each launch repeats the copies, but the freshness is that recorded
  // during the capture.
  Event to_device(Stream& stream) { return to_device(stream, 0, size()); }
  Event to_device(Stream& stream, std::size_t first, std::size_t count) {
    return bytes_.to_device(stream, first * sizeof(T), count * sizeof(T));
  }
  Event to_host(Stream& stream) { return to_host(stream, 0, size()); }
  Event to_host(Stream& stream, std::size_t first, std::size_t count) {
    return bytes_.to_host(stream, first * sizeof(T), count * sizeof(T));
  }

  /// Starts copies of those of these elements that are stale on side `to`; others keep their values there. Returns the event of
  /// the last copy, or that of `before` if there is none. No effect with Backend::host. @throws DeviceError where an element is
  /// stale on both sides; copies of intervals before it have been started then, and the stream is to be waited for.
  Event bring(Side to, const After& before, std::size_t first, std::size_t count) {
    return bytes_.bring(to, before, first * sizeof(T), count * sizeof(T));
  }

  /// Returns true if a side is memory of others.
  [[nodiscard]] bool borrowed() const { return bytes_.borrowed(); }
  /// Returns true if the device side is memory of others.
  [[nodiscard]] bool borrowed_device() const { return bytes_.borrowed_device(); }
  /// Checks the host side. @throws ContractError if it is memory of others whose registration has ended.
  void expect_available() const { bytes_.expect_available(); }

  /// Frees the memory of the host side, which is stale afterwards and is allocated again on the next access. No operation where
  /// the sides share memory or the host side is memory of others. @throws DeviceError where an element is stale on the device
  /// side.
  void release_host() { bytes_.release_host(); }

  // For a scheduler that knows statically which side is fresh and orders all accesses, such as a plan of tasks
  // (weft::task::Plan).
  /// Ends the tracking until resume_tracking(): access to both sides is unchecked, marks nothing and waits for nothing, so that
  /// several threads may access different elements; to_device() and to_host() throw ContractError. The device side has memory
  /// afterwards. No effect with Backend::host.
  void suspend_tracking() { bytes_.suspend_tracking(); }
  /// Continues the tracking with the freshness that elements had before, or that set_fresh() states.
  void resume_tracking() { bytes_.resume_tracking(); }
  /// Copies elements to one side in stream order. @pre the tracking is suspended, and both sides have memory.
  Event copy_untracked(Side to, Stream& stream, std::size_t first, std::size_t count) {
    return bytes_.copy_untracked(to, stream, first * sizeof(T), count * sizeof(T));
  }
  /// States on which sides elements are fresh. @pre on one side at least.
  void set_fresh(std::size_t first, std::size_t count, bool on_host, bool on_device) {
    bytes_.set_fresh(first * sizeof(T), count * sizeof(T), on_host, on_device);
  }
  /// Returns false for Backend::host and while the tracking is suspended.
  [[nodiscard]] bool is_tracked() const { return bytes_.is_tracked(); }

 private:
  detail::HostDeviceBytes bytes_;
};

}  // namespace weft
