#pragma once
/// Messages from and to memory of the host.
#include <vector>

#include "weft/array/ghost_plan.hpp"
#include "weft/array/transport.hpp"
#include "weft/array/transport/link_group.hpp"
#include "weft/array/transport/tags.hpp"
#include "weft/array/transport/transport.hpp"

namespace weft::detail {

/// A link with each neighbour: through shared memory, or by MPI. What is pushed is combined in the order of ranks.
class HostTransport final : public TransportBody {
 public:
  /// @param wanted  host: by MPI alone. shared: through shared memory alone. automatic: by MPI where no memory is shared.
  /// @throws InputError on every rank, if shared memory alone is wanted and two neighbours have none. @collective
  HostTransport(const GhostPlan& plan, std::vector<Field> fields, Direction direction, Reduce op, Transport wanted);

  void start(const After& after) override;
  void finish(Stream& /*stream*/) override { links_.wait(); }
  [[nodiscard]] bool arrived() override { return links_.arrived(); }
  void abandon() noexcept override { links_.abandon(); }
  [[nodiscard]] bool shares_memory_with(Rank rank) const override;

 private:
  Tag tag_;
  LinkGroup links_;
  std::vector<Rank> shared_;  ///< linked through shared memory; ascending
};

}  // namespace weft::detail
