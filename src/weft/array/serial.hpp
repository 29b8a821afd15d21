#pragma once
/// Arrays as plain rows of bytes with a signature: what files and other transports store, whatever the array's layout was.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/array/signature.hpp"

namespace weft {

/// Rows one after the other, AoS, without padding.
struct SerialRows {
  ArraySignature signature;
  std::int64_t rows = 0;
  std::vector<std::int32_t> row_sizes;  ///< of each row; empty where all rows are signature.width long
  std::vector<std::byte> bytes;         ///< sum of row sizes elements of signature.element
};

namespace detail {
/// @throws InputError unless counts and sizes fit each other.
void check_serial(const SerialRows& serial, const std::string& what);
}  // namespace detail

/// @throws ContractError for a decompressed CSR array; DeviceError if the host side is stale.
template <class T, int RowSize, int RowMax, int RowAlign>
[[nodiscard]] SerialRows serialize(const Array<T, RowSize, RowMax, RowAlign>& array) {
  using A = Array<T, RowSize, RowMax, RowAlign>;
  SerialRows serial{.signature = signature(array), .rows = array.rows(), .row_sizes = {}, .bytes = {}};
  (void)array.storage();  // throws where it is stale or decompressed
  std::size_t entries = 0;
  for (std::int32_t i = 0; i < array.rows(); ++i) {
    entries += static_cast<std::size_t>(array.row_size(i));
    if constexpr (A::kKind == RowKind::csr || A::kKind == RowKind::static_max || A::kKind == RowKind::max) {
      serial.row_sizes.push_back(array.row_size(i));
    }
  }
  serial.bytes.resize(entries * sizeof(T));
  std::byte* at = serial.bytes.data();
  for (std::int32_t i = 0; i < array.rows(); ++i) {
    for (int k = 0; k < array.row_size(i); ++k, at += sizeof(T)) std::memcpy(at, &array(i, k), sizeof(T));
  }
  return serial;
}

/// The array that was serialized, in the layout wanted. `what` names the source in messages.
/// @throws InputError if the signature is not A's, or the counts do not fit.
template <class A>
[[nodiscard]] A deserialize(const SerialRows& serial, const std::string& what, Layout layout = Layout::aos) {
  using T = typename A::value_type;
  A array;
  if constexpr (A::kKind == RowKind::csr) {
    expect_signature(serial.signature, signature(array), what);
    detail::check_serial(serial, what);
    std::vector<std::int64_t> offsets(1, 0);
    for (const std::int32_t size : serial.row_sizes) offsets.push_back(offsets.back() + size);
    array = A(offsets, std::vector<T>(static_cast<std::size_t>(offsets.back())));
  } else {
    if constexpr (A::kWidth == Dynamic) {
      array = A(0, serial.signature.width, layout);
    } else {
      array = A(0, layout);
    }
    expect_signature(serial.signature, signature(array), what);
    detail::check_serial(serial, what);
    array.resize(serial.rows);
    if constexpr (A::kPadded) {
      for (std::int32_t i = 0; i < array.rows(); ++i) array.resize_row(i, serial.row_sizes[static_cast<std::size_t>(i)]);
    }
  }
  const std::byte* at = serial.bytes.data();
  for (std::int32_t i = 0; i < array.rows(); ++i) {
    for (int k = 0; k < array.row_size(i); ++k, at += sizeof(T)) std::memcpy(&array(i, k), at, sizeof(T));
  }
  return array;
}

}  // namespace weft
