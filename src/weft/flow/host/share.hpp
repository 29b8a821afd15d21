#pragma once
/// What each of several threads computes of a rank's residual.
#include <cstdint>
#include <vector>

#include "weft/flow/host/loops.hpp"
#include "weft/flow/scheme/discretization.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow::detail {

/// Cells a <= c < b of the inner ones and as many of the border. A thread adds up the fluxes of its own cells, those of each in
/// the order of the faces' numbers, as one thread does of all: so any number of threads find the same bits. Fluxes between cells
/// of two shares are computed for both.
///
/// Faces are numbered by the later of their cells, so a share goes through its inner cells in blocks, gradients and then the
/// faces that became possible. Where other shares need gradients of its inner cells, those are `early`, which all compute before
/// anyone's blocks. Faces to cells at or after b, inner or border, come when everybody has done with blocks: `late`.
struct Share {
  struct Cells {
    std::int32_t first = 0, last = 0;
  };
  /// Inner cells, whose gradients, but of early ones, are made together, and the faces of which they are the later.
  struct Block {
    Cells cells, faces;
    std::vector<StoredSide> stored;  ///< sides of those faces whose cells are not among these, or early
  };
  Cells inner, border;
  std::vector<std::int32_t> shared, remaining;  ///< inner cells; where none is early, `rest` is empty, too
  std::vector<std::int32_t> deferred;         ///< faces between owned cells
  std::vector<Block> blocks;              ///< in order
  std::vector<FaceState> state_buffer;            ///< for states of a block's faces, or of any other kBlockFaces, behind one for nobody

  [[nodiscard]] FaceState* states() { return state_buffer.data() + 1; }
  [[nodiscard]] OwnRows rows() const { return {inner.first, inner.last, border.first, border.last}; }
  /// Of the inner cells first <= c < last those that are not early.
  [[nodiscard]] Indices not_shared(std::int32_t first, std::int32_t last) const;
};

/// Faces whose states are still in the second-level cache when their fluxes are computed.
inline constexpr std::int32_t kBlockFaces = 4096;

/// For each face of each cell: where the cell's state goes among those of its block's faces, as state_loop() says; -1 for faces
/// that are not of its block.
[[nodiscard]] std::vector<std::int32_t> slots_of_states(const std::vector<Share>& shares, const Discretization& d);

/// Cuts a rank's cells into shares of about as many faces.
[[nodiscard]] std::vector<Share> divide_into_shares(const mesh::Mesh& mesh, const Discretization& d, int threads);

}  // namespace weft::flow::detail
