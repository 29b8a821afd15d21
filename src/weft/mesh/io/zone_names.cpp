#include "weft/mesh/io/zone_names.hpp"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <string_view>

namespace weft::mesh::detail {
namespace {

/// Returns the code point of a sequence of at least two bytes at the start of the text, and takes the sequence away; -1 if the
/// bytes are no such sequence.
std::int32_t take_sequence(std::string_view& text) {
  const int bytes = std::countl_one(static_cast<unsigned char>(text.front()));
  if (bytes < 2 || bytes > 4 || text.size() < static_cast<std::size_t>(bytes)) return -1;
  std::int32_t point = static_cast<unsigned char>(text.front()) & (0x7F >> bytes);
  for (int i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[static_cast<std::size_t>(i)]);
    if ((byte & 0xC0) != 0x80) return -1;
    point = (point << 6) | (byte & 0x3F);
  }
  text.remove_prefix(static_cast<std::size_t>(bytes));
  constexpr std::int32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // smallest for this number of bytes
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  return point < kLeast[bytes] || point > 0x10FFFF || surrogate ? -1 : point;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      text.remove_prefix(1);
    } else if (take_sequence(text) < 0) {
      return false;
    }
  }
  return true;
}

std::string from_latin_1(std::string_view text) {
  std::string converted;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      converted += c;
    } else {
      converted += static_cast<char>(0xC0 | (byte >> 6));
      converted += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return converted;
}

}  // namespace

void convert_names_to_utf8(MeshBlock& block) {
  for (Zone& zone : block.zones) {
    if (is_utf8(zone.name)) continue;
    zone.name = from_latin_1(zone.name);
    block.notes.push_back(fmt::format("the name of zone \"{}\" is not UTF-8 and was converted from Latin-1", zone.name));
  }
}

}  // namespace weft::mesh::detail
