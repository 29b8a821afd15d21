#include "weft/array/row_packing.hpp"

#include "weft/base/macros.hpp"

namespace weft::detail {
namespace {

// Prefetch distance in rows: rows in random order are not in any cache.
constexpr std::size_t kAhead = 16;

template <std::size_t Bytes>
void gather_fixed(const Field& field, const LocalRow* WEFT_RESTRICT list, std::size_t count, std::byte* WEFT_RESTRICT message) {
  const std::byte* const base = field.base;
  const std::size_t stride = field.row_stride;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) __builtin_prefetch(base + list[i + kAhead].index() * stride);
    std::memcpy(message + i * Bytes, base + list[i].index() * stride, Bytes);
  }
}

template <std::size_t Bytes>
void scatter_fixed(const Field& field, const LocalRow* WEFT_RESTRICT list, std::size_t count,
                   const std::byte* WEFT_RESTRICT message) {
  std::byte* const base = field.base;
  const std::size_t stride = field.row_stride;
  for (std::size_t i = 0; i < count; ++i) std::memcpy(base + list[i].index() * stride, message + i * Bytes, Bytes);
}

/// Calls `known(std::integral_constant<std::size_t, n>)` for common row sizes, and `other()` for all others.
template <class Known, class Other>
void with_row_bytes(std::size_t bytes, Known known, Other other) {
  const auto n = [&]<std::size_t N>() { known(std::integral_constant<std::size_t, N>{}); };
  switch (bytes) {
    case 4:
      return n.template operator()<4>();
    case 8:
      return n.template operator()<8>();
    case 12:
      return n.template operator()<12>();
    case 16:
      return n.template operator()<16>();
    case 24:
      return n.template operator()<24>();
    case 32:
      return n.template operator()<32>();
    case 40:
      return n.template operator()<40>();
    case 48:
      return n.template operator()<48>();
    case 56:
      return n.template operator()<56>();
    case 64:
      return n.template operator()<64>();
    case 72:
      return n.template operator()<72>();
    case 80:
      return n.template operator()<80>();
    case 96:
      return n.template operator()<96>();
    case 112:
      return n.template operator()<112>();
    case 120:
      return n.template operator()<120>();
    case 128:
      return n.template operator()<128>();
    default:
      return other();
  }
}

}  // namespace

RowSet::RowSet(std::span<const LocalRow> rows) : count(rows.size()) {
  if (rows.empty()) return;
  first = rows.front();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].value() != first.value() + static_cast<std::int32_t>(i)) {
      list = rows.data();
      return;
    }
  }
}

RowSet RowSet::part(std::size_t i, std::size_t n) const {
  if (list != nullptr) return RowSet(std::span(list + i, n));
  RowSet run;
  run.first = LocalRow(first.value() + static_cast<std::int32_t>(i));
  run.count = n;
  return run;
}

std::size_t message_bytes(const Field& field, const RowSet& rows) {
  if (!field.csr()) return rows.count * field.row_bytes;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < rows.count; ++i) bytes += field.bytes_of(rows[i]);
  return bytes;
}

std::byte* gather_rows(const Field& field, const RowSet& rows, std::byte* message) {
  if (rows.count == 0) return message;
  if (rows.is_run() && field.dense()) {
    const std::size_t bytes = message_bytes(field, rows);
    if (bytes > 0) std::memcpy(message, field.row(rows.first), bytes);
    return message + bytes;
  }
  if (rows.is_run() || field.csr()) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      const std::size_t bytes = field.bytes_of(rows[i]);
      if (bytes > 0) std::memcpy(message, field.row(rows[i]), bytes);
      message += bytes;
    }
    return message;
  }
  with_row_bytes(
      field.row_bytes, [&](auto bytes) { gather_fixed<decltype(bytes)::value>(field, rows.list, rows.count, message); },
      [&] {
        for (std::size_t i = 0; i < rows.count; ++i)
          std::memcpy(message + i * field.row_bytes, field.row(rows.list[i]), field.row_bytes);
      });
  return message + rows.count * field.row_bytes;
}

const std::byte* scatter_rows(const Field& field, const RowSet& rows, const std::byte* message) {
  if (rows.count == 0) return message;
  if (rows.is_run() && field.dense()) {
    const std::size_t bytes = message_bytes(field, rows);
    if (bytes > 0) std::memcpy(field.row(rows.first), message, bytes);
    return message + bytes;
  }
  if (rows.is_run() || field.csr()) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      const std::size_t bytes = field.bytes_of(rows[i]);
      if (bytes > 0) std::memcpy(field.row(rows[i]), message, bytes);
      message += bytes;
    }
    return message;
  }
  with_row_bytes(
      field.row_bytes, [&](auto bytes) { scatter_fixed<decltype(bytes)::value>(field, rows.list, rows.count, message); },
      [&] {
        for (std::size_t i = 0; i < rows.count; ++i)
          std::memcpy(field.row(rows.list[i]), message + i * field.row_bytes, field.row_bytes);
      });
  return message + rows.count * field.row_bytes;
}

}  // namespace weft::detail
