#pragma once
/// Copies of long lists in ordinary host memory to a GPU by several threads.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/team.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/device_vector.hpp"

namespace weft {

/// Copies lists of the host to a device, one piece after the other: the threads of the team write a piece into page-locked
/// memory, converted to the type of the device, while the GPU fetches the previous one. cudaMemcpyAsync() from memory that is not
/// page-locked does this with one thread.
///
///     TeamUpload upload(team);
///     upload.put(a, std::span<const double>(values));   // DeviceVector<double> or DeviceVector<float>
///     upload.finish();
///
/// With Backend::host and Backend::mirror the copies are those between memories of the host. No communication; for one thread.
/// @cost  two page-locked buffers of kPiece bytes, and a copy of the values by the threads.
class TeamUpload {
 public:
  static constexpr std::size_t kPiece = std::size_t{16} << 20;

  /// @param team  must outlive the object. @throws DeviceError, std::bad_alloc where page-locked memory is exhausted.
  explicit TeamUpload(Team& team) : team_(team) {}
  TeamUpload(const TeamUpload&) = delete;
  TeamUpload& operator=(const TeamUpload&) = delete;
  ~TeamUpload() {
    try {
      finish();
    } catch (...) {  // an error of the device remains with it, and the next call that waits reports it
    }
  }

  /// Starts the copy of `values`, converted to T, to the first elements of `to`. The values may be changed or freed afterwards.
  /// @pre values.size() <= to.size(), and no work on these elements is pending. @throws DeviceError for errors of the device.
  template <class T, class From>
  void put(DeviceVector<T>& to, std::span<const From> values) {
    static_assert(std::is_same_v<T, From> || (std::is_arithmetic_v<T> && std::is_arithmetic_v<From>));
    constexpr std::size_t kElements = kPiece / sizeof(T);
    for (std::size_t first = 0; first < values.size(); first += kElements) {
      const std::span<const From> piece = values.subspan(first, std::min(kElements, values.size() - first));
      Buffer& buffer = buffers_[next_];
      next_ = (next_ + 1) % buffers_.size();
      buffer.fetched.wait();
      if (buffer.memory.size() == 0) buffer.memory = PinnedBuffer<std::byte>(kPiece);
      T* const converted = reinterpret_cast<T*>(buffer.memory.data());
      for_shares(team_, std::ssize(piece), [&](LoopShare share) {
        std::transform(piece.begin() + share.begin, piece.begin() + share.end, converted + share.begin,
                       [](const From& value) { return static_cast<T>(value); });
      });
      buffer.fetched = to.copy_from_host(first, std::span<const T>(converted, piece.size()), After());
    }
  }

  /// Waits for all copies. @throws DeviceError for errors of the device.
  void finish() {
    for (const Buffer& buffer : buffers_) buffer.fetched.wait();
  }

 private:
  struct Buffer {
    PinnedBuffer<std::byte> memory;
    Event fetched;  ///< the device has read the memory
  };

  Team& team_;
  std::array<Buffer, 2> buffers_;
  std::size_t next_ = 0;
};

}  // namespace weft
