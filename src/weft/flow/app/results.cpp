#include "weft/flow/app/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/comm/agreement.hpp"
#include "weft/flow/app/results_folder.hpp"
#include "weft/flow/app/results_histories.hpp"
#include "weft/flow/app/walls.hpp"
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
  fields_.reset();  // ends and removes the files before another run may use the folder
  checkpoint_.reset();
  lock_.reset();
  std::error_code failed;  // an empty folder of a run that could not begin is removed
  for (const fs::path& folder : made_) fs::remove(folder, failed);
}

std::unique_ptr<Team> Results::make_team() const {
  const int threads = start_up_threads(comm_, case_);
  return agreed(comm_, [&] { return std::make_unique<Team>(threads); });
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

}  // namespace weft::flow
