#pragma once
/// The cell ordering of a rank.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/base/vec3.hpp"
#include "weft/mesh/build/subdomain.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::mesh::detail {

/// Returns the owned cells, by their new ids: those without ghost neighbours first, by `order` within both groups.
/// @param border  by cell: whether it has a ghost neighbour.
[[nodiscard]] IdVector<LocalCellId, LocalCellId> order_cells(CellOrdering order, int dim, const Subdomain& part,
                                                             const IdVector<LocalCellId, char>& border, Team& team);

/// Returns the position of a point along the Hilbert curve through the cube of 2^21 cells per side (Hamilton, "Compact
/// Hilbert indices", 2006).
/// @param at  cell of the cube in each of `dim` directions (2 or 3).
[[nodiscard]] std::uint64_t hilbert_index(int dim, const std::array<std::uint32_t, 3>& at);
inline constexpr int kHilbertBits = 21;
/// Returns the position of a point `x` in the cube with corner `low` and edge `extent` (0: all points coincide).
[[nodiscard]] std::uint64_t hilbert_index(int dim, Vec3 x, Vec3 low, double extent);

/// Returns the reverse Cuthill-McKee ordering of a graph: neighbour lists neighbour[first[i]] ... ; entries outside 0 ... n-1
/// are ignored.
[[nodiscard]] std::vector<std::int32_t> reverse_cuthill_mckee(std::span<const std::int32_t> first,
                                                              std::span<const std::int32_t> neighbour);

}  // namespace weft::mesh::detail
