#include "weft/flow/app/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/flow/app/zone_conditions.hpp"
#include "weft/io/checkpoint.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;

constexpr int kVars = Solver::kVars;

constexpr const char* kConserved = "conserved";
constexpr std::string_view kScalar = "scalar_";     // prefix of a name: a field of rho phi and a number
constexpr const char* kFallback = "lowered_order";  // 1 in the cells of the first-order fallback
constexpr const char* kFallbackUntil = "lowered_until";
constexpr const char* kCirculation = "circulation:";  // followed by the zone: circulation of the vortex in its far field, m^2/s

std::vector<std::int64_t> keys_of(const mesh::Mesh& m) {
  std::vector<std::int64_t> keys;
  for (const mesh::LocalCellId c : m.owned()) keys.push_back(m.cell_global[c].value());
  return keys;
}

std::uint64_t fingerprint_of(const mesh::Mesh& m, const std::vector<std::int64_t>& keys) {
  std::vector<double> centroids;
  for (const mesh::LocalCellId c : m.owned()) {
    const Vec3 x = m.cell_centroid[c];
    centroids.insert(centroids.end(), {x.x, x.y, x.z});
  }
  const std::uint64_t of_plane = io::fingerprint(m.comm, keys, centroids);
  return m.axisymmetric ? ~of_plane : of_plane;
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

void write_checkpoint(const Solver& solver, const std::string& effective, double largest_residual, double residual,
                      const fs::path& file, const fs::path& previous) {
  const mesh::Mesh& m = solver.mesh();
  const std::vector<std::int64_t> keys = keys_of(m);
  std::vector<io::CheckpointField> fields{{kConserved, solver.conserved(), kVars}};
  std::vector<std::pair<std::string, double>> numbers{{"largest_residual", largest_residual}, {"residual", residual}};
  const std::size_t scalars = solver.scalars().size();
  std::vector<std::vector<double>> amounts(scalars);
  for (std::size_t k = 0; k < scalars; ++k) {
    for (std::size_t i = k; i < keys.size() * scalars; i += scalars) amounts[k].push_back(solver.scalar_amounts()[i]);
    fields.push_back({std::string(kScalar) + solver.scalars()[k].name, amounts[k]});
    numbers.emplace_back(fields.back().name, 1);
  }
  std::vector<double> fallback;
  if (const FallbackCells cells = solver.fallback_cells(); cells.until > 0) {
    fallback.assign(keys.size(), 0.0);
    for (const mesh::LocalCellId c : cells.cells) fallback[c.index()] = 1;
    fields.push_back({kFallback, fallback});
    numbers.emplace_back(kFallbackUntil, static_cast<double>(cells.until));
  }
  for (const mesh::ZoneIndex z : m.boundary.ids()) {
    const double circulation = solver.circulation(z);
    if (circulation != 0) numbers.emplace_back(kCirculation + m.boundary[z].name, circulation);
  }
  io::write_checkpoint(m.comm, file,
                       {.step = solver.steps(),
                        .time = solver.time(),
                        .global_cells = m.global_cells,
                        .mesh_fingerprint = fingerprint_of(m, keys),
                        .case_text = effective,
                        .numbers = std::move(numbers)},
                       keys, fields, previous);
}

Resumed read_checkpoint(const mesh::Mesh& mesh, const Case& flow_case, const fs::path& file) {
  io::CheckpointReader reader(mesh.comm, file);
  const std::vector<std::int64_t> keys = keys_of(mesh);
  reader.expect_mesh(mesh.global_cells, fingerprint_of(mesh, keys));
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
  for (const mesh::ZoneIndex z : mesh.boundary.ids()) {
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
