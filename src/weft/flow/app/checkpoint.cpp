#include "weft/flow/app/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/flow/app/zone_conditions.hpp"
#include "weft/io/checkpoint.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;

constexpr int kVars = Solver::kVars;

constexpr const char* kConserved = "conserved";
constexpr std::string_view kScalar = "scalar_";  // prefix of a name: a field of rho phi and a number
// Names in the file, as earlier versions of the program wrote them.
constexpr const char* kFallback = "lowered_order";  // 1 in the cells of the first-order fallback
constexpr const char* kFallbackUntil = "lowered_until";
constexpr const char* kCirculation = "circulation:";  // followed by the zone: circulation of the vortex in its far field, m^2/s

/// Returns a list with `width` elements for each owned cell i, which value(i, elements) sets.
template <class T, class Value>
TeamVector<T> for_cells(const mesh::Mesh& m, Team& team, std::size_t width, const Value& value) {
  TeamVector<T> list;
  const auto cells = static_cast<std::size_t>(m.owned_cells);
  resize_by_team(team, list, cells * width);
  for_indices(team, static_cast<std::int64_t>(cells),
              [&](std::int64_t i) { value(static_cast<std::size_t>(i), list.data() + i * static_cast<std::int64_t>(width)); });
  return list;
}

TeamVector<std::int64_t> keys_of(const mesh::Mesh& m, Team& team) {
  return for_cells<std::int64_t>(m, team, 1,
                                 [&](std::size_t i, std::int64_t* key) { *key = m.cell_global[mesh::LocalCellId(i)].value(); });
}

std::uint64_t fingerprint_of(const mesh::Mesh& m, std::span<const std::int64_t> keys, Team& team) {
  const TeamVector<double> centroids = for_cells<double>(m, team, 3, [&](std::size_t i, double* to) {
    const Vec3 x = m.cell_centroid[mesh::LocalCellId(i)];
    to[0] = x.x, to[1] = x.y, to[2] = x.z;
  });
  const std::uint64_t of_plane = io::fingerprint(m.comm, keys, centroids, team);
  return m.axisymmetric ? ~of_plane : of_plane;
}

/// The values of a checkpoint, copied from a state that may change while they are written.
struct Snapshot {
  TeamVector<std::int64_t> keys;
  std::vector<io::CheckpointField> fields;  ///< views of `values`
  std::deque<TeamVector<double>> values;

  void add(std::string name, TeamVector<double> copy, int width) {
    values.push_back(std::move(copy));
    fields.push_back({std::move(name), values.back(), width});
  }
};

/// Copies the state, and adds to `numbers` which fields there are.
std::shared_ptr<const Snapshot> snapshot_of(const Solver& solver, std::vector<std::pair<std::string, double>>& numbers,
                                            Team& team) {
  const mesh::Mesh& m = solver.mesh();
  const auto copy = std::make_shared<Snapshot>();
  copy->keys = keys_of(m, team);
  const std::span<const double> conserved = solver.conserved();
  copy->add(kConserved,
            for_cells<double>(m, team, kVars,
                              [&](std::size_t i, double* to) {
                                std::copy_n(conserved.begin() + static_cast<std::ptrdiff_t>(i) * kVars, kVars, to);
                              }),
            kVars);
  const std::size_t scalars = solver.scalars().size();
  const std::span<const double> amounts = solver.scalar_amounts();
  for (std::size_t k = 0; k < scalars; ++k) {
    copy->add(std::string(kScalar) + solver.scalars()[k].name,
              for_cells<double>(m, team, 1, [&](std::size_t i, double* to) { *to = amounts[i * scalars + k]; }), 1);
    numbers.emplace_back(copy->fields.back().name, 1);
  }
  if (const FallbackCells cells = solver.fallback_cells(); cells.until > 0) {
    TeamVector<double> flags = list_of_size<double>(team, copy->keys.size());
    for (const mesh::LocalCellId c : cells.cells) flags[c.index()] = 1;
    copy->add(kFallback, std::move(flags), 1);
    numbers.emplace_back(kFallbackUntil, static_cast<double>(cells.until));
  }
  return copy;
}

