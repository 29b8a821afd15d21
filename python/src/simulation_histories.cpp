// Histories of a simulation: arrays that grow.
#include <algorithm>
#include <iterator>

#include "simulation.hpp"

namespace weft::python {
namespace {

std::vector<std::string> columns(std::vector<std::string> first, const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

}  // namespace

void Simulation::begin_histories() {
  const std::vector<std::string> stamp{"step", "time"};
  residuals_.emplace(columns({"step", "time", "dt"}, {"density", "momentum_x", "momentum_y", "momentum_z", "energy"}));
  for (std::size_t k = 0; k < case_.forces.size(); ++k) {
    forces_.emplace_back(
        columns(stamp, {"force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z", "drag", "lift", "pitch"}));
  }
  std::vector<std::string> of_state{"density", "velocity_x", "velocity_y", "velocity_z", "pressure"};
  std::vector<std::string> of_gas{"density", "momentum_x", "momentum_y", "momentum_z", "energy"};
  for (const flow::ScalarChoice& scalar : case_.scalars) {
    of_state.push_back(scalar.name);
    of_gas.push_back("density_" + scalar.name);
  }
  for (std::size_t k = 0; k < probes_.size(); ++k) probe_values_.emplace_back(columns(stamp, of_state));
  for (const flow::MonitorSpec& monitor : case_.monitors) {
    std::vector<std::string> quantities;
    for (const flow::ZoneQuantity quantity : monitor.quantities) quantities.emplace_back(name_of(quantity));
    monitors_.emplace_back(columns(stamp, quantities));
  }
  integrals_.emplace(columns(stamp, of_gas));
}

void Simulation::clear_histories(double largest_residual, double residual) {
  residuals_->clear();
  integrals_->clear();
  for (auto* const histories : {&forces_, &probe_values_, &monitors_}) {
    for (History& history : *histories) history.clear();
  }
  largest_residual_ = largest_residual, residual_ = residual;
  publish();
}

void Simulation::keep(const std::vector<flow::StepReport>& reports) {
  const auto has_row = [this](const flow::StepReport& report) { return report.step % case_.output.history_steps == 0; };
  std::vector<flow::StepReport> rows;
  std::copy_if(reports.begin(), reports.end(), std::back_inserter(rows), has_row);
  if (rows.empty()) return;
  const auto norms = solver_->residual_norms(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    largest_residual_ = std::max(largest_residual_, norms[i][0]);
    residual_ = largest_residual_ > 0 ? norms[i][0] / largest_residual_ : 0;
    std::vector<double> row{static_cast<double>(rows[i].step), rows[i].time, rows[i].dt};
    row.insert(row.end(), norms[i].begin(), norms[i].end());
    residuals_->add(row);
  }
  if (has_row(reports.back())) keep_state();
}

void Simulation::keep_state() {
  const auto at = static_cast<double>(solver_->steps());
  const double time = solver_->time();
  if (case_.integrals) {
    const auto totals = flow::totals(*solver_);
    std::vector<double> all{at, time};
    all.insert(all.end(), totals.begin(), totals.end());
    for (const double total : flow::scalar_totals(*solver_)) all.push_back(total);
    integrals_->add(all);
  }
  if (forces_.empty() && probes_.empty() && monitors_.empty()) return;
  refresh();
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    const flow::Forces on = flow::forces(*solver_, case_.forces[k]);
    forces_[k].add(
        {at, time, on.force.x, on.force.y, on.force.z, on.moment.x, on.moment.y, on.moment.z, on.drag, on.lift, on.pitch});
  }
  for (std::size_t k = 0; k < probes_.size(); ++k) {
    const flow::Primitive w = probes_[k].read(*solver_);
    std::vector<double> values{at, time, w.density, w.velocity.x, w.velocity.y, w.velocity.z, w.pressure};
    for (const double scalar : probes_[k].read_scalars(*solver_)) values.push_back(scalar);
    probe_values_[k].add(values);
  }
  for (std::size_t k = 0; k < monitors_.size(); ++k) {
    std::vector<double> values{at, time};
    for (const double value : flow::monitor(*solver_, case_.monitors[k])) values.push_back(value);
    monitors_[k].add(values);
  }
}

}  // namespace weft::python
