#pragma once
/// Rows written straight into the neighbours' memory.
#include <map>
#include <vector>

#include "weft/array/transport/packed_messages.hpp"
#include "weft/array/transport/put.hpp"
#include "weft/array/transport/transport.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/ipc.hpp"

namespace weft::detail {

/// A pull writes into the neighbours' ghost rows; a push into a buffer there, from which the owner takes what all have brought.
/// The host waits for nothing.
///
/// The neighbours' arrays are mapped until close(), which waits for the neighbours to unmap this rank's, or for as long as this
/// lives. Without close() ranks unmap at their own times, so memory may be freed while a neighbour has it mapped: nobody touches
/// it then, and Linux drivers keep it until the last mapping goes, but CUDA does not promise that.
///
/// All puts of a process are work of one stream: two that waited for neighbours at the same time, in different orders on
/// different ranks, could keep each other from running. So graphs with puts must not run beside each other either.
class PeerTransport final : public TransportBody {
 public:
  /// @pre every neighbour is a process of this machine with a GPU that this one reaches.
  /// @throws DeviceError on every rank, if memory of any cannot be mapped; nothing is mapped then. @collective
  PeerTransport(const GhostPlan& plan, const std::vector<Field>& fields, Direction direction, Reduce op);

  void start(const After& after) override;
  void finish(Stream& stream) override;
  [[nodiscard]] bool arrived() override { return done_.captured() || done_.done(); }
  void close() override;

 private:
  void set_up(const GhostPlan& plan, const std::vector<Field>& fields, Direction direction, Reduce op);
  using HandleBytes = std::array<std::byte, 64>;
  [[nodiscard]] std::byte* map(const IpcHandle& handle);

  Communicator comm_;
  DeviceVector<PeerFlags> flags_;
  DeviceVector<std::uint32_t> epochs_;
  DeviceVector<PeerLink> links_;
  DeviceVector<std::byte> messages_;
  std::map<HandleBytes, IpcMemory> mapped_;
  CopyList copies_;
  CombineList combine_;
  PutArgs args_{};
  std::shared_ptr<Stream> stream_;
  Event done_;
};

}  // namespace weft::detail
