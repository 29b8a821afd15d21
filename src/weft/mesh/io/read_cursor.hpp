#pragma once
/// A position in the bytes of a mesh file: reads numbers as text or raw, and says where in the file something is wrong.
#include <bit>
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

/// Text is read record by record, one record per line: a number is never looked for beyond the end of its line, so that an error
/// names the right line. Blanks are space, tab and carriage return; lines end with \n or \r\n.
///
/// In binary mode number(), coordinate() and count() read raw values and the record calls do nothing, so that one parser serves
/// both kinds of a format.
class MeshCursor {
 public:
  /// `bytes` must outlive the cursor.
  MeshCursor(std::string_view bytes, std::string file);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::int64_t offset() const { return p_ - begin_; }
  [[nodiscard]] std::int64_t remaining() const { return end_ - p_; }
  [[nodiscard]] bool binary() const { return binary_; }
  /// From now on values are raw, of the other byte order than this machine's if `swapped`.
  void set_binary(bool binary, bool swapped) { binary_ = binary, swapped_ = swapped; }

  /// What is being read, for messages: an element as the file numbers it (-1: none), a zone (empty: none).
  void set_element(std::int64_t element) { element_ = element; }
  void set_zone(std::string zone) { zone_ = std::move(zone); }

  // Lines. They are text in binary files, too.

  /// Moves to the next character that is neither blank nor line end; false at the end of the file.
  bool next_line();
  /// The character here. @pre next_line() was true.
  [[nodiscard]] char peek() const { return *p_; }
  /// The rest of the line without blanks around it; the position does not change.
  [[nodiscard]] std::string_view rest_of_line() const;
  /// As rest_of_line(), and moves behind the line's end.
  std::string_view take_line();
  void skip_line();
  [[nodiscard]] bool at_line_end() {
    skip_blanks();
    return p_ == end_ || *p_ == '\n';
  }
  /// Moves behind the next `text` from here on, or returns false.
  bool skip_behind(std::string_view text);

  // Records.

  /// Text: moves to the next non-empty line. `what` names the record: "node 3 of 10". Fails at the file's or the section's end.
  void begin_record(const char* what);
  /// Text: fails if something is left in the line.
  void end_record(const char* what);

  /// An integer of the line; binary: a raw T.
  template <class T = std::int64_t>
  [[nodiscard]] T number(const char* what) {
    if (binary_) return raw<T>(what);
    return integer<T>(what);
  }
  template <class T = std::int64_t>
  [[nodiscard]] T integer(const char* what);
  /// A finite number; E, D and signed exponents without a letter are understood.
  [[nodiscard]] double coordinate(const char* what);
  /// How many records follow. Fails if negative or if so many, of `bytes_each` or more, cannot lie in the rest of the file.
  [[nodiscard]] std::int64_t count(const char* what, std::int64_t bytes_each);
  [[nodiscard]] std::int64_t checked_count(std::int64_t value, const char* what, std::int64_t bytes_each) const;
  template <class T>
  [[nodiscard]] T raw(const char* what);

  /// @throws MeshError at this place (or at `offset`; -1: in the file as a whole), with the element and zone set before.
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
  constexpr int kSafeDigits = 18;  // one more still fits 64 bits without a sign
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
  if (remaining() < static_cast<std::int64_t>(sizeof(T))) ends_early(what);
  char bytes[sizeof(T)];
  std::memcpy(bytes, p_, sizeof(T));
  p_ += sizeof(T);
  if (swapped_) {
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
  }
  return std::bit_cast<T>(bytes);
}

}  // namespace weft::mesh::detail
