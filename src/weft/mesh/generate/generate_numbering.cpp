#include "weft/mesh/generate/generate_numbering.hpp"

#include <fmt/format.h>

#include "weft/base/error.hpp"

namespace weft::mesh::detail {
namespace {

constexpr Index kMostCells = 1'000'000'000'000;
constexpr Index kLeastMixedLayers = 6;

}  // namespace

void Numbering::check_size(Index layers) const {
  const auto [ni, nj, nk] = lattice_.cells;
  if (static_cast<double>(ni) * static_cast<double>(nj) * static_cast<double>(layers) > static_cast<double>(kMostCells)) {
    throw LimitError(fmt::format("{}: {} x {} x {} cells are more than 10^12", lattice_.source, ni, nj, layers),
                     "choose fewer cells");
  }
  if (dim_ == 2 && !row_of(lattice_.elements).flat) {
    throw InputError("these elements are three-dimensional, the mesh is two-dimensional",
                     fmt::format("choose {}, or layers of cells in z", one_of(cell_mixes(true))), Where{.key = "elements"});
  }
  if (dim_ == 3 && lattice_.elements == CellMix::mixed && nk < kLeastMixedLayers) {
    throw InputError(fmt::format("mixed needs at least {} layers of cells in z, not {}", kLeastMixedLayers, nk),
                     "choose more layers, or hex_prism", Where{.key = "elements"});
  }
}

}  // namespace weft::mesh::detail
