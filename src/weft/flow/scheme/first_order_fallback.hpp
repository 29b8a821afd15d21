#pragma once
/// The cells in which the scheme is of first order.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// First-order fallback: owned and ghost cells in which, and in whose neighbours, states on faces are cell means, because the
/// second-order scheme made a state unphysical there. A strong expansion around a corner drains a cell of its energy in second
/// order, however small the step is, and does not in first order.
class FirstOrderFallback {
 public:
  /// @param mesh  outlives this object.  @collective
  explicit FirstOrderFallback(const mesh::Mesh& mesh);
  FirstOrderFallback(const FirstOrderFallback&) = delete;
  FirstOrderFallback& operator=(const FirstOrderFallback&) = delete;

  /// Adds owned cells.  @collective
  void add(std::span<const mesh::LocalCellId> cells);
  /// Removes all cells.
  void clear();
  /// Returns whether add() was called since the last clear(); equal on every rank.
  [[nodiscard]] bool active() const { return active_; }
  /// Returns 1 for each owned and ghost cell of the fallback, otherwise 0; empty unless active(). Valid until the next call.
  [[nodiscard]] std::span<const std::int32_t> flags() const;
  /// Returns the owned cells of the fallback in ascending order.
  [[nodiscard]] std::vector<mesh::LocalCellId> cells() const;
  /// Ends the exchange of flags, see Solver::close().  @collective
  void close() { pull_.close(); }
  /// Returns what this rank has sent to others.
  [[nodiscard]] Traffic sent() const { return pull_.sent(); }

 private:
  const mesh::Mesh& mesh_;
  ArrayPair<std::int32_t> flags_;
  bool active_ = false;
  Exchange pull_;
};

}  // namespace weft::flow
