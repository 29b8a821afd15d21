#include "weft/flow/app/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/app/walls.hpp"
#include "weft/flow/app/zone_conditions.hpp"
#include "weft/io/case/case_reader.hpp"
#include "weft/io/checkpoint.hpp"
#include "weft/io/table.hpp"
#include "weft/io/text_file.hpp"
#include "weft/io/vtk/vtkhdf.hpp"
#include "weft/mesh/vtk_cells.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
constexpr const char* kCaseFile = "case.toml";
constexpr const char* kCheckpointFile = "checkpoint.h5";
constexpr const char* kPreviousCheckpointFile = "checkpoint_previous.h5";
constexpr std::string_view kOfAStep[] = {"fields_", "walls_"};  // then the step
constexpr const char* kBoundaryFile = "boundary.hdf";
constexpr const char* kResidualsFile = "residuals.csv";
constexpr const char* kForcesFile = "forces.csv";
constexpr const char* kMonitorsFile = "monitors.csv";
constexpr std::string_view kHistories[] = {kResidualsFile, kForcesFile,     "probes.csv",
                                           kMonitorsFile,  "integrals.csv", "errors.csv"};

/// Files of samples of one step: the prefix, then the name of the line or section, then the step.
struct SampleFile {
  std::string_view prefix, extension;
};
constexpr SampleFile kLineFile{"line_", ".csv"}, kSectionFile{"section_", ".vtu"};

fs::path file_of(const SampleFile& kind, const std::string& name, std::int64_t step) {
  return fmt::format("{}{}_{:08}{}", kind.prefix, name, step, kind.extension);
}

bool is_sample(std::string_view name) {
  const auto is = [&](const SampleFile& kind) {
    if (!name.starts_with(kind.prefix) || !name.ends_with(kind.extension)) return false;
    name.remove_suffix(kind.extension.size());
    const std::size_t bar = name.rfind('_');
    const std::string_view digits = name.substr(bar + 1);
    return bar >= kind.prefix.size() && digits.size() >= 8 && digits.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return is(kLineFile) || is(kSectionFile);
}

/// What follows the prefix of a file of one step; empty for other names.
std::string_view step_part(std::string_view name) {
  if (is_sample(name)) return name.substr(name.rfind('_') + 1);
  for (const std::string_view prefix : kOfAStep) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return {};
}

bool is_drawn(std::string_view extension) {
  constexpr std::string_view kDrawn[] = {".png", ".pdf", ".svg", ".gif", ".mp4"};
  return std::find(std::begin(kDrawn), std::end(kDrawn), extension) != std::end(kDrawn);
}
/// Whether a file is an export of a file of one step (weft export).
bool is_export(std::string_view extension) { return extension == ".vtu" || extension == ".cgns"; }

/// Whether a run writes files of this name, or they were drawn of such: what --overwrite may delete.
bool is_ours(fs::path file) {
  if (file.extension() == ".part") file.replace_extension();  // a kill left it before it was whole
  const std::string name = file.filename().string();
  const std::string extension = file.extension().string();
  const bool field =
      is_sample(name) || (!step_part(name).empty() && (extension == ".hdf" || is_drawn(extension) || is_export(extension)));
  const std::string drawn_from = file.stem().string() + ".csv";  // a picture of a history
  const bool boundary = name == kBoundaryFile || (file.stem() == fs::path(kBoundaryFile).stem() && is_drawn(extension));
  const auto history = [](const std::string& of) {
    return std::find(std::begin(kHistories), std::end(kHistories), of) != std::end(kHistories);
  };
  return field || boundary || name == kCaseFile || name == kRecordFile || name == kLogFile || name == "report.html" ||
         name == kCheckpointFile || name == kPreviousCheckpointFile || history(name) ||
         (is_drawn(extension) && history(drawn_from));
}

/// Whether a file holds fields, or a picture of fields, of a later step than this, or of the step at which a run failed, or is
/// not whole.
bool is_field_after(const fs::path& file, std::int64_t step) {
  const std::string name = file.filename().string();
  const std::string_view digits = step_part(name);
  if (!is_ours(file) || digits.empty()) return false;
  std::int64_t of = 0;
  if (file.extension() == ".part") return true;
  return std::from_chars(digits.data(), digits.data() + digits.size(), of).ec != std::errc{} || of > step;
}

/// Refuses a folder whose case.toml no run wrote: the run would replace it. @throws InputError; IoError where it cannot be read.
void keep_case_of_the_user(const fs::path& folder) {
  const fs::path file = folder / kCaseFile;
  if (io::read_text(file).starts_with(io::kEffectiveCaseHeader)) return;
  throw InputError("a run writes its case with all defaults to this name, and the file that is there was not written by a run",
                   "choose another output.directory, or another name for that file", {.file = file.string()});
}

void refuse_used_folder(const fs::path& folder, bool used, Existing existing) {
  if (resumes(existing) && !used) {
    throw InputError("there is no run to resume in this folder", "leave out --resume to start one", {.file = folder.string()});
  }
  if (used) keep_case_of_the_user(folder);
  if (existing == Existing::refuse && used) {
    std::error_code failed;
    if (fs::exists(folder / io::FolderLock::kFileName, failed)) const io::FolderLock look(folder);  // says so if that run goes on
    throw InputError(
        "this folder already holds the results of a run",
        "give --overwrite to replace them, --resume to go on from their last checkpoint, or --set output.directory=...",
        {.file = folder.string()});
  }
}

/// @return the folders that it made, the innermost first.
std::vector<fs::path> make_folder(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> made;
  for (fs::path missing = fs::absolute(folder).lexically_normal(); !missing.empty() && !fs::exists(missing, failed);) {
    made.push_back(missing);
    missing = missing.parent_path();
  }
  fs::create_directories(folder, failed);
  if (failed) {
    throw IoError(fmt::format("cannot make this folder: {}", failed.message()), "choose another output.directory",
                  {.file = folder.string()});
  }
  return made;
}

/// Called when mesh and case have turned out good: a run that could not begin leaves nothing that stands in the way of the next.
void begin_folder(const fs::path& folder, const std::string& effective, Existing existing, std::int64_t step) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& file = entry.path();
    const bool stale = existing == Existing::overwrite ? is_ours(file) : resumes(existing) && is_field_after(file, step);
    std::error_code failed;
    if (stale && entry.is_regular_file() && !fs::remove(file, failed)) {
      throw IoError(fmt::format("cannot remove this file of an earlier run: {}", failed.message()),
                    "check permissions, or choose another output.directory", {.file = file.string()});
    }
  }
  io::write_text(folder / kCaseFile, effective);
}

