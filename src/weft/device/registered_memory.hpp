#pragma once
/// Page-locked host memory that others have allocated.
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace weft {

namespace detail {

/// A page-locked range of memory. It is shared by the RegisteredMemory and the vector that wraps the memory, and ends with the
/// last of them, so that no copy of that vector reads pages that are no longer locked.
struct Registration {
  std::span<std::byte> memory;
  bool locked = false;    ///< by CUDA; false where there is no GPU
  bool released = false;  ///< the RegisteredMemory no longer exists, so that the memory may have been freed

  /// Checks and page-locks the memory. @throws as RegisteredMemory.
  explicit Registration(std::span<std::byte> bytes);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
};

}  // namespace detail

/// Host memory of others, such as a std::vector or the buffer of a numpy array, page-locked for the lifetime of the object:
/// copies between it and a GPU are then asynchronous, and kernels can access it (Backend::cuda_mapped). Where there is no GPU,
/// the memory is only checked. An Array or HostDeviceVector constructed from the object uses the memory as its host side without
/// a copy:
///
///     std::vector<double> states(5 * rows);                          // or memory from another library
///     RegisteredMemory memory{std::span(states)};
///     Array<double, 5> q(memory, Layout::aos, Backend::cuda);        // `rows` rows; q(0, 0) is states[0]
///     q.to_device(After()).wait();
///
/// One array at a time can wrap the memory, because each array tracks which of its elements are stale. The memory must be neither
/// freed nor moved before the object is destroyed, and the object must outlive the array: afterwards each access to the host side
/// of the array throws ContractError.
/// @cost page-locks each page of the memory: register once and reuse.
class RegisteredMemory {
 public:
  /// Registers `memory`.
  /// @throws ContractError if the memory is null or empty, or overlaps other registered memory; DeviceError where CUDA cannot
  /// page-lock it.
  explicit RegisteredMemory(std::span<std::byte> memory) : state_(std::make_shared<detail::Registration>(memory)) {}
  template <class T, std::size_t N>
    requires(std::is_trivially_copyable_v<T> && !std::is_const_v<T> && !std::is_same_v<T, std::byte>)
  explicit RegisteredMemory(std::span<T, N> memory) : RegisteredMemory(std::span<std::byte>(std::as_writable_bytes(memory))) {}
  ~RegisteredMemory();
  RegisteredMemory(RegisteredMemory&&) noexcept = default;
  RegisteredMemory& operator=(RegisteredMemory&& other) noexcept;
  RegisteredMemory(const RegisteredMemory&) = delete;
  RegisteredMemory& operator=(const RegisteredMemory&) = delete;

  /// Returns the memory; empty after release() or a move.
  [[nodiscard]] std::span<std::byte> bytes() const { return state_ == nullptr ? std::span<std::byte>() : state_->memory; }
  /// Returns true while an array wraps the memory.
  [[nodiscard]] bool wrapped() const { return state_ != nullptr && state_.use_count() > 1; }
  /// Ends the registration, after which the memory may be freed. @throws ContractError while an array wraps the memory.
  void release();

  /// Returns the registration for an array that wraps the memory as elements of this size and alignment in bytes.
  /// @throws ContractError if another array wraps it, after release(), or if the memory is not aligned or does not hold whole
  /// elements.
  [[nodiscard]] std::shared_ptr<const detail::Registration> wrap(std::size_t element_bytes, std::size_t alignment) const;

 private:
  void mark_released() noexcept {
    if (state_ != nullptr) state_->released = true;
  }
  std::shared_ptr<detail::Registration> state_;
};

}  // namespace weft
