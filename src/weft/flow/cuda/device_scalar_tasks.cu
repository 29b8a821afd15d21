// The tasks of scalars in the graphs of a DeviceStepper.
#include <utility>

#include "weft/flow/cuda/device_scalars.hpp"

namespace weft::flow::detail {

void DeviceScalars::add_data(task::Graph& graph, StepData& data, bool has_border) {
  if (count() == 0) return;
  const std::int32_t inner = scheme_.mesh().inner_cells;
  data.scalars = graph.add_array("scalars", values_, inner);
  if (scheme_.numerics().second_order()) data.scalar_slopes = graph.add_array("slopes of scalars", slopes_, inner);
  if (varies()) data.inflow = graph.add_memory("inflow of scalars");
  data.inner.amounts = graph.add_memory("amounts (inner)");
  data.inner.scalar_boundary_rows = graph.add_memory("boundary rows of scalars (inner)");
  if (!has_border) return;
  data.border.amounts = graph.add_memory("amounts (border)");
  data.border.scalar_boundary_rows = graph.add_memory("boundary rows of scalars (border)");
}

template <class State>
void DeviceScalars::record_values(task::Graph& graph, const StepData& d, const StageOf& stage,
                                  std::function<const State*()> conserved) {
  using task::reads;
  if (count() == 0) return;
  graph.add_task("scalars",
                 existing({reads(d.inner.amounts), reads(d.border.amounts), reads(d.inner.update), reads(d.border.update),
                           task::writes(d.scalars)}),
                 on(task::device),
                 [this, stage, conserved = std::move(conserved)](Stream& stream) { set_values(stream, stage(), conserved()); });
}
template void DeviceScalars::record_values(task::Graph&, const StepData&, const StageOf&, std::function<const double*()>);
template void DeviceScalars::record_values(task::Graph&, const StepData&, const StageOf&, std::function<const float*()>);

void DeviceScalars::record_boundary_flows(task::Graph& graph, const StepData& d, const Conserved* boundary_fluxes) {
  using task::reads, task::reads_writes;
  if (count() == 0) return;
  graph.add_task("mass flows at the boundary",
                 existing({reads(d.boundary_fluxes), reads_writes(d.inner.update), reads_writes(d.border.update)}),
                 on(task::device), [this, boundary_fluxes](Stream& stream) { set_boundary_flows(stream, boundary_fluxes); });
}

void DeviceScalars::record_slopes(task::Graph& graph, const StepData& d, const StageOf& stage) {
  using task::Part, task::reads, task::writes;
  if (count() == 0) return;
  const mesh::Mesh& m = scheme_.mesh();
  if (varies()) {
    graph.add_task("inflow of scalars", {writes(d.inflow)}, on(task::device),
                   [this, stage](Stream& stream) { set_inflow(stream, stage().time); });
  }
  graph.add_task("boundary rows of scalars (inner)",
                 existing({reads(d.inner.update), reads(d.border.update), reads(d.inflow), reads(d.scalars, Part::owned),
                           writes(d.inner.scalar_boundary_rows)}),
                 on(task::device), [this, &m](Stream& stream) { set_boundary_rows(stream, 0, m.inner_cells); });
  if (d.scalar_slopes.valid()) {
    graph.add_task("slopes of scalars (inner)",
                   {reads(d.scalars, Part::owned), reads(d.inner.scalar_boundary_rows), writes(d.scalar_slopes, Part::inner)},
                   on(task::device), [this, &m, stage](Stream& stream) { slopes(stream, stage().fallback, 0, m.inner_cells); });
  }
  if (!d.border.amounts.valid()) return;
  graph.add_task("boundary rows of scalars (border)",
                 existing({reads(d.inner.update), reads(d.border.update), reads(d.inflow),
                           reads(d.scalars, Part::owned | Part::ghost), writes(d.border.scalar_boundary_rows)}),
                 on(task::device_urgent),
                 [this, &m](Stream& stream) { set_boundary_rows(stream, m.inner_cells, m.owned_cells); });
  if (!d.scalar_slopes.valid()) return;
  graph.add_task("slopes of scalars (border)",
                 {reads(d.scalars, Part::owned | Part::ghost), reads(d.inner.scalar_boundary_rows),
                  reads(d.border.scalar_boundary_rows), writes(d.scalar_slopes, Part::border)},
                 on(task::device_urgent),
                 [this, &m, stage](Stream& stream) { slopes(stream, stage().fallback, m.inner_cells, m.owned_cells); });
}

void DeviceScalars::record_stage(task::Graph& graph, const StepData& d, const StageOf& stage) {
  using task::Part, task::reads, task::reads_writes;
  if (count() == 0) return;
  const mesh::Mesh& m = scheme_.mesh();
  if (scheme_.numerics().well_balanced) {
    graph.add_task("mass flows", existing({reads_writes(d.inner.update), reads_writes(d.border.update)}), on(task::device),
                   [this](Stream& stream) { subtract_stationary(stream); });
  }
  record_slopes(graph, d, stage);
  graph.add_task(
      "update of scalars (inner)",
      existing({reads(d.clock), reads(d.inner.update), reads(d.border.update), reads(d.scalars, Part::owned),
                reads(d.scalar_slopes, Part::owned), reads(d.inner.scalar_boundary_rows), reads_writes(d.inner.amounts)}),
      on(task::device), [this, &m, stage](Stream& stream) { update(stream, stage(), 0, m.inner_cells); });
  if (!d.border.amounts.valid()) return;
  graph.add_task(
      "update of scalars (border)",
      existing({reads(d.clock), reads(d.inner.update), reads(d.border.update), reads(d.scalars, Part::owned | Part::ghost),
                reads(d.scalar_slopes, Part::owned | Part::ghost), reads(d.inner.scalar_boundary_rows),
                reads(d.border.scalar_boundary_rows), reads_writes(d.border.amounts)}),
      on(task::device_urgent), [this, &m, stage](Stream& stream) { update(stream, stage(), m.inner_cells, m.owned_cells); });
}

}  // namespace weft::flow::detail