/// Checks the scalars of a checkpoint. @throws InputError unless they are those of the case, in any order.
void expect_scalars(const io::CheckpointInfo& info, const std::vector<ScalarChoice>& scalars, const fs::path& file) {
  std::vector<std::string> here, there;
  for (const ScalarChoice& scalar : scalars) here.push_back(scalar.name);
  for (const auto& [name, value] : info.numbers) {
    if (name.starts_with(kScalar)) there.push_back(name.substr(kScalar.size()));
  }
  const auto list = [](std::vector<std::string>& names) {
    std::sort(names.begin(), names.end());
    return names.empty() ? std::string("no scalars") : fmt::format("the scalars {}", fmt::join(names, ", "));
  };
  const std::string found = list(there), wanted = list(here);
  if (found == wanted) return;
  throw InputError(fmt::format("this checkpoint has {}, and the case has {}", found, wanted),
                   "resume with the scalars that the run began with, or give --overwrite to start it again",
                   {.file = file.string()});
}

}  // namespace

io::PendingFile begin_checkpoint(const Solver& solver, const std::string& effective, double largest_residual, double residual,
                                 const fs::path& file, Team& team) {
  const mesh::Mesh& m = solver.mesh();
  std::vector<std::pair<std::string, double>> numbers{{"largest_residual", largest_residual}, {"residual", residual}};
  const std::shared_ptr<const Snapshot> copy = snapshot_of(solver, numbers, team);
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    const double circulation = solver.circulation(z);
    if (circulation != 0) numbers.emplace_back(kCirculation + m.boundary[z].name, circulation);
  }
  return io::begin_checkpoint(m.comm, file,
                              {.step = solver.steps(),
                               .time = solver.time(),
                               .global_cells = m.global_cells,
                               .mesh_fingerprint = fingerprint_of(m, copy->keys, team),
                               .case_text = effective,
                               .numbers = std::move(numbers)},
                              copy->keys, copy->fields, copy, team);
}

void write_checkpoint(const Solver& solver, const std::string& effective, double largest_residual, double residual,
                      const fs::path& file, const fs::path& previous) {
  Team alone;
  begin_checkpoint(solver, effective, largest_residual, residual, file, alone).finish(previous);
}

Resumed read_checkpoint(const mesh::Mesh& mesh, const Case& flow_case, const fs::path& file) {
  io::CheckpointReader reader(mesh.comm, file);
  Team alone;
  const TeamVector<std::int64_t> keys = keys_of(mesh, alone);
  reader.expect_mesh(mesh.global_cells, fingerprint_of(mesh, keys, alone));
  expect_scalars(reader.info(), flow_case.scalars, file);
  reader.choose_rows(keys);
  Resumed resumed{.file = file,
                  .conserved = reader.read(kConserved, kVars),
                  .scalar_amounts = std::vector<double>(keys.size() * flow_case.scalars.size()),
                  .time = reader.info().time,
                  .largest_residual = reader.number("largest_residual"),
                  .residual = reader.number("residual"),
                  .step = reader.info().step,
                  .fallback = {},
                  .circulations = {},
                  .case_text = reader.info().case_text,
                  .instead_of = {}};
  for (std::size_t k = 0; k < flow_case.scalars.size(); ++k) {
    const std::vector<double> amounts = reader.read(std::string(kScalar) + flow_case.scalars[k].name);
    for (std::size_t c = 0; c < amounts.size(); ++c) resumed.scalar_amounts[c * flow_case.scalars.size() + k] = amounts[c];
  }
  if (reader.has(kFallback)) {
    const std::vector<double> flags = reader.read(kFallback);
    for (std::size_t c = 0; c < flags.size(); ++c) {
      if (flags[c] != 0) resumed.fallback.cells.push_back(mesh::LocalCellId(c));
    }
    resumed.fallback.until = static_cast<std::int64_t>(reader.number(kFallbackUntil));
  }
  for (const mesh::BoundaryZoneId z : mesh.boundary.ids()) {
    const std::string name = kCirculation + mesh.boundary[z].name;
    const ZoneCondition* const condition = find_condition(flow_case, mesh.boundary[z].name);
    if (condition == nullptr || !condition->vortex) continue;
    for (const auto& [known, value] : reader.info().numbers) {
      if (known == name) resumed.circulations.emplace_back(z, value);
    }
  }
  return resumed;
}

void restore(Solver& solver, const Resumed& from) {
  for (const auto& [zone, circulation] : from.circulations) solver.set_circulation(zone, circulation);
  solver.restore(from.conserved, from.time, from.step, from.fallback, from.scalar_amounts);
}

}  // namespace weft::flow
