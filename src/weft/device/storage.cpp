#include "weft/device/storage.hpp"

#include <algorithm>
#include <new>

#include "weft/base/contracts.hpp"

namespace weft {
namespace {

struct AlignedDelete {
  void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{DeviceStorage::kAlignment}); }
};

/// Serves `host` and `mirror`: both are memory that the host can reach.
class HostStorage final : public DeviceStorage {
 public:
  HostStorage(Backend backend, std::size_t bytes) : backend_(backend), bytes_(bytes) {
    if (bytes > 0) memory_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{kAlignment})));
  }

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

 private:
  Backend backend_;
  std::size_t bytes_;
  std::unique_ptr<std::byte, AlignedDelete> memory_;
};

}  // namespace

const char* to_string(Backend backend) { return backend == Backend::host ? "host" : "mirror"; }

std::unique_ptr<DeviceStorage> DeviceStorage::make(Backend backend, std::size_t bytes) {
  return std::make_unique<HostStorage>(backend, bytes);
}

}  // namespace weft
