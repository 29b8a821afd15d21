#pragma once
/// Signatures: the type of an array without its values and number of rows. Ranks compare them before an exchange, and readers
/// before reading.
#include <cstdint>
#include <string>

#include "weft/array/array.hpp"
#include "weft/array/element_type.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {

struct ArraySignature {
  ElementType element;
  RowKind kind = RowKind::static_fixed;
  std::int32_t width = 0;  ///< entries per row, or their maximum for padded rows; 0 for CSR
  friend bool operator==(const ArraySignature&, const ArraySignature&) = default;
};

/// Returns text such as "float64 static_fixed(5)".
[[nodiscard]] std::string to_string(const ArraySignature& signature);

template <class T, int RowSize, int RowMax, int RowAlign>
[[nodiscard]] ArraySignature signature(const Array<T, RowSize, RowMax, RowAlign>& array) {
  using A = Array<T, RowSize, RowMax, RowAlign>;
  if constexpr (A::kKind == RowKind::csr) {
    return {element_type<T>, A::kKind, 0};
  } else {
    return {element_type<T>, A::kKind, array.width()};
  }
}

/// Compares signatures. @throws InputError with both unless they are equal. `what` names the array in the message.
void expect_signature(const ArraySignature& found, const ArraySignature& wanted, const std::string& what);

/// Checks that all ranks pass the same text, which describes the arrays of an exchange. @throws CommError on every rank
/// otherwise.
/// @collective
void expect_same_on_all_ranks(const Communicator& comm, const std::string& text);

}  // namespace weft
