#pragma once
/// A position in the bytes of a mesh file: reads numbers as text or raw, and reports the location of errors.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "weft/base/error.hpp"

namespace weft::mesh::detail {

inline constexpr const char* kTruncated = "the file is truncated or damaged: write or copy it again";

/// Text is read by record, one record per line: a number must be on the line of its record, so that an error names the right
/// line. Blanks are space, tab and carriage return; lines end with \n or \r\n.
///
/// In binary mode number(), coordinate() and count() read raw values and the record functions have no effect, so that one
/// parser serves both variants of a format.
class MeshCursor {
 public:
  /// Reads `bytes`, which must exist as long as the cursor.
  MeshCursor(std::string_view bytes, std::string file);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::int64_t offset() const { return p_ - begin_; }
  [[nodiscard]] std::int64_t remaining() const { return end_ - p_; }
  /// Returns the bytes from this position to the end of the file.
  [[nodiscard]] std::string_view rest() const { return {p_, static_cast<std::size_t>(end_ - p_)}; }
  [[nodiscard]] bool binary() const { return binary_; }
  /// Moves to a position in the file, or to its end if that is before the position.
  void move_to(std::int64_t offset) { p_ = begin_ + std::min<std::int64_t>(offset, end_ - begin_); }
  /// Switches to raw values, with bytes swapped if `swapped`.
  void set_binary(bool binary, bool swapped) { binary_ = binary, swapped_ = swapped; }

  /// Set the element number in the file (-1: none) and the zone (empty: none) for messages.
  void set_element(std::int64_t element) { element_ = element; }
  void set_zone(std::string zone) { zone_ = std::move(zone); }

  // Lines, which binary files contain as well.

  /// Moves to the next character that is neither blank nor line end; returns false at the end of the file.
  bool next_line();
  /// Returns the current character. @pre next_line() was true.
  [[nodiscard]] char peek() const { return *p_; }
  /// Returns the rest of the line without surrounding blanks; does not move.
  [[nodiscard]] std::string_view rest_of_line() const;
  /// Returns rest_of_line() and moves past the end of the line.
  std::string_view take_line();
  void skip_line();
  [[nodiscard]] bool at_line_end() {
    skip_blanks();
    return p_ == end_ || *p_ == '\n';
  }
  /// Moves past the next occurrence of `text`, or returns false.
  bool skip_behind(std::string_view text);

  // Records.

  /// Moves to the next non-empty line of text. `what` names the record: "node 3 of 10". Fails at the end of the file or
  /// section.
  void begin_record(const char* what);
  /// Fails if the line of text contains further characters.
  void end_record(const char* what);

  /// Reads an integer of the line; binary: a raw T.
  template <class T = std::int64_t>
  [[nodiscard]] T number(const char* what) {
    if (binary_) return raw<T>(what);
    return integer<T>(what);
  }
  template <class T = std::int64_t>
  [[nodiscard]] T integer(const char* what);
  /// Reads a finite number; accepts E, D and signed exponents without a letter.
  [[nodiscard]] double coordinate(const char* what);
  /// Reads the number of records that follow. Fails if it is negative or if that many records of at least `bytes_each` bytes
  /// exceed the rest of the file.
  [[nodiscard]] std::int64_t count(const char* what, std::int64_t bytes_each);
  [[nodiscard]] std::int64_t checked_count(std::int64_t value, const char* what, std::int64_t bytes_each) const;
  template <class T>
  [[nodiscard]] T raw(const char* what);

  /// Throws an error. @throws MeshError at this position (or at `offset`; -1: the file), with the current element and zone.
  [[noreturn]] void fail(std::string problem, std::string suggestion) const {
    fail_at(offset(), std::move(problem), std::move(suggestion));
  }
  [[noreturn]] void fail_at(std::int64_t offset, std::string problem, std::string suggestion) const;

 private:
  void skip_blanks() {
    while (p_ < end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r')) ++p_;
  }
  [[nodiscard]] static bool ends_number(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  [[nodiscard]] double unusual_coordinate(const char* what);
  [[nodiscard]] double raw_coordinate(const char* what);
  [[noreturn]] void bad_number(const char* kind, const char* what) const;
  [[noreturn]] void out_of_range(const char* what) const;
  [[noreturn]] void ends_early(const char* what) const;
  [[noreturn]] void ends_within(const char* what, std::size_t bytes) const;

  const char *begin_, *p_, *end_;
  std::string file_, zone_;
  std::int64_t element_ = -1;
  bool binary_ = false, swapped_ = false;
};

template <class T>
T MeshCursor::integer(const char* what) {
  static_assert(std::is_signed_v<T>);
  skip_blanks();
  const char* p = p_;
  const bool negative = p < end_ && *p == '-';
  if (negative || (p < end_ && *p == '+')) ++p;
  const char* const first = p;
  std::uint64_t digits = 0;
  constexpr int kSafeDigits = 18;  // 18 digits never overflow 64 bits
  while (p < end_ && *p >= '0' && *p <= '9' && p - first <= kSafeDigits) digits = 10 * digits + static_cast<unsigned>(*p++ - '0');
  if (p - first > kSafeDigits) out_of_range(what);
  if (p == first || (p < end_ && !ends_number(*p))) bad_number("an integer", what);
  const std::int64_t value = negative ? -static_cast<std::int64_t>(digits) : static_cast<std::int64_t>(digits);
  if constexpr (sizeof(T) < sizeof(value)) {
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) out_of_range(what);
  }
  p_ = p;
  return static_cast<T>(value);
}

template <class T>
T MeshCursor::raw(const char* what) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (remaining() < static_cast<std::int64_t>(sizeof(T))) ends_within(what, sizeof(T));
  char bytes[sizeof(T)];
  std::memcpy(bytes, p_, sizeof(T));
  p_ += sizeof(T);
  if (swapped_) {
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
  }
  return std::bit_cast<T>(bytes);
}

}  // namespace weft::mesh::detail
