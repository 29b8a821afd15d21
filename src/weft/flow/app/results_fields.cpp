// Files of fields in the results folder of a run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/io/vtk/vtkhdf.hpp"
#include "weft/mesh/vtk_cells.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;

/// The values of a file of fields, copied from a state that may change while they are written.
struct FieldValues {
  mesh::VtkCells cells;
  std::vector<io::VtkField> fields;  ///< views of the lists below
  std::deque<TeamVector<double>> reals;
  std::deque<TeamVector<std::int64_t>> integers;
};

/// Adds a field to `all` whose value(cell) is an array of at least `components` numbers.
template <class Value>
void add_reals(FieldValues& all, std::string name, int components, Team& team, const Value& value) {
  TeamVector<double>& values = all.reals.emplace_back();
  resize_by_team(team, values, all.cells.types.size() * static_cast<std::size_t>(components));
  for_indices(team, std::ssize(all.cells.types), [&](std::int64_t i) {
    const auto at = value(mesh::LocalCellId(static_cast<std::int32_t>(i)));
    std::copy_n(at.begin(), components, values.begin() + i * components);
  });
  all.fields.push_back({std::move(name), std::span<const double>(values), components});
}

template <class Value>
void add_integers(FieldValues& all, std::string name, Team& team, const Value& value) {
  TeamVector<std::int64_t>& values = all.integers.emplace_back();
  resize_by_team(team, values, all.cells.types.size());
  for_indices(team, std::ssize(values),
              [&](std::int64_t i) { values[i] = value(mesh::LocalCellId(static_cast<std::int32_t>(i))); });
  all.fields.push_back({std::move(name), std::span<const std::int64_t>(values), 1});
}

/// Adds the exact solution at the cell centroids.
void add_exact(FieldValues& all, const Solver& solver, const InitialState& exact) {
  Team alone;  // as InitialState::at() requires
  for (const FieldKind field : {FieldKind::density, FieldKind::velocity, FieldKind::pressure, FieldKind::mach}) {
    add_reals(all, fmt::format("exact_{}", name_of(field)), components(field, 3), alone, [&](mesh::LocalCellId c) {
      const Primitive state = exact.at(solver.mesh().cell_centroid[c], solver.time());
      return field_value(field, {.gas = solver.scheme().gas()}, 3, state, {});
    });
  }
}

}  // namespace

void Results::start_fields(const Solver& solver) {
  begin_fields(solver, case_.output.fields, fmt::format("fields_{:08}.hdf", solver.steps()));
  gradients_.clear();
  fields_->file.start();
}

bool Results::fields_are_written() const { return fields_ && fields_->file.is_written(); }

std::optional<fs::path> Results::finish_fields() {
  if (!fields_) return {};
  const bool needed = checkpoint_needs_fields();
  io::PendingFile file = std::move(std::exchange(fields_, std::nullopt)->file);
  try {
    file.finish();
  } catch (...) {
    if (needed) checkpoint_.reset();
    throw;
  }
  return file.path();
}

fs::path Results::write_failed_fields(const Solver& solver) {
  std::vector<FieldKind> chosen;
  for (const FieldKind field : case_.output.fields) {
    if (!needs_gradient(field)) chosen.push_back(field);
  }
  begin_fields(solver, chosen, "fields_failed.hdf");
  return finish_fields().value();
}

void Results::begin_fields(const Solver& solver, std::span<const FieldKind> chosen, const std::string& name) {
  WEFT_EXPECTS(!fields_);
  const mesh::Mesh& m = solver.mesh();
  const std::unique_ptr<Team> threads = make_team();
  Team& team = *threads;
  static_cast<void>(solver.conserved());  // has come from the GPU, so that threads may read the state
  const auto values = std::make_shared<FieldValues>();
  values->cells = mesh::VtkCells::owned(m, team);
  const FieldReference reference = case_.field_reference();
  for (const FieldKind field : chosen) {
    add_reals(*values, std::string(name_of(field)), components(field, m.dim), team, [&](mesh::LocalCellId c) {
      return field_value(field, reference, m.dim, solver.primitive(c),
                         gradients_.empty() ? CellGradient{} : gradients_[c.index()]);
    });
  }
  add_integers(*values, "cell_id", team, [&](mesh::LocalCellId c) { return m.cell_file_id[c]; });
  add_integers(*values, "rank", team, [&](mesh::LocalCellId /*c*/) { return m.comm.rank().value(); });
  for (int k = 0; k < std::ssize(solver.scalars()); ++k) {
    add_reals(*values, solver.scalars()[k].name, 1, team, [&](mesh::LocalCellId c) { return std::array{solver.scalar(k, c)}; });
  }
  if (case_.exact_errors) add_exact(*values, solver, InitialState(case_.initial));
  io::PendingFile file = io::begin_vtkhdf(
      comm_, folder_ / name, values->cells.grid(m), values->fields,
      {.time = solver.time(),
       .step = solver.steps(),
       .precision = case_.output.single_precision ? io::VtkOptions::Precision::float32 : io::VtkOptions::Precision::float64,
       .provenance = effective_},
      values, team);
  fields_.emplace(Writing{std::move(file), solver.steps()});
}

}  // namespace weft::flow
