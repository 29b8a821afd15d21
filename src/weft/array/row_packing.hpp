#pragma once
/// Packing of rows: gather rows into a message, scatter a message to rows, reduce a message into rows. One indirect call per
/// array and neighbour; the loops are compiled for fixed row sizes.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "weft/array/layout.hpp"
#include "weft/array/reduce.hpp"

namespace weft::detail {

struct Reducers;

/// An exchanged field: an AoS array, one component of a SoA array, the row sizes of a padded array, or the entries of a CSR
/// array.
struct Field {
  std::byte* base = nullptr;
  std::byte* allocation = nullptr;        ///< device memory: start of the allocation
  std::size_t row_bytes = 0;              ///< exchanged bytes of a row; CSR: of one entry
  std::size_t row_stride = 0;             ///< bytes between rows; CSR: 0
  const std::int64_t* offsets = nullptr;  ///< CSR only: entry offsets of the rows
  const Reducers* reducers = nullptr;     ///< null: pull and insert only (row sizes)

  [[nodiscard]] bool csr() const { return offsets != nullptr; }
  [[nodiscard]] std::byte* row(LocalRow i) const {
    return base + (csr() ? static_cast<std::size_t>(offsets[i.index()]) * row_bytes : i.index() * row_stride);
  }
  [[nodiscard]] std::size_t bytes_of(LocalRow i) const {
    return csr() ? static_cast<std::size_t>(offsets[i.index() + 1] - offsets[i.index()]) * row_bytes : row_bytes;
  }
  /// Returns true if consecutive rows are contiguous in memory.
  [[nodiscard]] bool dense() const { return csr() || row_bytes == row_stride; }
};

/// A set of rows of an array: a contiguous range, or a list (owned by the plan).
struct RowSet {
  LocalRow first{0};
  std::size_t count = 0;
  const LocalRow* list = nullptr;  ///< null: first, first + 1, ...

  RowSet() = default;
  explicit RowSet(IdRange<LocalRow> run) : first(run.first()), count(static_cast<std::size_t>(run.size())) {}
  /// Refers to a list; a list of consecutive rows becomes a range.
  explicit RowSet(std::span<const LocalRow> rows);

  [[nodiscard]] bool is_run() const { return list == nullptr; }
  /// Returns the subset of `n` rows from the i-th on.
  [[nodiscard]] RowSet part(std::size_t i, std::size_t n) const;
  [[nodiscard]] LocalRow operator[](std::size_t i) const {
    return list == nullptr ? LocalRow(first.value() + static_cast<std::int32_t>(i)) : list[i];
  }
};

/// Adds the rows of a message to `rows` of `field`, or takes the minimum or maximum; row by row, entry by entry. Returns the
/// end of the data read.
using ReduceRows = const std::byte* (*)(const Field& field, const RowSet& rows, const std::byte* message);

template <class T>
constexpr Element element_of() {
  if (std::is_same_v<T, float>) return Element::f32;
  if (std::is_same_v<T, double>) return Element::f64;
  if (std::is_same_v<T, std::int32_t>) return Element::i32;
  return std::is_same_v<T, std::int64_t> ? Element::i64 : Element::other;
}

/// Reductions of an element type; null if the type does not support the operation.
struct Reducers {
  Element element = Element::other;
  ReduceRows add = nullptr, min = nullptr, max = nullptr;
  [[nodiscard]] ReduceRows get(Reduce op) const { return op == Reduce::add ? add : (op == Reduce::min ? min : max); }
};

/// Returns the bytes of these rows in a message.
[[nodiscard]] std::size_t message_bytes(const Field& field, const RowSet& rows);
/// Copies `rows` of `field` contiguously to `message`. Returns the end of the data written.
std::byte* gather_rows(const Field& field, const RowSet& rows, std::byte* message);
/// Inverts gather_rows(); the last occurrence of a row wins. Returns the end of the data read.
const std::byte* scatter_rows(const Field& field, const RowSet& rows, const std::byte* message);

template <class T, class Op>
const std::byte* reduce_rows(const Field& field, const RowSet& rows, const std::byte* message) {
  for (std::size_t i = 0; i < rows.count; ++i) {
    const LocalRow row = rows[i];
    std::byte* entry = field.row(row);
    const std::size_t entries = field.bytes_of(row) / sizeof(T);
    for (std::size_t k = 0; k < entries; ++k, entry += sizeof(T), message += sizeof(T)) {
      T owned, ghost;  // messages are not aligned for T
      std::memcpy(&owned, entry, sizeof(T));
      std::memcpy(&ghost, message, sizeof(T));
      owned = Op{}(owned, ghost);
      std::memcpy(entry, &owned, sizeof(T));
    }
  }
  return message;
}

template <class T>
constexpr Reducers make_reducers() {
  Reducers r{.element = element_of<T>()};
  if constexpr (requires(T a, T b) { static_cast<T>(a + b); }) r.add = &reduce_rows<T, AddInto<T>>;
  if constexpr (requires(T a, T b) { static_cast<bool>(a < b); }) {
    r.min = &reduce_rows<T, TakeMin<T>>;
    r.max = &reduce_rows<T, TakeMax<T>>;
  }
  return r;
}
template <class T>
inline constexpr Reducers kReducers = make_reducers<T>();

}  // namespace weft::detail
