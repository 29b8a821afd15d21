#include "weft/array/transport/link.hpp"

namespace weft::detail {

std::size_t LinkFields::bytes(const RowSet& rows) const {
  std::size_t sum = 0;
  for (const Field& field : fields) sum += message_bytes(field, rows);
  return sum;
}

}  // namespace weft::detail
