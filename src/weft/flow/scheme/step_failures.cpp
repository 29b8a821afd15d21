#include "weft/flow/scheme/step_failures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/flow/physics/flux.hpp"
#include "weft/flow/physics/limiter.hpp"

namespace weft::flow {
namespace {

/// The key of the earliest possible failure, and the distance between kinds of failures in one stage. Keys are exact to the
/// number of the cell: |kEarliest| < 2^53.
constexpr double kEarliest = -8e15, kKind = 1e15;

std::string neighbours_of(const mesh::Mesh& m, mesh::LocalCellId cell, const StepFailures::States& states) {
  std::string around;
  for (const mesh::LocalFaceId face : m.cell_faces.row(cell)) {
    if (m.face_right[face].valid()) {
      const mesh::LocalCellId other = m.face_left[face] == cell ? m.face_right[face] : m.face_left[face];
      const std::optional<Primitive> n = states(other);
      if (!n) continue;
      around += fmt::format("; neighbour {}: density {:.6g}, pressure {:.6g}", m.cell_file_id[other], n->density, n->pressure);
      continue;
    }
    for (const mesh::BoundaryZone& zone : m.boundary) {
      if (zone.faces.contains(face)) around += fmt::format("; at boundary \"{}\"", zone.name);
    }
  }
  return around;
}

}  // namespace

void StepFailures::clear() {
  cells_.clear();
  order_ = -1;
  first_.reset();
}

void StepFailures::add(const UnphysicalCell& cell, const States& states) {
  cells_.push_back(cell);
  const double order =
      2 * kKind * cell.stage + (cell.diverged ? 0 : kKind) + static_cast<double>(mesh_.cell_global[cell.cell].value() + 1);
  if (order_ >= 0 && order_ <= order) return;
  order_ = order;
  first_ = cell;
  state_ = states(cell.cell).value();
  neighbours_ = neighbours_of(mesh_, cell.cell, states);
}

void StepFailures::add(std::string problem, Where where) {
  order_ = 0;  // smaller than that of any cell
  first_.reset();
  problem_ = std::move(problem);
  where_ = std::move(where);
}

std::vector<mesh::LocalCellId> StepFailures::cells_of_stage(int stage) const {
  std::vector<mesh::LocalCellId> cells;
  for (const UnphysicalCell& cell : cells_) {
    if (cell.stage == stage) cells.push_back(cell.cell);
  }
  return cells;
}

double StepFailures::key() const {
  WEFT_EXPECTS(any());
  return kEarliest + order_;
}

int StepFailures::stage_of(double key) { return static_cast<int>((key - kEarliest) / (2 * kKind)); }

bool StepFailures::diverged(double key) { return key < 0 && std::fmod(key - kEarliest, 2 * kKind) < kKind; }

bool StepFailures::outside_limits(double key) { return diverged(key) && key > kEarliest; }  // kEarliest: invalid input

PhysicsError StepFailures::error(std::int64_t step, double time) const {
  WEFT_EXPECTS(any());
  if (!first_) return PhysicsError(problem_, "it must be finite at all times", where_);
  const mesh::LocalCellId cell = first_->cell;
  const Vec3 x = mesh_.cell_centroid[cell];
  return PhysicsError(
      fmt::format("the flow {} at step {}, time {:.9g} in the cell at ({:.6g}, {:.6g}, {:.6g}): "
                  "density {:.6g}, velocity ({:.6g}, {:.6g}, {:.6g}), pressure {:.6g}{}",
                  first_->diverged ? "diverged beyond all states of its start, boundaries and sources" : "became unphysical",
                  step, time, x.x, x.y, x.z, state_.density, state_.velocity.x, state_.velocity.y, state_.velocity.z,
                  state_.pressure, neighbours_),
      fmt::format("lower cfl, use limiter = \"{}\" or flux = \"{}\", or check boundary values and units",
                  name_of(LimiterKind::barth_jespersen), name_of(FluxKind::rusanov)),
      {.file = mesh_.source, .element = mesh_.cell_file_id[cell]});
}

}  // namespace weft::flow
