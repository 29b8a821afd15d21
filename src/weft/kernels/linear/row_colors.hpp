#pragma once
/// Colours of the block rows of a matrix, so that rows of one colour can be computed concurrently.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/team_vector.hpp"
#include "weft/device/space.hpp"
#include "weft/device/stream.hpp"
#include "weft/kernels/linear/bsr_pattern.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

/// A colour for each block row, such that no row has a block in the column of another row of its colour; columns of ghost rows
/// are ignored.
///
/// Example, rows {0, 1}, {0, 1, 2} and {1, 2} with the colours 0, 1 and 0: order() is 0 2 1 and offsets() is 0 2 3.
class RowColors {
 public:
  /// Computes the colours by the method of Jones and Plassmann (SIAM J. Sci. Comput. 14, 1993): a row gets the least colour that
  /// none of its neighbours has, once those with a higher priority, the hash mix_bits() of the row, have theirs. The result is
  /// that of one row after the other in descending priority, on hosts with any number of threads and on GPUs.
  /// @cost O(blocks) for each of about log(rows) sweeps.
  explicit RowColors(const BsrPattern& pattern, Team& team = calling_thread());
  /// Computes them on the GPU, and waits for it. @pre the pattern has a device side; a stream of the current GPU.
  /// @throws DeviceError. @cost as above, and a stable sort of the rows by colour; memory: 16 bytes per row on the GPU meanwhile.
  RowColors(space::cuda, Stream& stream, const BsrPattern& pattern);
  /// Takes the colours of others, from 0 on. Distinct colours for all rows give the natural order without concurrency.
  /// @throws InputError naming the rows unless they are colours of this pattern.
  RowColors(const BsrPattern& pattern, std::vector<std::int32_t> colors);

  /// Returns the number of colours.
  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(offsets_.size()) - 1; }
  /// Returns the colour of each row.
  [[nodiscard]] std::span<const std::int32_t> colors() const { return colors_; }
  /// Returns the rows sorted by colour, ascending within a colour.
  [[nodiscard]] std::span<const std::int32_t> order() const { return order_; }
  /// Returns the position in order() of the first row of each colour, then the number of rows.
  [[nodiscard]] std::span<const std::int32_t> offsets() const { return offsets_; }

 private:
  void sort_rows(Team& team);

  std::vector<std::int32_t> colors_, offsets_;
  TeamVector<std::int32_t> order_;
};

}  // namespace weft::kernels
