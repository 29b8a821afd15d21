#pragma once
/// Numbers of messages and bytes sent.
#include <cstdint>

namespace weft {

/// Messages that one rank sends to other ranks.
struct Traffic {
  std::int64_t messages = 0, bytes = 0;

  Traffic& operator+=(const Traffic& more) {
    messages += more.messages;
    bytes += more.bytes;
    return *this;
  }
  friend Traffic operator-(const Traffic& a, const Traffic& b) { return {a.messages - b.messages, a.bytes - b.bytes}; }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

}  // namespace weft
