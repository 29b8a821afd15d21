#pragma once
/// MPI messages of rows in device memory, through pinned host memory or, with a CUDA-aware MPI, directly.
#include "weft/array/tags.hpp"
#include "weft/array/transport/packed_messages.hpp"
#include "weft/array/transport/transport.hpp"
#include "weft/comm/requests.hpp"

namespace weft::detail {

/// start() packs. The messages are sent by the first arrived() or finish() of any such transport after packing has completed,
/// because the host must send them. finish() blocks the host until they have been received.
class DeviceMpiTransport final : public TransportBody {
 public:
  /// @collective
  DeviceMpiTransport(const GhostPlan& plan, Backend backend, const std::vector<Field>& fields, Direction direction, Reduce op,
                     bool through_host);

  void start(const After& after) override;
  void finish(Stream& stream) override;
  [[nodiscard]] bool arrived() override;
  void abandon() noexcept override;

 private:
  void send();
  [[nodiscard]] bool sent() const;

  Tag tag_;
  PackedMessages messages_;
  PersistentMessages sends_, receives_;
  Stream stream_;
  Event packed_, unpacked_;
};

}  // namespace weft::detail
