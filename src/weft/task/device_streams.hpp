#pragma once
/// The streams in which a plan executes its work on a device.
#include <array>
#include <cstdint>

#include "weft/device/stream.hpp"
#include "weft/task/schedule.hpp"

namespace weft::task {

/// Numbers of the streams. kUrgent has urgent tasks, those that communication waits for, and exchanges, with high priority.
inline constexpr std::uint8_t kMain = 0, kUrgent = 1, kToHost = 2, kToDevice = 3, kAside = 4, kStreams = 5;
inline constexpr std::array<const char*, kStreams> kStreamNames{"stream of tasks", "stream of urgent tasks and exchanges",
                                                                "stream of copies to the host", "stream of copies to the device",
                                                                "stream of tasks aside"};

/// Returns the priority of a stream on a GPU: border rows and exchanges are not to wait for kernels of inner rows.
[[nodiscard]] constexpr Priority priority_of(std::uint8_t stream) {
  return stream == kUrgent ? Priority::high : Priority::normal;
}

/// Returns whether a node is executed in a stream.
[[nodiscard]] inline bool in_streams(const Node& node) { return node.kind == Kind::copy || node.side == Side::device; }

/// Returns the number of the stream of a node. @pre in_streams(node)
[[nodiscard]] inline std::uint8_t stream_of(const Node& node) {
  if (node.kind == Kind::copy) return node.side == Side::host ? kToHost : kToDevice;
  if (node.stream == DeviceStream::aside) return kAside;
  const bool exchanges = node.kind == Kind::start || node.kind == Kind::finish;
  return node.stream == DeviceStream::urgent || node.urgent || node.rows == Part::border || exchanges ? kUrgent : kMain;
}

}  // namespace weft::task
