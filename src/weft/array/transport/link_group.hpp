#pragma once
/// The links of an exchange of the host, started and completed together.
#include <cstdint>
#include <memory>
#include <vector>

#include "weft/array/transport/link.hpp"
#include "weft/comm/communicator.hpp"

namespace weft::detail {

/// One link per neighbour, in the order of ranks.
class LinkGroup {
 public:
  /// @param in_order  true: received rows are stored link by link (a push is combined in the order of ranks); false: in the
  /// order of arrival.
  LinkGroup(const Communicator& comm, bool in_order) : comm_(comm), in_order_(in_order) {}
  void add(Rank rank, std::unique_ptr<Link> link);

  /// Sends the current values of the rows. Does not wait for other ranks.
  void start();
  /// Stores the rows received so far. Returns true once wait() will not block.
  [[nodiscard]] bool arrived();
  /// Stores the rows received so far, as arrived() does, and returns the ranks of links that have not completed; in order, the
  /// first of them.
  [[nodiscard]] std::vector<Rank> missing();
  /// Waits until all rows have been received and sent rows may be overwritten. All links are polled in turn, so that no link
  /// waits for another, and MPI makes progress meanwhile, also for other exchanges.
  /// @cost no allocation.
  void wait();
  /// Abandons pending messages.
  void abandon() noexcept;

 private:
  void wait_for_all(bool (Link::*done)(), bool in_order);

  Communicator comm_;
  bool in_order_;
  std::vector<Rank> ranks_;                   ///< by link
  std::vector<std::unique_ptr<Link>> links_;  ///< in the order of ranks
  std::vector<char> done_;                    ///< by link; used while waiting
  std::uint64_t polls_per_progress_ = 0, polls_before_yielding_ = 0;
};

}  // namespace weft::detail
