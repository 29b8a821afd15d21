#pragma once
/// Interface between an Exchange and its transport.
#include <memory>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/device/stream.hpp"

namespace weft::detail {

enum class Direction { pull, push };

/// The messages of one exchange, set up once. The Exchange checks which arrays may take part and which side of them is fresh.
class TransportBody {
 public:
  TransportBody() = default;
  virtual ~TransportBody() = default;
  TransportBody(const TransportBody&) = delete;
  TransportBody& operator=(const TransportBody&) = delete;

  /// Starts the messages; reads the sent rows after `after` has completed. @collective
  virtual void start(const After& after) = 0;
  /// Makes `stream` wait until all received rows are stored and all sent rows may be overwritten.
  virtual void finish(Stream& stream) = 0;
  /// Returns true if finish() will not block the host.
  [[nodiscard]] virtual bool arrived() = 0;
  /// Returns the ranks whose rows have not all been stored, or that have not taken the rows sent to them, as far as the host
  /// knows. @pre in flight
  [[nodiscard]] virtual std::vector<Rank> missing() { return {}; }
  /// Returns true if messages to and from `rank` use shared host memory.
  [[nodiscard]] virtual bool shares_memory_with(Rank /*rank*/) const { return false; }
  /// Ends all waits of the GPUs of this rank and of its neighbours for the rows of this exchange, for good: also those of work
  /// that is enqueued, or launched later. The rows that they would have received have undefined values. Waits for no rank.
  /// Without effect where no GPU waits, and with nccl.
  virtual void stop() noexcept {}
  /// Returns true if stop() was called on this rank or on a neighbour.
  [[nodiscard]] virtual bool stopped() const noexcept { return false; }
  /// Unmaps memory of other ranks, and returns when they have unmapped the memory of this rank.
  /// @pre no exchange is in flight. @collective
  virtual void close() {}
  /// Abandons an exchange in flight without waiting for other ranks. The object is retained until the process ends, because
  /// others may still access its memory and its tag may still arrive.
  virtual void abandon() noexcept {}

 private:
  friend void retain_abandoned(std::unique_ptr<TransportBody> abandoned) noexcept;
  TransportBody* next_abandoned_ = nullptr;
};

void retain_abandoned(std::unique_ptr<TransportBody> abandoned) noexcept;

}  // namespace weft::detail
