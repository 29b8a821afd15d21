#pragma once
/// Device arrays for tests, with guard entries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "weft/device/device_vector.hpp"

namespace weft::kernels::test {

/// An array in GPU memory that begins `shift` entries after an aligned address and has guard bytes on both sides.
template <class T>
class OnGpu {
 public:
  OnGpu(Stream& stream, const std::vector<T>& values, std::size_t shift = 0)
      : memory_(stream, values.size() + shift + 1), shift_(shift), size_(values.size()) {
    set_bytes(stream, memory_.data(), kGuard, memory_.size() * sizeof(T));
    copy_bytes(stream, memory_.data() + shift, values.data(), values.size() * sizeof(T));
    stream.wait();
  }
  [[nodiscard]] std::span<T> span() const { return {memory_.data() + shift_, size_}; }
  [[nodiscard]] std::span<const T> input() const { return span(); }
  [[nodiscard]] T* data() const { return span().data(); }
  /// Returns the entries after the preceding work of the stream, and checks that the guard bytes are unchanged.
  [[nodiscard]] std::vector<T> values(Stream& stream) const {
    std::vector<T> all(memory_.size());
    copy_bytes(stream, all.data(), memory_.data(), all.size() * sizeof(T));
    stream.wait();
    const auto* const bytes = reinterpret_cast<const unsigned char*>(all.data());
    const auto unchanged = [](unsigned char byte) { return byte == kGuard; };
    EXPECT_TRUE(std::all_of(bytes, bytes + shift_ * sizeof(T), unchanged));
    EXPECT_TRUE(std::all_of(bytes + (shift_ + size_) * sizeof(T), bytes + all.size() * sizeof(T), unchanged));
    return {all.begin() + static_cast<std::ptrdiff_t>(shift_), all.end() - 1};
  }

 private:
  static constexpr unsigned char kGuard = 0x5a;
  DeviceVector<T> memory_;
  std::size_t shift_, size_;
};

}  // namespace weft::kernels::test
