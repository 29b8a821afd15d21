// Histories of a run: a row of a table for each recorded step.
#include "weft/flow/app/results_histories.hpp"

#include <fmt/format.h>

#include <utility>

#include "weft/comm/agreement.hpp"
#include "weft/flow/app/results_folder.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using detail::begin_folder;
using detail::kForcesFile;
using detail::kMonitorsFile;
using detail::kResidualsFile;

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

void Results::begin(std::int64_t step, const std::function<void()>& began) {
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
  began();
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

}  // namespace weft::flow
