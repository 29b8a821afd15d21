#pragma once
/// Messages from and to host memory.
#include <vector>

#include "weft/array/ghost_plan.hpp"
#include "weft/array/tags.hpp"
#include "weft/array/transport.hpp"
#include "weft/array/transport/link_group.hpp"
#include "weft/array/transport/transport.hpp"

namespace weft::detail {

/// One link with each neighbour, through shared memory or MPI. A push combines messages in the order of ranks.
class HostTransport final : public TransportBody {
 public:
  /// @param wanted  host: MPI only. shared: shared memory only. automatic: MPI where no memory can be shared.
  /// @throws InputError on every rank if only shared memory is allowed and two neighbours cannot share memory. @collective
  HostTransport(const GhostPlan& plan, std::vector<Field> fields, Direction direction, Reduce op, Transport wanted);

  void start(const After& after) override;
  void finish(Stream& /*stream*/) override { links_.wait(); }
  [[nodiscard]] bool arrived() override { return links_.arrived(); }
  [[nodiscard]] std::vector<Rank> missing() override { return links_.missing(); }
  void abandon() noexcept override { links_.abandon(); }
  [[nodiscard]] bool shares_memory_with(Rank rank) const override;

 private:
  Tag tag_;
  LinkGroup links_;
  std::vector<Rank> shared_;  ///< neighbours linked by shared memory, ascending
};

}  // namespace weft::detail
