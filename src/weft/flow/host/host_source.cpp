#include "weft/flow/host/host_source.hpp"

#include <span>

namespace weft::flow {

HostSource::HostSource(const Scheme& scheme)
    : scheme_(scheme), volume_source_{scheme.source().acceleration, scheme.mesh().axisymmetric} {}

void HostSource::add(double time, Residual& residual) const {
  constexpr std::size_t kVars = Residual::kVars;
  const mesh::Mesh& m = scheme_.mesh();
  const SourceTerm& source = scheme_.source();
  const double* const stationary = stationary_.empty() ? nullptr : stationary_.data();
  if (!source.function && !volume_source_.any() && stationary == nullptr) return;
  const auto add_cells = [&](std::int32_t first, std::int32_t last) {
    for (std::int32_t c = first; c < last; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const Primitive w = detail::load(residual.values().row(c).data());
      Conserved rate = volume_source_(m.cell_centroid[i], w);
      if (source.function) rate += source.function(m.cell_centroid[i], time, w);
      const std::span of_cell = residual.residual().row(c);
      detail::accumulate(of_cell.data(), rate, m.cell_volume[i]);
      for (std::size_t k = 0; k < kVars && stationary != nullptr; ++k) of_cell[k] -= stationary[i * kVars + k];
    }
  };
  if (source.function) return add_cells(0, m.owned_cells);
  residual.team().split(0, m.owned_cells, [&](std::int32_t first, std::int32_t last) noexcept { add_cells(first, last); });
}

}  // namespace weft::flow
