#pragma once
/// The links of an exchange of the host, started and waited for together.
#include <cstdint>
#include <memory>
#include <vector>

#include "weft/array/transport/link.hpp"
#include "weft/comm/communicator.hpp"

namespace weft::detail {

/// One link per neighbour, by rank.
class LinkGroup {
 public:
  /// @param in_order  what arrives is put in its place link after link (a push is combined in the order of ranks); otherwise as
  /// it arrives.
  LinkGroup(const Communicator& comm, bool in_order) : comm_(comm), in_order_(in_order) {}
  void add(Rank rank, std::unique_ptr<Link> link);

  /// Sends what the rows hold now. Waits for nobody.
  void start();
  /// Puts in its place what has arrived. True once wait() will not block.
  [[nodiscard]] bool arrived();
  /// Returns once everything has been received and rows that are sent may be overwritten. All links are looked at in turn, so
  /// that none waits for another, and MPI moves its messages meanwhile, also those of other exchanges.
  /// @cost no allocation.
  void wait();
  /// In flight: lets go of messages.
  void abandon() noexcept;

 private:
  void wait_for_all(bool (Link::*done)(), bool in_order);

  Communicator comm_;
  bool in_order_;
  std::vector<Rank> ranks_;                   ///< by link
  std::vector<std::unique_ptr<Link>> links_;  ///< by rank
  std::vector<char> done_;                    ///< by link; used while waiting
  std::uint64_t polls_per_progress_ = 0, polls_before_yielding_ = 0;
};

}  // namespace weft::detail
