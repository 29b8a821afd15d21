#include "weft/array/array.hpp"

#include <fmt/format.h>

#include "weft/base/error.hpp"

namespace weft::detail {
namespace {
const char* name(Layout layout) { return layout == Layout::aos ? "AoS" : "SoA"; }
}  // namespace

void throw_bad_row(std::int64_t row, std::int64_t rows) {
  throw ContractError(fmt::format("row {} of an array of {} rows", row, rows),
                      "the rows count from 0 to one less than their number");
}
void throw_bad_entry(int k, int row_size) {
  throw ContractError(fmt::format("entry {} of a row of {}", k, row_size),
                      "the entries count from 0 to one less than the row size");
}
void throw_bad_row_size(int size, int row_max) {
  throw ContractError(fmt::format("a row of {} entries where 0 to {} fit", size, row_max),
                      "make the array with a larger maximum, or in the CSR layout");
}
void throw_bad_width(int width) { throw ContractError(fmt::format("rows of width {}", width), "a width is zero or more"); }
void throw_bad_layout(Layout wanted, Layout actual) {
  throw ContractError(fmt::format("{} view of an array laid out as {}", name(wanted), name(actual)),
                      "ask for the view that fits, or make the array in that layout");
}
void throw_no_device_side() {
  throw ContractError("a device view of an array without a device side", "make the array with that backend");
}
void throw_borrowed_resize() {
  throw ContractError("an array of memory of others cannot be resized", "make a new array, or clone() this one");
}
void throw_bad_offsets(std::int64_t position) {
  throw ContractError(fmt::format("CSR offsets are wrong at position {}", position),
                      "they start at 0, never fall, and end at the number of entries");
}
void throw_wrong_csr_state(const char* call, bool compressed) {
  throw ContractError(fmt::format("{} on a {} CSR array", call, compressed ? "compressed" : "decompressed"),
                      compressed ? "decompress() it first" : "compress() it first");
}

void throw_bad_boundary_rows(std::int64_t rows) {
  throw ContractError(fmt::format("an index space cannot have {} boundary rows (the number is negative)", rows),
                      "pass 0 where there are none");
}
void throw_bad_pair_rows(std::int64_t rows, std::int64_t wanted) {
  throw ContractError(fmt::format("{} rows are given for an index space of {} owned, ghost and boundary rows", rows, wanted),
                      "pass memory of all three parts");
}
void throw_not_whole_rows(std::size_t elements, int width) {
  throw ContractError(fmt::format("{} elements are not whole rows of width {}", elements, width),
                      "pass a multiple of a width of at least 1");
}

}  // namespace weft::detail
