#pragma once
/// DeviceStorage in memory allocated by CUDA.
#include "weft/device/cuda/cuda_api.hpp"
#include "weft/device/storage.hpp"

namespace weft::detail {

/// Deleter for memory from cuda::allocate(), or with a stream from cuda::allocate_in().
struct CudaRelease {
  cuda::Memory kind = cuda::Memory::device;
  void* stream = nullptr;
  bool of_others = false;
  void operator()(std::byte* memory) const {
    if (of_others) return;
    if (stream != nullptr) {
      cuda::release_in(stream, memory);
    } else {
      cuda::release(kind, memory);
    }
  }
};

/// Storage of the backends cuda, cuda_managed and cuda_mapped, and of page-locked host sides.
class CudaStorage final : public DeviceStorage {
 public:
  CudaStorage(Backend backend, cuda::Memory kind, std::size_t bytes);
  /// Allocates from the memory pool of the stream's GPU, in stream order.
  CudaStorage(Stream& stream, std::size_t bytes);
  /// Refers to memory of others on the current GPU.
  explicit CudaStorage(std::span<std::byte> of_others);

  [[nodiscard]] Backend backend() const override { return backend_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] std::byte* data() override { return memory_.get(); }

  Event copy_from_host(std::size_t offset, std::span<const std::byte> from, const After& before) override;
  Event copy_to_host(std::size_t offset, std::span<std::byte> to, const After& before) override;
  Event copy_from_host(std::size_t offset, std::span<const std::byte> from, Stream& stream) override;
  Event copy_to_host(std::size_t offset, std::span<std::byte> to, Stream& stream) override;

 private:
  void expect_fits(std::size_t offset, std::size_t count) const;
  Stream& copy_stream(bool to_host) const;

  Backend backend_;
  cuda::Memory kind_;
  std::size_t bytes_;
  int device_;
  std::unique_ptr<std::byte, CudaRelease> memory_;
};

}  // namespace weft::detail
