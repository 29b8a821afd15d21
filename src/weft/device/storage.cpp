#include "weft/device/storage.hpp"

#include <algorithm>
#include <new>

#include "weft/base/contracts.hpp"
#include "weft/device/cuda/cuda_storage.hpp"

namespace weft {
namespace {

struct AlignedDelete {
  bool of_others = false;
  void operator()(std::byte* p) const {
    if (!of_others) ::operator delete(p, std::align_val_t{DeviceStorage::kAlignment});
  }
};

/// Storage of the backends `host` and `mirror`, both in host memory.
class HostStorage final : public DeviceStorage {
 public:
  HostStorage(Backend backend, std::size_t bytes) : backend_(backend), bytes_(bytes) {
    if (bytes > 0) memory_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{kAlignment})));
  }
  HostStorage(Backend backend, std::span<std::byte> of_others)
      : backend_(backend), bytes_(of_others.size()), memory_(of_others.data(), AlignedDelete{.of_others = true}) {}

  [[nodiscard]] Backend backend() const override { return backend_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] std::byte* data() override { return memory_.get(); }

  Event copy_from_host(std::size_t offset, std::span<const std::byte> from, const After& before) override {
    WEFT_EXPECTS(offset <= bytes_ && from.size() <= bytes_ - offset);
    before.wait();
    std::copy(from.begin(), from.end(), memory_.get() + offset);
    return {};
  }
  Event copy_to_host(std::size_t offset, std::span<std::byte> to, const After& before) override {
    WEFT_EXPECTS(offset <= bytes_ && to.size() <= bytes_ - offset);
    before.wait();
    std::copy_n(memory_.get() + offset, to.size(), to.begin());
    return {};
  }
  Event copy_from_host(std::size_t offset, std::span<const std::byte> from, Stream& stream) override {
    return copy_from_host(offset, from, after(stream));
  }
  Event copy_to_host(std::size_t offset, std::span<std::byte> to, Stream& stream) override {
    return copy_to_host(offset, to, after(stream));
  }

 private:
  Backend backend_;
  std::size_t bytes_;
  std::unique_ptr<std::byte, AlignedDelete> memory_;
};

}  // namespace

const char* to_string(Backend backend) {
  switch (backend) {
    case Backend::host:
      return "host";
    case Backend::mirror:
      return "mirror";
    case Backend::cuda:
      return "cuda";
    case Backend::cuda_managed:
      return "cuda_managed";
    case Backend::cuda_mapped:
      return "cuda_mapped";
  }
  return "unknown";
}

std::unique_ptr<DeviceStorage> DeviceStorage::make(Backend backend, std::size_t bytes) {
  using detail::CudaStorage;
  using detail::cuda::Memory;
  switch (backend) {
    case Backend::cuda:
      return std::make_unique<CudaStorage>(backend, Memory::device, bytes);
    case Backend::cuda_managed:
      return std::make_unique<CudaStorage>(backend, Memory::managed, bytes);
    case Backend::cuda_mapped:
      return std::make_unique<CudaStorage>(backend, Memory::mapped, bytes);
    default:
      return std::make_unique<HostStorage>(backend, bytes);
  }
}

std::unique_ptr<DeviceStorage> DeviceStorage::make(Stream& stream, std::size_t bytes) {
  if (stream.is_host()) return make(Backend::host, bytes);
  return std::make_unique<detail::CudaStorage>(stream, bytes);
}

std::unique_ptr<DeviceStorage> DeviceStorage::of_others(Backend backend, std::span<std::byte> memory) {
  WEFT_EXPECTS(backend == Backend::cuda || backend == Backend::mirror);
  if (backend == Backend::cuda) return std::make_unique<detail::CudaStorage>(memory);
  return std::make_unique<HostStorage>(backend, memory);
}

std::unique_ptr<DeviceStorage> DeviceStorage::make_host_side(Backend backend, std::size_t bytes) {
  if (sides_share_memory(backend)) return make(backend, bytes);
  if (backend == Backend::cuda) return std::make_unique<detail::CudaStorage>(Backend::host, detail::cuda::Memory::pinned, bytes);
  return make(Backend::host, bytes);
}

}  // namespace weft
