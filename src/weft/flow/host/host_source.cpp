#include "weft/flow/host/host_source.hpp"

#include <span>
#include <utility>

namespace weft::flow {

HostSource::HostSource(const Scheme& scheme)
    : scheme_(scheme), volume_source_{scheme.source().acceleration, scheme.mesh().axisymmetric} {}

void HostSource::add(double time, Residual& residual) const {
  constexpr std::size_t kVars = Residual::kVars;
  const mesh::Mesh& m = scheme_.mesh();
  const SourceTerm& source = scheme_.source();
  const double* const stationary = stationary_.empty() ? nullptr : stationary_.data();
  if (!source.function && !volume_source_.any() && stationary == nullptr) return;
  const std::span<const double> values = std::as_const(residual).values();
  const auto add_cells = [&](std::int32_t first, std::int32_t last) {
    for (std::int32_t c = first; c < last; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const Primitive w = detail::load(&values[i * kVars]);
      Conserved rate = volume_source_(m.cell_centroid[i], w);
      if (source.function) rate += source.function(m.cell_centroid[i], time, w);
      double* const of_cell = &residual.residual()[i * kVars];
      detail::accumulate(of_cell, rate, m.cell_volume[i]);
      for (std::size_t k = 0; k < kVars && stationary != nullptr; ++k) of_cell[k] -= stationary[i * kVars + k];
    }
  };
  if (source.function) return add_cells(0, m.owned_cells);
  residual.team().split(0, m.owned_cells, [&](std::int32_t first, std::int32_t last) noexcept { add_cells(first, last); });
}

}  // namespace weft::flow
