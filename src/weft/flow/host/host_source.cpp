#include "weft/flow/host/host_source.hpp"

#include <span>

namespace weft::flow {

HostSource::HostSource(const Scheme& scheme)
    : scheme_(scheme),
      volume_source_{scheme.source().acceleration, scheme.mesh().axisymmetric},
      states_(scheme.source().function ? static_cast<std::size_t>(scheme.mesh().owned_cells) : 0),
      of_function_(states_.size()) {}

void HostSource::record(task::Graph& graph, const detail::StageData& d, const detail::Stage& stage, Residual& residual) {
  using task::Part, task::reads, task::reads_writes;
  if (!scheme_.source().function && !volume_source_.any() && !scheme_.numerics().well_balanced) return;
  graph.add_task("sources", {reads(d.stage), reads(d.values, Part::owned), reads_writes(d.residual)},
                 [this, &stage, &residual] { add(stage.time, residual); });
}

void HostSource::add(double time, Residual& residual) {
  constexpr std::size_t kVars = Residual::kVars;
  const mesh::Mesh& m = scheme_.mesh();
  const SourceTerm& source = scheme_.source();
  const double* const stationary = stationary_.empty() ? nullptr : stationary_.data();
  if (source.function) {
    for (const mesh::LocalCellId c : m.owned()) {
      states_[c.index()] = detail::load(residual.values().row(c).data());
    }
    source.function(std::span(m.cell_centroid).first(states_.size()), time, states_, of_function_);
  }
  const auto add_cells = [&](std::int32_t first, std::int32_t last) {
    for (const mesh::LocalCellId c : mesh::CellRange{mesh::LocalCellId(first), mesh::LocalCellId(last)}) {
      const std::size_t i = c.index();
      const Primitive w = detail::load(residual.values().row(c).data());
      Conserved rate = volume_source_(m.cell_centroid[c], w);
      if (!of_function_.empty()) rate += of_function_[i];
      const std::span of_cell = residual.residual().row(c);
      detail::accumulate(of_cell.data(), rate, m.cell_volume[c]);
      for (std::size_t k = 0; k < kVars && stationary != nullptr; ++k) of_cell[k] -= stationary[i * kVars + k];
    }
  };
  residual.team().split(0, m.owned_cells, [&](std::int32_t first, std::int32_t last) noexcept { add_cells(first, last); });
}

}  // namespace weft::flow
