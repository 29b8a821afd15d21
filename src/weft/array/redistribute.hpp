#pragma once
/// Redistribution: the move of rows to other ranks and positions, for any number of companion arrays.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/array/layout.hpp"
#include "weft/array/pair_link.hpp"
#include "weft/array/row_offsets.hpp"
#include "weft/array/signature.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {

/// Destination of each row of an old distribution in a new one. Created once and applied to any number of arrays of those
/// rows.
///
/// Example, 2 ranks with 2 rows each, old global rows 0 1 | 2 3. to_rows with the destinations {3, 0} on rank 0 and {1, 2} on
/// rank 1, and 1 new row on rank 0 and 3 on rank 1:
///     rank 0   new_global(0) = 3, new_global(1) = 0    new row 0 <- old row 1
///     rank 1   new_global(0) = 1, new_global(1) = 2    new rows 1 2 3 <- old rows 2 3 0: old_global(2) = 0
/// Row 0 is sent from rank 0 to rank 1; the other rows stay on their ranks.
///
/// Memory: 16 B per rank (two RowOffsets), and lists of only those ranks to which rows are sent or from which they are
/// received; 4 to 8 B per rank more during construction. Immutable; copies share the data.
class Redistribution {
 public:
  /// Moves row i to global row destination[i] of a numbering in which this rank owns new_rows rows.
  /// @throws InputError on every rank unless the destinations of all ranks are a permutation of the new rows. @collective
  [[nodiscard]] static Redistribution to_rows(const Communicator& comm, std::span<const GlobalRow> destination,
                                              std::int32_t new_rows);
  /// Moves row i to rank destination[i]; each rank orders the received rows by old global row.
  /// @throws InputError on every rank if such a rank does not exist. @collective
  [[nodiscard]] static Redistribution to_ranks(const Communicator& comm, std::span<const Rank> destination);
  /// Divides the old global order into blocks whose lengths differ by at most one row, for files written by a few ranks.
  /// @collective
  [[nodiscard]] static Redistribution to_even_blocks(const Communicator& comm, std::int32_t rows);

  [[nodiscard]] const RowOffsets& old_offsets() const;
  [[nodiscard]] const RowOffsets& new_offsets() const;
  /// Returns the new global row of an old row of this rank.
  [[nodiscard]] GlobalRow new_global(LocalRow old_row) const;
  /// Returns the old global row of a new row of this rank.
  [[nodiscard]] GlobalRow old_global(LocalRow new_row) const;

  /// Returns the rows of `old` in their new positions, with the same layout, width and backend; for all five layouts.
  /// @throws ContractError on every rank unless `old` has as many rows as the old distribution; CommError on every rank if
  /// the signatures of the ranks' arrays differ.
  /// @collective  @cost up to three copies of the array at the same time.
  template <class T, int RowSize, int RowMax, int RowAlign>
  [[nodiscard]] Array<T, RowSize, RowMax, RowAlign> apply(const Array<T, RowSize, RowMax, RowAlign>& old) const;
  /// Returns rows of `width` elements each in their new positions. @throws as above, and ContractError on every rank unless
  /// these are whole rows. @collective
  template <Transferable T>
  [[nodiscard]] std::vector<T> apply(std::span<const T> old, int width = 1) const;
  template <Transferable T>
  [[nodiscard]] std::vector<T> apply(const std::vector<T>& old, int width = 1) const {
    return apply(std::span<const T>(old), width);
  }

 private:
  struct Body;
  explicit Redistribution(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  [[nodiscard]] const Communicator& comm() const;
  /// Checks `elements` elements in rows of `width`. @throws as apply(). @collective
  void expect_rows(std::size_t elements, int width, const std::string& signature) const;
  /// Copies the rows of `from` to those of `to`. @collective
  void move(std::span<const detail::Field> from, std::span<const detail::Field> to) const;

  std::shared_ptr<const Body> body_;
};

template <Transferable T>
std::vector<T> Redistribution::apply(std::span<const T> old, int width) const {
  expect_rows(old.size(), width, to_string(ArraySignature{element_type<T>, RowKind::static_fixed, width}));
  const std::size_t entries = width;
  std::vector<T> fresh(static_cast<std::size_t>(new_offsets().local_rows()) * entries);
  // Fields are of mutable memory; these rows are only read.
  const auto field = [&](const T* data) {
    return detail::Field{.base = reinterpret_cast<std::byte*>(const_cast<T*>(data)),
                         .row_bytes = sizeof(T) * entries,
                         .row_stride = sizeof(T) * entries};
  };
  const detail::Field from = field(old.data()), to = field(fresh.data());
  move({&from, 1}, {&to, 1});
  return fresh;
}

template <class T, int RowSize, int RowMax, int RowAlign>
Array<T, RowSize, RowMax, RowAlign> Redistribution::apply(const Array<T, RowSize, RowMax, RowAlign>& old) const {
  using A = Array<T, RowSize, RowMax, RowAlign>;
  agreed(comm(), [&] { (void)old.storage(); });  // throws if the array is stale or decompressed
  expect_rows(static_cast<std::size_t>(old.rows()), 1,
              to_string(signature(old)) + (old.layout() == Layout::soa ? " SoA" : " AoS"));
  const std::int32_t rows = new_offsets().local_rows();
  A fresh;
  if constexpr (A::kKind == RowKind::csr) {
    std::vector<std::int32_t> sizes(old.rows());
    for (std::int32_t i = 0; i < old.rows(); ++i) sizes[i] = old.row_size(i);
    sizes = apply(sizes);
    std::vector<std::int64_t> offsets(1, 0);
    offsets.reserve(sizes.size() + 1);
    for (const std::int32_t size : sizes) offsets.push_back(offsets.back() + size);
    fresh = A(offsets, std::vector<T>(static_cast<std::size_t>(offsets.back())), old.backend());
  } else if constexpr (A::kWidth == Dynamic) {
    fresh = A(rows, old.width(), old.layout(), old.backend());
  } else {
    fresh = A(rows, old.layout(), old.backend());
  }
  (void)fresh.storage();  // marks the host side as written
  move(detail::fields(const_cast<A&>(old)), detail::fields(fresh));
  return fresh;
}

}  // namespace weft
