#pragma once
/// The division of a rank's residual among threads.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/flow/host/loops.hpp"
#include "weft/flow/scheme/discretization.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow::detail {

/// The share of one thread: a range of the inner cells and a range of the border cells. A thread adds the fluxes of its own
/// cells, those of each in the order of the faces' numbers, as a single thread does: therefore any number of threads gives the
/// same bits. Fluxes between cells of two shares are computed twice.
///
/// Faces are numbered by the later of their cells, so a share processes its inner cells in blocks: first gradients, then the
/// faces for which both gradients are known. Inner cells whose gradients other shares need are in `shared`; all threads compute
/// these before any block. Faces to cells at or after the end of the range, inner or border, are in `deferred`, computed after
/// the blocks of all shares.
struct Share {
  struct Cells {
    std::int32_t first = 0, last = 0;
  };
  /// Inner cells, whose gradients (except those of shared cells) are computed together, and the faces of which they are the later
  /// cells.
  struct Block {
    Cells cells, faces;
    std::vector<StoredSide> stored;  ///< sides of those faces whose cells are shared or in earlier blocks
  };
  Cells inner, border;
  std::vector<std::int32_t> shared, remaining;  ///< inner cells; both are empty if no cell is shared
  std::vector<std::int32_t> deferred;           ///< faces between owned cells
  std::vector<Block> blocks;                    ///< in order
  std::vector<FaceState> state_buffer;          ///< one unused, then those of the faces of a block

  /// Returns the number of blocks in the first half of them, rounded up.
  [[nodiscard]] std::size_t middle() const { return (blocks.size() + 1) / 2; }
  [[nodiscard]] FaceState* states() { return state_buffer.data() + 1; }
  [[nodiscard]] OwnRows rows() const { return {inner.first, inner.last, border.first, border.last}; }
  /// Returns those of the inner cells first <= c < last that are not shared.
  [[nodiscard]] Indices not_shared(std::int32_t first, std::int32_t last) const;
};

/// Number of faces whose states are still in the second-level cache when their fluxes are computed.
inline constexpr std::int32_t kBlockFaces = 4096;

/// Returns, for each face of each cell, the slot of the cell's state among those of its block's faces, as in state_loop(); -1 for
/// faces outside its block.
[[nodiscard]] std::vector<std::int32_t> slots_of_states(const std::vector<Share>& shares, const Discretization& d);

/// Divides a rank's cells into shares with about equal numbers of faces.
[[nodiscard]] std::vector<Share> divide_into_shares(const mesh::Mesh& mesh, const Discretization& d, int threads);

}  // namespace weft::flow::detail
