#include "weft/io/vtk/vtkhdf.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <set>
#include <utility>
#include <vector>

#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"

namespace weft::io {
namespace {

// The data to be written, with points renumbered without gaps.
struct Piece {
  TeamVector<Vec3> points;
  TeamVector<std::int64_t> connectivity, offsets;
};

[[noreturn]] void misfit(std::string problem) { throw ContractError("VTK output: " + std::move(problem)); }

void check_grid(const VtkGrid& grid, Team& team) {
  const std::size_t cells = grid.types.size();
  if (grid.offsets.size() != cells + 1 && !(cells == 0 && grid.offsets.empty())) {
    misfit(fmt::format("{} offsets for {} cells", grid.offsets.size(), cells));
  }
  if (!grid.offsets.empty() && (grid.offsets.front() != 0 || grid.offsets.back() != std::ssize(grid.connectivity))) {
    misfit(fmt::format("offsets go from {} to {} for {} node ids", grid.offsets.front(), grid.offsets.back(),
                       grid.connectivity.size()));
  }
  for_indices(team, static_cast<std::int64_t>(cells), [&](std::int64_t i) {
    if (grid.offsets[i + 1] < grid.offsets[i]) misfit(fmt::format("offset {} falls", i + 1));
  });
  for_indices(team, std::ssize(grid.connectivity), [&](std::int64_t i) {
    const std::int32_t node = grid.connectivity[i];
    if (node < 0 || node >= std::ssize(grid.points))
      misfit(fmt::format("there is no point {} among {}", node, grid.points.size()));
  });
}

void check_fields(const VtkGrid& grid, std::span<const VtkField> fields) {
  std::set<std::string> names;
  for (const VtkField& field : fields) {
    if (field.name.empty() || field.name.find('/') != std::string::npos)
      misfit(fmt::format("no field can be called \"{}\"", field.name));
    if (!names.insert(field.name).second) misfit(fmt::format("two fields are called {}", field.name));
    const std::size_t values = std::visit([](const auto& span) { return span.size(); }, field.values);
    if (field.components < 1 || values != grid.types.size() * static_cast<std::size_t>(field.components)) {
      misfit(fmt::format("field {} has {} values for {} cells of {}", field.name, values, grid.types.size(), field.components));
    }
  }
}

void check_same_on_all_ranks(const Communicator& comm, std::span<const VtkField> fields) {
  std::string mine;
  for (const VtkField& field : fields) mine += fmt::format("{} {} {}, ", field.name, field.components, field.values.index());
  std::string roots = mine;
  comm.broadcast(roots);
  agreed(comm, [&] {
    if (mine != roots) misfit(fmt::format("rank {} has fields {} where rank 0 has {}", comm.rank().value(), mine, roots));
  });
}

Piece compact(const VtkGrid& grid, Team& team) {
  Piece piece;
  TeamVector<std::int64_t> number;  // new numbers of points; before, whether they are used
  resize_by_team(team, number, grid.points.size(), 0);
  const std::int64_t points = std::ssize(number);
  for_indices(team, std::ssize(grid.connectivity),
              [&](std::int64_t i) { std::atomic_ref(number[grid.connectivity[i]]).store(1, std::memory_order_relaxed); });
  std::vector<std::int64_t> next(shares_of(team, points));
  for_shares(team, points, [&](LoopShare share) {
    for (std::int64_t i = share.begin; i < share.end; ++i) next[share.number] += number[i];
  });
  resize_by_team(team, piece.points, static_cast<std::size_t>(offsets_from_counts(next)));
  for_shares(team, points, [&](LoopShare share) {
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      if (number[i] == 0) continue;
      number[i] = next[share.number]++;
      piece.points[number[i]] = grid.points[i];
    }
  });
  resize_by_team(team, piece.connectivity, grid.connectivity.size());
  for_indices(team, std::ssize(grid.connectivity), [&](std::int64_t i) { piece.connectivity[i] = number[grid.connectivity[i]]; });
  piece.offsets.assign(grid.offsets.begin(), grid.offsets.end());
  return piece;
}

// Enters a dataset of rows that are written on close().
void add_reals(Hdf5File& file, const std::string& name, std::span<const double> values, int width,
               VtkOptions::Precision precision, const std::shared_ptr<const void>& owner, Team& team) {
  if (precision == VtkOptions::Precision::float64) return file.write_rows_on_close(name, values, width, owner);
  const auto narrow = std::make_shared<TeamVector<float>>();
  resize_by_team(team, *narrow, values.size());
  for_indices(team, std::ssize(values), [&](std::int64_t i) { (*narrow)[i] = static_cast<float>(values[i]); });
  file.write_rows_on_close(name, std::span<const float>(*narrow), width, narrow);
}

// Writes one number per piece in the order of the ranks.
void write_counts(Hdf5File& file, const std::string& name, bool piece, std::size_t count) {
  const std::array<std::int64_t, 1> value{static_cast<std::int64_t>(count)};
  file.write_rows(name, std::span<const std::int64_t>(value.data(), piece ? 1U : 0U));
}

template <class T>
void write_one(Hdf5File& file, const std::string& name, T value) {
  file.write_rows(name, std::span<const T>(&value, file.comm().is_root() ? 1U : 0U));
}

}  // namespace

