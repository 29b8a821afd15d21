#include "weft/flow/app/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/comm/agreement.hpp"
#include "weft/flow/app/results_folder.hpp"
#include "weft/flow/app/results_histories.hpp"
#include "weft/flow/app/walls.hpp"
#include "weft/io/vtk/vtkhdf.hpp"
#include "weft/mesh/vtk_cells.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using detail::file_of;
using detail::kBoundaryFile;
using detail::kCaseFile;
using detail::kLineFile;
using detail::kSectionFile;
using detail::make_folder;
using detail::refuse_used_folder;

/// The exact solution of a case at the cell centroids, to which the fields of a file refer.
struct ExactValues {
  std::vector<double> density, velocity, pressure, mach;

  void add_to(std::vector<io::VtkField>& fields, const Solver& solver, const InitialState& exact) {
    const mesh::Mesh& m = solver.mesh();
    for (const mesh::LocalCellId cell : m.owned()) {
      const Primitive w = exact.at(m.cell_centroid[cell], solver.time());
      density.push_back(w.density);
      velocity.insert(velocity.end(), {w.velocity.x, w.velocity.y, w.velocity.z});
      pressure.push_back(w.pressure);
      mach.push_back(solver.scheme().gas().mach(w));
    }
    fields.push_back({"exact_density", std::span<const double>(density), 1});
    fields.push_back({"exact_velocity", std::span<const double>(velocity), 3});
    fields.push_back({"exact_pressure", std::span<const double>(pressure), 1});
    fields.push_back({"exact_mach", std::span<const double>(mach), 1});
  }
};

}  // namespace

Results::Results(const Communicator& comm, const Case& flow_case, const std::string& effective, Existing existing)
    : comm_(comm), case_(flow_case), effective_(effective), existing_(existing), folder_(flow_case.output.directory) {
  agreed(comm_, [&] {
    if (!comm_.is_root()) return;
    std::error_code failed;
    refuse_used_folder(folder_, fs::exists(folder_ / kCaseFile, failed), existing);
    made_ = make_folder(folder_);
    lock_ = std::make_unique<io::FolderLock>(folder_);
    taken_over_from_ = lock_->taken_over_from();
  });
  comm_.broadcast(taken_over_from_);
}

Results::~Results() {
  lock_.reset();
  std::error_code failed;  // an empty folder of a run that could not begin is removed
  for (const fs::path& folder : made_) fs::remove(folder, failed);
}

fs::path Results::write_fields(const Solver& solver) {
  fs::path file = write_fields(solver, case_.output.fields, fmt::format("fields_{:08}.hdf", solver.steps()));
  gradients_.clear();
  return file;
}

void Results::write_boundary(const mesh::Mesh& mesh) { mesh::write_boundary(mesh, folder_ / kBoundaryFile, effective_); }

void Results::find_samples(const mesh::Mesh& mesh) {
  for (const LineChoice& line : case_.lines) lines_.emplace_back(mesh, line);
  for (const SectionChoice& section : case_.sections) check_section(mesh, section);
}

bool Results::needs_gradients() const {
  return std::any_of(case_.output.fields.begin(), case_.output.fields.end(), needs_gradient);
}

bool Results::prepares_fields(const mesh::Mesh& mesh) const {
  return has_walls(mesh, case_) || needs_gradients() || !lines_.empty() || !case_.sections.empty();
}

void Results::prepare_fields(const Solver& solver) {
  if (has_walls(solver.mesh(), case_)) {
    flow::write_walls(solver, case_, folder_ / fmt::format("walls_{:08}.hdf", solver.steps()), effective_);
  }
  if (!needs_gradients() && lines_.empty() && case_.sections.empty()) return;
  gradients_ = solver.gradients();
  const SampledState state{solver, gradients_, case_.output.fields, case_.field_reference()};
  for (const Line& line : lines_) line.write(state, folder_ / file_of(kLineFile, line.name(), solver.steps()));
  for (const SectionChoice& section : case_.sections) {
    write_section(state, section, folder_ / file_of(kSectionFile, section.name, solver.steps()));
  }
  if (!needs_gradients()) gradients_ = {};
}

fs::path Results::write_failed_fields(const Solver& solver) {
  std::vector<FieldKind> chosen;
  for (const FieldKind field : case_.output.fields) {
    if (!needs_gradient(field)) chosen.push_back(field);
  }
  return write_fields(solver, chosen, "fields_failed.hdf");
}

fs::path Results::write_fields(const Solver& solver, std::span<const FieldKind> chosen, const std::string& name) {
  const mesh::Mesh& m = solver.mesh();
  const std::size_t cells = m.owned_cells;
  mesh::VtkCells shapes;
  const FieldReference reference = case_.field_reference();
  std::vector<std::vector<double>> values(chosen.size());
  std::vector<std::int64_t> ids, ranks(cells, m.comm.rank().value());
  std::vector<std::vector<double>> scalars(solver.scalars().size());
  for (const mesh::LocalCellId c : m.owned()) {
    shapes.add_cell(m, c);
    const Primitive w = solver.primitive(c);
    const CellGradient gradient = gradients_.empty() ? CellGradient{} : gradients_[c.index()];
    for (std::size_t k = 0; k < chosen.size(); ++k) append_field(chosen[k], reference, m.dim, w, gradient, values[k]);
    ids.push_back(m.cell_file_id[c]);
    for (std::size_t k = 0; k < scalars.size(); ++k) {
      scalars[k].push_back(solver.scalar(static_cast<int>(k), c));
    }
  }
  std::vector<io::VtkField> fields;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    fields.push_back({std::string(name_of(chosen[k])), std::span<const double>(values[k]), components(chosen[k], m.dim)});
  }
  fields.push_back({"cell_id", std::span<const std::int64_t>(ids), 1});
  fields.push_back({"rank", std::span<const std::int64_t>(ranks), 1});
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    fields.push_back({solver.scalars()[k].name, std::span<const double>(scalars[k]), 1});
  }
  ExactValues exact;
  if (case_.exact_errors) exact.add_to(fields, solver, InitialState(case_.initial));
  fs::path file = folder_ / name;
  io::write_vtkhdf(
      comm_, file, shapes.grid(m), fields,
      {.time = solver.time(),
       .step = solver.steps(),
       .precision = case_.output.single_precision ? io::VtkOptions::Precision::float32 : io::VtkOptions::Precision::float64,
       .provenance = effective_});
  return file;
}

}  // namespace weft::flow
