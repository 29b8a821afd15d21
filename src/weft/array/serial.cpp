#include "weft/array/serial.hpp"

#include <fmt/format.h>

#include "weft/base/error.hpp"

namespace weft::detail {

void check_serial(const SerialRows& serial, const std::string& what) {
  const RowKind kind = serial.signature.kind;
  const bool uniform = kind == RowKind::static_fixed || kind == RowKind::fixed;
  (void)checked_local(serial.rows, what.c_str());
  if (serial.signature.width < 0) throw InputError(fmt::format("{} has rows of width {}", what, serial.signature.width));
  std::int64_t entries = serial.rows * serial.signature.width;
  if (!uniform) {
    if (static_cast<std::int64_t>(serial.row_sizes.size()) != serial.rows) {
      throw InputError(fmt::format("{} has {} rows, and sizes of {}", what, serial.rows, serial.row_sizes.size()));
    }
    entries = 0;
    for (const std::int32_t size : serial.row_sizes) {
      if (size < 0 || (kind != RowKind::csr && size > serial.signature.width)) {
        throw InputError(fmt::format("{} has a row of {} entries", what, size), "the data are damaged");
      }
      entries += size;
    }
  }
  if (entries * serial.signature.element.bytes != static_cast<std::int64_t>(serial.bytes.size())) {
    throw InputError(fmt::format("{} has {} bytes where {} entries of {} bytes are wanted", what, serial.bytes.size(), entries,
                                 serial.signature.element.bytes),
                     "the data are damaged");
  }
}

}  // namespace weft::detail