void write_vtkhdf(const Communicator& comm, const std::filesystem::path& path, const VtkGrid& grid,
                  std::span<const VtkField> cell_fields, const VtkOptions& options) {
  Team alone;
  begin_vtkhdf(comm, path, grid, cell_fields, options, {}, alone).finish();
}

PendingFile begin_vtkhdf(const Communicator& comm, const std::filesystem::path& path, const VtkGrid& grid,
                         std::span<const VtkField> cell_fields, const VtkOptions& options,
                         const std::shared_ptr<const void>& owner, Team& team) {
  agreed(comm, [&] {
    check_grid(grid, team);
    check_fields(grid, cell_fields);
  });
  check_same_on_all_ranks(comm, cell_fields);

  const auto piece = std::make_shared<Piece>(compact(grid, team));
  const std::size_t cells = grid.types.size();
  // ParaView cannot open a file without pieces: an empty grid is written as one empty piece.
  const bool any_cells = comm.any(cells > 0);
  const bool is_piece = cells > 0 || (comm.is_root() && !any_cells);
  if (is_piece && piece->offsets.empty()) piece->offsets.push_back(0);
  if (!is_piece) piece->offsets.clear();

  return {comm, path, [&](Hdf5File& file) {
            file.write_text("Provenance", options.provenance);  // HDF5 attributes are limited to 64 KB
            file.make_group("VTKHDF");
            const std::array<std::int64_t, 2> version{1, 0};
            file.write_attribute("VTKHDF", "Version", version);
            file.write_attribute("VTKHDF", "Type", std::string_view("UnstructuredGrid"));
            write_counts(file, "VTKHDF/NumberOfPoints", is_piece, piece->points.size());
            write_counts(file, "VTKHDF/NumberOfCells", is_piece, cells);
            write_counts(file, "VTKHDF/NumberOfConnectivityIds", is_piece, piece->connectivity.size());
            static_assert(sizeof(Vec3) == 3 * sizeof(double));
            const std::span<const double> points{reinterpret_cast<const double*>(piece->points.data()), 3 * piece->points.size()};
            add_reals(file, "VTKHDF/Points", points, 3, options.precision, piece, team);
            file.write_rows_on_close("VTKHDF/Connectivity", std::span<const std::int64_t>(piece->connectivity), 1, piece);
            file.write_rows_on_close("VTKHDF/Offsets", std::span<const std::int64_t>(piece->offsets), 1, piece);
            file.write_rows_on_close("VTKHDF/Types", grid.types, 1, owner);
            write_one(file, "VTKHDF/FieldData/TimeValue", options.time);
            write_one(file, "VTKHDF/FieldData/Step", options.step);
            file.make_group("VTKHDF/CellData");
            for (const VtkField& field : cell_fields) {
              const std::string name = "VTKHDF/CellData/" + field.name;
              if (const auto* reals = std::get_if<std::span<const double>>(&field.values)) {
                add_reals(file, name, *reals, field.components, options.precision, owner, team);
              } else {
                file.write_rows_on_close(name, std::get<std::span<const std::int64_t>>(field.values), field.components, owner);
              }
            }
          }};
}

}  // namespace weft::io