/// The exact solution of a case at the cell centroids, which the fields of a file view.
struct ExactValues {
  std::vector<double> density, velocity, pressure, mach;

  void add_to(std::vector<io::VtkField>& fields, const Solver& solver, const InitialState& exact) {
    const mesh::Mesh& m = solver.mesh();
    for (const mesh::LocalCellId cell : m.owned()) {
      const Primitive w = exact.at(m.cell_centroid[cell.index()], solver.time());
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
  const auto cells = static_cast<std::size_t>(m.owned_cells);
  mesh::VtkCells shapes;
  const FieldReference reference = case_.field_reference();
  std::vector<std::vector<double>> values(chosen.size());
  std::vector<std::int64_t> ids, ranks(cells, m.comm.rank().value());
  std::vector<std::vector<double>> scalars(solver.scalars().size());
  for (std::size_t c = 0; c < cells; ++c) {
    shapes.add_cell(m, mesh::LocalCellId(static_cast<std::int32_t>(c)));
    const Primitive w = solver.primitive(static_cast<std::int32_t>(c));
    const CellGradient gradient = gradients_.empty() ? CellGradient{} : gradients_[c];
    for (std::size_t k = 0; k < chosen.size(); ++k) append_field(chosen[k], reference, m.dim, w, gradient, values[k]);
    ids.push_back(m.cell_file_id[c]);
    for (std::size_t k = 0; k < scalars.size(); ++k) {
      scalars[k].push_back(solver.scalar(static_cast<int>(k), static_cast<std::int32_t>(c)));
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

// --- histories
// -----------------------------------------------------------------------------------------------------------------------

struct Results::Histories {
  std::optional<io::Table> residuals, forces, probes, monitors, integrals;
};

Results::~Results() {
  lock_.reset();
  std::error_code failed;  // the folder of a run that could not begin is empty, and goes; any other stays
  for (const fs::path& folder : made_) fs::remove(folder, failed);
}

namespace {

constexpr int kVars = Solver::kVars;

std::vector<std::string> with_variables(std::vector<std::string> columns, const char* (*name)(int),
                                        const std::string& prefix = {}, const std::string& suffix = {}) {
  for (int k = 0; k < kVars; ++k) columns.push_back(fmt::format("{}{}{}", prefix, name(k), suffix));
  return columns;
}

std::vector<std::string> with_scalars(std::vector<std::string> columns, const std::vector<ScalarChoice>& scalars,
                                      const std::string& prefix = {}) {
  for (const ScalarChoice& scalar : scalars) columns.push_back(prefix + scalar.name);
  return columns;
}

struct History {
  const char* file;
  std::vector<std::string> columns;
  std::optional<io::Table>* table;
};

constexpr const char* kCoefficientColumns[] = {"_cd", "_cl", "_cmx", "_cmy", "_cmz", "_cm_nose_up"};
constexpr const char* kForceColumns[] = {"_fx", "_fy", "_fz", "_mx", "_my", "_mz"};

std::size_t columns_of(const ForceSpec& force) {
  return std::size(kForceColumns) + (force.has_coefficients() ? std::size(kCoefficientColumns) : 0);
}

std::vector<double> stamp(const Solver& solver) { return {static_cast<double>(solver.steps()), solver.time()}; }

}  // namespace

void Results::begin(std::int64_t step) {
  histories_ = std::make_unique<Histories>();
  std::vector<History> all{
      {kResidualsFile, with_variables({"step", "time", "dt"}, IdealGas::conserved_name), &histories_->residuals}};
  if (!case_.forces.empty()) {
    std::vector<std::string> columns{"step", "time"};
    for (const ForceSpec& force : case_.forces) {
      if (force.has_coefficients()) {
        for (const char* what : kCoefficientColumns) columns.push_back(force.name + what);
      }
      for (const char* what : kForceColumns) columns.push_back(force.name + what);
    }
    all.push_back({kForcesFile, std::move(columns), &histories_->forces});
  }
  if (!case_.probes.empty()) {
    std::vector<std::string> columns{"step", "time"};
    for (const ProbeChoice& probe : case_.probes)
      columns = with_scalars(with_variables(std::move(columns), IdealGas::primitive_name, probe.name + "_"), case_.scalars,
                             probe.name + "_");
    all.push_back({"probes.csv", std::move(columns), &histories_->probes});
  }
  if (!case_.monitors.empty()) {
    std::vector<std::string> columns{"step", "time"};
    for (const MonitorSpec& monitor : case_.monitors) {
      for (const ZoneQuantity quantity : monitor.quantities)
        columns.push_back(fmt::format("{}_{}", monitor.name, name_of(quantity)));
    }
    all.push_back({kMonitorsFile, std::move(columns), &histories_->monitors});
  }
  if (case_.integrals) {
    all.push_back({"integrals.csv",
                   with_scalars(with_variables({"step", "time"}, IdealGas::conserved_name), case_.scalars, "density_"),
                   &histories_->integrals});
  }
  if (step > 0) {
    for (const History& history : all) io::Table::expect_resumable(comm_, folder_ / history.file, history.columns);
  }
  agreed(comm_, [&] {
    if (comm_.is_root()) begin_folder(folder_, effective_, existing_, step);
  });
  for (History& history : all) {
    const fs::path file = folder_ / history.file;
    *history.table = step == 0 ? io::Table::create(comm_, file, std::move(history.columns))
                               : io::Table::resume(comm_, file, std::move(history.columns), static_cast<double>(step));
  }
}

std::vector<ForceRecord> Results::earlier_forces() const {
  std::vector<ForceRecord> records;
  if (!resumes(existing_) || case_.forces.empty()) return records;
  for (const std::vector<double>& row : io::read_table(comm_, folder_ / kForcesFile)) {
    ForceRecord& record = records.emplace_back();
    record.step = static_cast<std::int64_t>(row.at(0));
    std::size_t k = 2;  // after step and time
    for (const ForceSpec& force : case_.forces) {
      if (force.has_coefficients()) record.coefficients.insert(record.coefficients.end(), {row.at(k), row.at(k + 1)});
      k += columns_of(force);
    }
  }
  return records;
}

std::vector<std::array<double, Solver::kVars>> Results::earlier_norms() const {
  std::vector<std::array<double, Solver::kVars>> norms;
  if (!resumes(existing_)) return norms;
  for (const std::vector<double>& row : io::read_table(comm_, folder_ / kResidualsFile)) {
    auto& each = norms.emplace_back();
    for (std::size_t k = 0; k < each.size(); ++k) each[k] = row.at(3 + k);  // after step, time and dt
  }
  return norms;
}

void Results::add_residuals(const StepReport& step, const std::array<double, Solver::kVars>& norms) {
  std::vector<double> row{static_cast<double>(step.step), step.time, step.dt};
  row.insert(row.end(), norms.begin(), norms.end());
  histories_->residuals->add(row);
}

void Results::add_forces(const Solver& solver, const std::vector<Forces>& forces) {
  std::vector<double> row = stamp(solver);
  for (std::size_t i = 0; i < forces.size(); ++i) {
    const Forces& f = forces[i];
    const Vec3 c = f.moment_coefficient;
    if (case_.forces[i].has_coefficients()) row.insert(row.end(), {f.drag, f.lift, c.x, c.y, c.z, f.pitch});
    row.insert(row.end(), {f.force.x, f.force.y, f.force.z, f.moment.x, f.moment.y, f.moment.z});
  }
  histories_->forces->add(row);
}

void Results::add_monitors(const Solver& solver, const std::vector<std::vector<double>>& values) {
  std::vector<double> row = stamp(solver);
  for (const std::vector<double>& of_monitor : values) row.insert(row.end(), of_monitor.begin(), of_monitor.end());
  histories_->monitors->add(row);
}

void Results::add_probes(const Solver& solver, const std::vector<Primitive>& readings,
                         const std::vector<std::vector<double>>& scalars) {
  std::vector<double> row = stamp(solver);
  for (std::size_t i = 0; i < readings.size(); ++i) {
    for (int k = 0; k < kVars; ++k) row.push_back(readings[i][k]);
    row.insert(row.end(), scalars[i].begin(), scalars[i].end());
  }
  histories_->probes->add(row);
}

void Results::add_integrals(const Solver& solver, const std::array<double, Solver::kVars>& totals,
                            const std::vector<double>& scalar_totals) {
  std::vector<double> row = stamp(solver);
  row.insert(row.end(), totals.begin(), totals.end());
  row.insert(row.end(), scalar_totals.begin(), scalar_totals.end());
  histories_->integrals->add(row);
}

void Results::write_errors(const Solver& solver, const std::array<ErrorNorms, Solver::kVars>& errors) {
  std::vector<std::string> columns{"step", "time"};
  for (const char* norm : {"_l1", "_l2", "_linf"})
    columns = with_variables(std::move(columns), IdealGas::primitive_name, {}, norm);
  std::vector<double> row = stamp(solver);
  for (double ErrorNorms::*norm : {&ErrorNorms::l1, &ErrorNorms::l2, &ErrorNorms::linf}) {
    for (const ErrorNorms& error : errors) row.push_back(error.*norm);
  }
  io::Table::create(comm_, folder_ / "errors.csv", std::move(columns)).add(row);
}

// --- checkpoints
// ---------------------------------------------------------------------------------------------------------------------

namespace {

constexpr const char* kConserved = "conserved";
constexpr std::string_view kScalar = "scalar_";     // then its name: a field of rho phi, and a number that says that there is one
constexpr const char* kFallback = "lowered_order";  // 1 in the cells of the first-order fallback
constexpr const char* kFallbackUntil = "lowered_until";
constexpr const char* kCirculation = "circulation:";  // of the vortex in the far field of the zone that follows, m^2/s

std::vector<std::int64_t> keys_of(const mesh::Mesh& m) {
  std::vector<std::int64_t> keys;
  for (std::int32_t c = 0; c < m.owned_cells; ++c) keys.push_back(m.cell_global[static_cast<std::size_t>(c)].value());
  return keys;
}

std::uint64_t fingerprint_of(const mesh::Mesh& m, const std::vector<std::int64_t>& keys) {
  std::vector<double> centroids;
  for (std::size_t c = 0; c < keys.size(); ++c) {
    const Vec3 x = m.cell_centroid[c];
    centroids.insert(centroids.end(), {x.x, x.y, x.z});
  }
  const std::uint64_t of_plane = io::fingerprint(m.comm, keys, centroids);
  return m.axisymmetric ? ~of_plane : of_plane;
}

/// @throws InputError where the checkpoint has not the scalars of the case, in whatever order.
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

fs::path Results::write_checkpoint(const Solver& solver, double largest_residual, double residual) {
  const mesh::Mesh& m = solver.mesh();
  const std::vector<std::int64_t> keys = keys_of(m);
  fs::path file = folder_ / kCheckpointFile;
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
    for (const std::int32_t c : cells.cells) fallback[static_cast<std::size_t>(c)] = 1;
    fields.push_back({kFallback, fallback});
    numbers.emplace_back(kFallbackUntil, static_cast<double>(cells.until));
  }
  for (std::size_t z = 0; z < m.boundary.size(); ++z) {
    const double circulation = solver.circulation(z);
    if (circulation != 0) numbers.emplace_back(kCirculation + m.boundary[z].name, circulation);
  }
  io::write_checkpoint(comm_, file,
                       {.step = solver.steps(),
                        .time = solver.time(),
                        .global_cells = m.global_cells,
                        .mesh_fingerprint = fingerprint_of(m, keys),
                        .case_text = effective_,
                        .numbers = std::move(numbers)},
                       keys, fields, std::exchange(newest_is_damaged_, false) ? fs::path() : folder_ / kPreviousCheckpointFile);
  return file;
}

Resumed Results::read_checkpoint(const mesh::Mesh& mesh) {
  const fs::path newest = folder_ / kCheckpointFile, previous = folder_ / kPreviousCheckpointFile;
  const bool has_previous = comm_.broadcast(comm_.is_root() && fs::exists(previous));
  agreed(comm_, [&] {
    if (comm_.is_root() && !has_previous && !fs::exists(newest)) {
      throw InputError("this run left no checkpoint to go on from", "give --overwrite to start it again",
                       {.file = newest.string()});
    }
  });
  try {
    return read_checkpoint(mesh, newest);
  } catch (const IoError& error) {
    std::optional<Resumed> resumed;
    try {
      if (has_previous) resumed = read_checkpoint(mesh, previous);
    } catch (const IoError&) {  // what is wrong with the newest is what matters
    }
    if (!resumed) {
      if (!error.suggestion().empty()) throw;
      throw IoError(error.problem(), "there is no other checkpoint of this run: give --overwrite to start it again",
                    error.where());
    }
    resumed->instead_of = error.what();
    newest_is_damaged_ = true;
    return *resumed;
  }
}

Resumed Results::read_checkpoint_of(const fs::path& folder, const mesh::Mesh& mesh) const {
  return read_checkpoint(mesh, folder / kCheckpointFile);
}

Resumed Results::read_checkpoint(const mesh::Mesh& mesh, const fs::path& file) const {
  io::CheckpointReader reader(comm_, file);
  const std::vector<std::int64_t> keys = keys_of(mesh);
  reader.expect_mesh(mesh.global_cells, fingerprint_of(mesh, keys));
  expect_scalars(reader.info(), case_.scalars, file);
  reader.choose_rows(keys);
  Resumed resumed{.file = file,
                  .conserved = reader.read(kConserved, kVars),
                  .scalar_amounts = std::vector<double>(keys.size() * case_.scalars.size()),
                  .time = reader.info().time,
                  .largest_residual = reader.number("largest_residual"),
                  .residual = reader.number("residual"),
                  .step = reader.info().step,
                  .fallback = {},
                  .circulations = {},
                  .case_text = reader.info().case_text,
                  .instead_of = {}};
  for (std::size_t k = 0; k < case_.scalars.size(); ++k) {
    const std::vector<double> amounts = reader.read(std::string(kScalar) + case_.scalars[k].name);
    for (std::size_t c = 0; c < amounts.size(); ++c) resumed.scalar_amounts[c * case_.scalars.size() + k] = amounts[c];
  }
  if (reader.has(kFallback)) {
    const std::vector<double> flags = reader.read(kFallback);
    for (std::size_t c = 0; c < flags.size(); ++c) {
      if (flags[c] != 0) resumed.fallback.cells.push_back(static_cast<std::int32_t>(c));
    }
    resumed.fallback.until = static_cast<std::int64_t>(reader.number(kFallbackUntil));
  }
  for (std::size_t z = 0; z < mesh.boundary.size(); ++z) {
    const std::string name = kCirculation + mesh.boundary[z].name;
    const ZoneCondition* const condition = find_condition(case_, mesh.boundary[z].name);
    if (condition == nullptr || !condition->vortex) continue;
    for (const auto& [known, value] : reader.info().numbers) {
      if (known == name) resumed.circulations.emplace_back(z, value);
    }
  }
  return resumed;
}

}  // namespace weft::flow
