#pragma once
/// What an Exchange asks of the way its messages travel.
#include "weft/device/stream.hpp"

namespace weft::detail {

enum class Direction { pull, push };

/// The traffic of one exchange, set up once. Which arrays may take part, and which side of them is fresh, is the Exchange's
/// business.
class TransportBody {
 public:
  TransportBody() = default;
  virtual ~TransportBody() = default;
  TransportBody(const TransportBody&) = delete;
  TransportBody& operator=(const TransportBody&) = delete;

  /// Reads the rows that travel once `after` is done. Returns at once. @collective
  virtual void start(const After& after) = 0;
  /// Makes `stream` wait until all that was received is in place, and all that was sent may be overwritten.
  virtual void finish(Stream& stream) = 0;
  /// True once finish() will not block the host.
  [[nodiscard]] virtual bool arrived() = 0;
  /// Destroyed in flight: waits for nobody, and keeps what others may still read. The object is destroyed next.
  virtual void abandon() noexcept = 0;
};

}  // namespace weft::detail
