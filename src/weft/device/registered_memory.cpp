#include "weft/device/registered_memory.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/device/cuda/cuda_api.hpp"
#include "weft/device/device.hpp"

namespace weft {
namespace detail {
namespace {

/// The registered ranges of this process: the end of each by its start. Never destroyed: registrations may outlive other static
/// objects.
struct Ranges {
  std::mutex mutex;
  std::map<const std::byte*, const std::byte*, std::less<>> ends;
};
Ranges& ranges() {
  static auto& all = *new Ranges;
  return all;
}

/// Enters a range. @throws ContractError if it overlaps another one.
void enter(std::span<const std::byte> memory) {
  const std::byte* const first = memory.data();
  const std::byte* const last = first + memory.size();
  const std::lock_guard lock(ranges().mutex);
  auto& ends = ranges().ends;
  const auto next = ends.lower_bound(first);
  const bool overlaps_next = next != ends.end() && std::less<>()(next->first, last);
  const bool overlaps_previous = next != ends.begin() && std::less<>()(first, std::prev(next)->second);
  if (overlaps_next || overlaps_previous) {
    throw ContractError(
        fmt::format("{} bytes of host memory cannot be registered (they overlap memory that is registered)", memory.size()),
        "register memory once, and destroy its RegisteredMemory and the array that wraps it before it is freed");
  }
  ends.emplace(first, last);
}

void leave(std::span<const std::byte> memory) noexcept {
  const std::lock_guard lock(ranges().mutex);
  ranges().ends.erase(memory.data());
}

}  // namespace

Registration::Registration(std::span<std::byte> bytes) : memory(bytes) {
  if (memory.data() == nullptr || memory.empty()) {
    throw ContractError(fmt::format("host memory cannot be registered ({})",
                                    memory.data() == nullptr ? "its address is null" : "its length is zero"),
                        "register memory after it has been allocated, and only where there are elements");
  }
  enter(memory);
  if (device_count() == 0) return;
  try {
    cuda::register_host(memory.data(), memory.size());
    locked = true;
  } catch (...) {
    leave(memory);
    throw;
  }
}

Registration::~Registration() {
  if (locked) cuda::unregister_host(memory.data());
  leave(memory);
}

}  // namespace detail

RegisteredMemory::~RegisteredMemory() { mark_released(); }

RegisteredMemory& RegisteredMemory::operator=(RegisteredMemory&& other) noexcept {
  if (this != &other) {
    mark_released();
    state_ = std::move(other.state_);
  }
  return *this;
}

void RegisteredMemory::release() {
  if (wrapped()) {
    throw ContractError("registered memory cannot be released (an array wraps it)", "destroy the array first");
  }
  state_.reset();
}

std::shared_ptr<const detail::Registration> RegisteredMemory::wrap(std::size_t element_bytes, std::size_t alignment) const {
  if (state_ == nullptr) {
    throw ContractError("an array of memory that is not registered (it was released or moved)", "register the memory first");
  }
  if (wrapped()) {
    throw ContractError("two arrays of the same registered memory (each would track separately what is stale)",
                        "use one array and views of it, or destroy the first array");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(state_->memory.data());
  if (address % alignment != 0) {
    throw ContractError(
        fmt::format("registered memory does not start at a multiple of {} bytes, as the rows of the array must", alignment),
        "align the memory, or use an array with another element type or row alignment");
  }
  if (state_->memory.size() % element_bytes != 0) {
    throw ContractError(
        fmt::format("{} bytes of registered memory are not whole elements of {} bytes", state_->memory.size(), element_bytes));
  }
  return state_;
}

}  // namespace weft
