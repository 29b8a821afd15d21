#pragma once
/// Messages from and to memory of the host.
#include <memory>
#include <vector>

#include "weft/array/detail/link.hpp"
#include "weft/array/detail/tags.hpp"
#include "weft/array/detail/transport.hpp"
#include "weft/array/ghost_plan.hpp"
#include "weft/array/transport.hpp"

namespace weft::detail {

/// A link with each neighbour: through shared memory, or by MPI. What is pushed is combined in the order of ranks.
class HostTransport final : public TransportBody {
 public:
  /// @param wanted  host: by MPI alone. shared: through shared memory alone. automatic: by MPI where no memory is shared.
  /// @throws InputError on every rank, if shared memory alone is wanted and two neighbours have none. @collective
  HostTransport(const GhostPlan& plan, std::vector<Field> fields, Direction direction, Reduce op, Transport wanted);

  void start(const After& after) override;
  void finish(Stream& stream) override;
  [[nodiscard]] bool arrived() override;
  void abandon() noexcept override;
  [[nodiscard]] bool shares_memory_with(Rank rank) const override;

 private:
  Tag tag_;
  std::vector<Rank> ranks_;
  std::vector<bool> shared_;                  ///< by link
  std::vector<std::unique_ptr<Link>> links_;  ///< by rank
  bool pulls_;
};

}  // namespace weft::detail
