#pragma once
/// Rows written directly to the memory of neighbours.
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "weft/array/transport/packed_messages.hpp"
#include "weft/array/transport/put.hpp"
#include "weft/array/transport/stop_flag.hpp"
#include "weft/array/transport/transport.hpp"
#include "weft/array/transport/transport_setup.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/ipc.hpp"

namespace weft::detail {

/// A pull writes to the neighbours' ghost rows; a push writes to a buffer of the owner, which combines all contributions. The
/// host does not wait.
///
/// The neighbours' arrays are mapped until close(), which waits until the neighbours have unmapped the arrays of this rank,
/// or until the destructor. Without close(), memory may be freed while a neighbour still maps it; it is not accessed any
/// more, and Linux drivers retain it until the last mapping is removed, but CUDA does not guarantee this.
///
/// All puts of a process are enqueued in one stream: two kernels that wait for neighbours concurrently, in different orders
/// on different ranks, could prevent each other from running. For the same reason graphs that contain puts must not run
/// concurrently.
class PeerTransport final : public TransportBody {
 public:
  /// @pre every neighbour is a process of this machine with a GPU that this rank's GPU can access.
  /// @throws DeviceError on every rank if any memory, of a GPU or of the host, cannot be mapped; no mapping remains then.
  /// @collective
  PeerTransport(const GhostPlan& plan, const std::vector<Field>& fields, Direction direction, Reduce op);

  void start(const After& after) override;
  void finish(Stream& stream) override;
  [[nodiscard]] bool arrived() override { return done_.captured() || done_.done(); }
  void close() override;
  void stop() noexcept override { stop_->raise(); }
  [[nodiscard]] bool stopped() const noexcept override { return stop_->raised(); }

 private:
  struct Target;
  struct Peer;
  struct Peers;
  /// Data sent to a neighbour: its flags, then a target for each field.
  using Offer = std::vector<Target>;

  void set_up(const GhostPlan& plan, const std::vector<Field>& fields, Direction direction, Reduce op);
  /// Allocates the flags and, for a push, the buffer of messages.
  void allocate(const Peers& peers, bool pulls);
  /// Returns where each neighbour writes.
  [[nodiscard]] std::vector<Offer> offers_to(const Peers& peers, const std::vector<Field>& fields, bool pulls) const;
  /// Adds the copies to a neighbour, whose memory is mapped.
  void add_copies_to(const Peer& peer, const Offer& offer, const std::vector<Field>& fields, int group,
                     std::vector<ItemCopy>& copies);
  /// Adds the copies within this GPU.
  void add_own_copies(const Peer& own, const std::vector<Field>& fields, bool pulls, std::vector<ItemCopy>& copies) const;
  void set_arguments(const std::vector<PeerLink>& links);
  using HandleBytes = std::array<std::byte, 64>;
  [[nodiscard]] std::byte* map(const IpcHandle& handle);

  Communicator comm_;
  std::optional<StopFlag> stop_;  ///< destroyed after the memory of the GPU, whose release waits for kernels
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

/// A function that replaces PeerTransport for arrays in a mirror, which otherwise cannot be exchanged by `peer`: for tests, on
/// machines without GPUs, of what uses a transport for which the host does not wait. Null: there is none.
using MakeTransport = std::unique_ptr<TransportBody> (*)(const TransportSetup& setup);
void set_peer_of_mirrors_for_tests(MakeTransport make);
[[nodiscard]] MakeTransport peer_of_mirrors_for_tests();

}  // namespace weft::detail
