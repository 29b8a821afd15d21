#pragma once
/// IndexSpace: the rows of arrays on one rank, under one local index.
#include <cstdint>
#include <utility>

#include "weft/array/array_errors.hpp"
#include "weft/array/ghost_plan.hpp"
#include "weft/array/layout.hpp"
#include "weft/base/id.hpp"

namespace weft {

/// Owned rows, then ghost rows, then boundary rows. Exchanges refresh ghost rows from owned rows of other ranks by the plan.
/// Boundary rows belong to this rank alone, such as the exterior states of boundary faces: no exchange reads or writes them. With
/// them behind the ghost rows, a loop over neighbours needs no branch at the boundary.
///
/// Example, 3 owned rows, 2 ghost rows and 4 boundary rows: owned() is [0, 3), ghosts() [3, 5), boundary() [5, 9), rows() 9.
///
/// Copies share the plan. A GhostPlan converts to the index space without boundary rows.
class IndexSpace {
 public:
  IndexSpace() = default;
  /// @throws LimitError where the rows do not fit a local id; ContractError for a negative number.
  IndexSpace(GhostPlan plan, std::int64_t boundary_rows = 0)  // NOLINT(google-explicit-constructor): a plan is an index space
      : plan_(std::move(plan)) {
    detail::check_boundary_rows(boundary_rows);
    rows_ = checked_local(plan_.rows() + boundary_rows, "rows of an index space");
  }

  [[nodiscard]] const GhostPlan& plan() const { return plan_; }
  [[nodiscard]] std::int32_t owned_rows() const { return plan_.owned_rows(); }
  [[nodiscard]] std::int32_t ghost_rows() const { return plan_.ghost_rows(); }
  [[nodiscard]] std::int32_t boundary_rows() const { return rows_ - plan_.rows(); }
  [[nodiscard]] std::int32_t rows() const { return rows_; }
  [[nodiscard]] IdRange<LocalRow> owned() const { return {LocalRow(0), LocalRow(owned_rows())}; }
  [[nodiscard]] IdRange<LocalRow> ghosts() const { return {LocalRow(owned_rows()), LocalRow(plan_.rows())}; }
  [[nodiscard]] IdRange<LocalRow> boundary() const { return {LocalRow(plan_.rows()), LocalRow(rows_)}; }

 private:
  GhostPlan plan_;
  std::int32_t rows_ = 0;
};

}  // namespace weft
