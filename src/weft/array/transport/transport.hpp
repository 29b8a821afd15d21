#pragma once
/// What an Exchange asks of the way its messages travel.
#include <memory>

#include "weft/comm/communicator.hpp"
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

  /// Reads the rows that travel once `after` is done. @collective
  virtual void start(const After& after) = 0;
  /// Makes `stream` wait until all that was received is in place, and all that was sent may be overwritten.
  virtual void finish(Stream& stream) = 0;
  /// True once finish() will not block the host.
  [[nodiscard]] virtual bool arrived() = 0;
  /// Whether what travels to and from `rank` does so through shared memory of the host.
  [[nodiscard]] virtual bool shares_memory_with(Rank /*rank*/) const { return false; }
  /// Lets go of what others have given this rank to write to, and returns when they have let go of what is this rank's.
  /// @pre no exchange is in flight. @collective
  virtual void close() {}
  /// Given up in flight: lets go of messages and waits for nobody. The object is kept for ever, since others may still read and
  /// write its memory, and its tag may still arrive.
  virtual void abandon() noexcept {}

 private:
  friend void retain_abandoned(std::unique_ptr<TransportBody> abandoned) noexcept;
  TransportBody* next_abandoned_ = nullptr;
};

void retain_abandoned(std::unique_ptr<TransportBody> abandoned) noexcept;

}  // namespace weft::detail
