#pragma once
/// Messages between GPUs through NCCL.
#include <vector>

#include "weft/array/transport/packed_messages.hpp"
#include "weft/array/transport/transport.hpp"
#include "weft/comm/nccl.hpp"

namespace weft::detail {

/// All work is enqueued in a stream: pack, one group of sends and receives, unpack. The host does not wait.
class NcclTransport final : public TransportBody {
 public:
  /// @collective
  NcclTransport(const GhostPlan& plan, Backend backend, const std::vector<Field>& fields, Direction direction, Reduce op);

  void start(const After& after) override;
  void finish(Stream& stream) override;
  [[nodiscard]] bool arrived() override { return done_.captured() || done_.done(); }
  void close() override;

 private:
  Communicator comm_;
  std::shared_ptr<NcclCommunicator> nccl_;
  PackedMessages messages_;
  std::vector<NcclCommunicator::Message> sends_, receives_;
  Stream stream_{Priority::high};
  Event done_;
};

}  // namespace weft::detail
