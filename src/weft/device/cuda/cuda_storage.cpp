#include "weft/device/cuda/cuda_storage.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "weft/base/contracts.hpp"

namespace weft::detail {

CudaStorage::CudaStorage(Backend backend, cuda::Memory kind, std::size_t bytes)
    : backend_(backend), kind_(kind), bytes_(bytes), device_(cuda::current_device()) {
  if (bytes > 0) memory_ = {static_cast<std::byte*>(cuda::allocate(kind, bytes)), CudaRelease{kind}};
}

CudaStorage::CudaStorage(Stream& stream, std::size_t bytes)
    : backend_(Backend::cuda), kind_(cuda::Memory::device), bytes_(bytes), device_(stream.device()) {
  if (bytes > 0) {
    memory_ = {static_cast<std::byte*>(cuda::allocate_in(stream.handle(), bytes)), CudaRelease{kind_, stream.handle()}};
  }
}

CudaStorage::CudaStorage(std::span<std::byte> of_others)
    : backend_(Backend::cuda),
      kind_(cuda::Memory::device),
      bytes_(of_others.size()),
      device_(cuda::current_device()),
      memory_(of_others.data(), CudaRelease{.kind = kind_, .stream = nullptr, .of_others = true}) {}

void CudaStorage::expect_fits([[maybe_unused]] std::size_t offset, [[maybe_unused]] std::size_t count) const {
  WEFT_EXPECTS(offset <= bytes_ && count <= bytes_ - offset);
}

/// Returns the copy stream of this GPU and direction; each direction has its own copy engine. The streams are never destroyed,
/// because CUDA may be unloaded first.
Stream& CudaStorage::copy_stream(bool to_host) const {
  static std::mutex mutex;
  static auto* const streams = new std::map<std::pair<int, bool>, Stream>;
  const std::lock_guard lock(mutex);
  const std::pair key(device_, to_host);
  auto found = streams->find(key);
  if (found == streams->end()) {
    const int before = cuda::current_device();
    cuda::set_device(device_);
    found = streams->emplace(key, Stream()).first;
    cuda::set_device(before);
  }
  return found->second;
}

Event CudaStorage::copy_from_host(std::size_t offset, std::span<const std::byte> from, const After& before) {
  expect_fits(offset, from.size());
  if (kind_ == cuda::Memory::mapped && from.data() == data() + offset) return before.event();
  Stream& stream = copy_stream(false);
  stream.wait_for(before);
  return copy_from_host(offset, from, stream);
}

Event CudaStorage::copy_to_host(std::size_t offset, std::span<std::byte> to, const After& before) {
  expect_fits(offset, to.size());
  if (kind_ == cuda::Memory::mapped && to.data() == data() + offset) return before.event();
  Stream& stream = copy_stream(true);
  stream.wait_for(before);
  return copy_to_host(offset, to, stream);
}

Event CudaStorage::copy_from_host(std::size_t offset, std::span<const std::byte> from, Stream& stream) {
  expect_fits(offset, from.size());
  WEFT_EXPECTS(!stream.is_host());
  if (from.empty()) return stream.record();
  if (from.data() != data() + offset) {
    cuda::copy(stream.handle(), data() + offset, from.data(), from.size());
  } else if (kind_ == cuda::Memory::managed && !stream.capturing()) {
    cuda::prefetch(stream.handle(), data() + offset, from.size(), false);
  }
  return stream.record();
}

Event CudaStorage::copy_to_host(std::size_t offset, std::span<std::byte> to, Stream& stream) {
  expect_fits(offset, to.size());
  WEFT_EXPECTS(!stream.is_host());
  if (to.empty()) return stream.record();
  if (to.data() != data() + offset) {
    cuda::copy(stream.handle(), to.data(), data() + offset, to.size());
  } else if (kind_ == cuda::Memory::managed && !stream.capturing()) {
    cuda::prefetch(stream.handle(), data() + offset, to.size(), true);
  }
  return stream.record();
}

}  // namespace weft::detail
