#include "weft/mesh/io/read_cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace weft::mesh::detail {
namespace {

constexpr std::size_t kQuoted = 40;  // number of characters of the file quoted in a message

/// Returns the beginning of `text` in printable form.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kQuoted)) out += c >= ' ' && c <= '~' ? c : '?';
  return fmt::format("\"{}{}\"", out, text.size() > kQuoted ? "..." : "");
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

MeshCursor::MeshCursor(std::string_view bytes, std::string file)
    : begin_(bytes.data()), p_(bytes.data()), end_(bytes.data() + bytes.size()), file_(std::move(file)) {
  if (bytes.starts_with("\xEF\xBB\xBF")) p_ += 3;  // byte order mark of UTF-8
}

bool MeshCursor::next_line() {
  while (p_ < end_ && ends_number(*p_)) ++p_;
  return p_ < end_;
}

std::string_view MeshCursor::rest_of_line() const {
  const std::string_view rest(p_, end_ - p_);
  return trimmed(rest.substr(0, rest.find('\n')));
}

std::string_view MeshCursor::take_line() {
  const std::string_view line = rest_of_line();
  skip_line();
  return line;
}

void MeshCursor::skip_line() {
  const void* const newline = p_ < end_ ? std::memchr(p_, '\n', end_ - p_) : nullptr;
  p_ = newline ? static_cast<const char*>(newline) + 1 : end_;
}

bool MeshCursor::skip_behind(std::string_view text) {
  const std::string_view rest(p_, end_ - p_);
  const std::size_t found = rest.find(text);
  if (found == std::string_view::npos) return false;
  p_ += found + text.size();
  return true;
}

void MeshCursor::begin_record(const char* what) {
  if (binary_) return;
  if (!next_line()) ends_early(what);
  if (*p_ == '$') {
    fail(fmt::format("the section ends where the next {} is expected", what),
         fmt::format("the count before it is too large or lines are missing: {}", kTruncated));
  }
}

void MeshCursor::end_record(const char* what) {
  if (binary_) return;
  if (!at_line_end()) {
    fail(fmt::format("unexpected {} in the line of the {}", quoted(rest_of_line()), what),
         "each record has a line of its own: compare the line with those around it");
  }
}

double MeshCursor::coordinate(const char* what) {
  if (binary_) return raw_coordinate(what);
  skip_blanks();
  const char* const first = p_ + (p_ < end_ && *p_ == '+' ? 1 : 0);
  double value = 0;
  const auto [p, error] = std::from_chars(first, end_, value);
  if (error != std::errc() || (p < end_ && !ends_number(*p))) return unusual_coordinate(what);
  if (!std::isfinite(value)) fail(fmt::format("{} is {}", what, value), "a coordinate must be a finite number: repair the mesh");
  p_ = p;
  return value;
}

double MeshCursor::raw_coordinate(const char* what) {
  const auto value = raw<double>(what);
  if (!std::isfinite(value)) {
    fail_at(offset() - static_cast<std::int64_t>(sizeof value), fmt::format("{} is {}", what, value),
            "a coordinate must be a finite number: repair the mesh");
  }
  return value;
}

/// Reads numbers that std::from_chars does not accept: 1.5D-03, 1.5-103 (Fortran), and those beyond the range of a double.
double MeshCursor::unusual_coordinate(const char* what) {
  const char* const stop = std::find_if(p_, end_, ends_number);
  constexpr std::ptrdiff_t kLongest = 400;
  if (stop - p_ > kLongest) bad_number("a number", what);
  std::string text;
  for (const char* p = p_ + (p_ < stop && *p_ == '+' ? 1 : 0); p < stop; ++p) {
    const bool after_digit = !text.empty() && ((text.back() >= '0' && text.back() <= '9') || text.back() == '.');
    if (after_digit && (*p == 'D' || *p == 'd' || *p == 'E')) {
      text += 'e';
    } else if (after_digit && (*p == '+' || *p == '-')) {
      text += 'e';
      if (*p == '-') text += *p;
    } else if (*p != '+') {
      text += *p;
    }
  }
  double value = 0;
  const auto [p, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (p != text.data() + text.size() || error == std::errc::invalid_argument) bad_number("a number", what);
  if (error == std::errc::result_out_of_range) {
    if (text.find("e-") == std::string::npos) {
      fail(fmt::format("{} is {}, beyond the range of a double", what, text),
           "a coordinate must be a finite number: repair the mesh");
    }
    value = text.front() == '-' ? -0.0 : 0.0;
  }
  p_ = stop;
  return value;
}

std::int64_t MeshCursor::count(const char* what, std::int64_t bytes_each) {
  return checked_count(number<std::int64_t>(what), what, bytes_each);
}

std::int64_t MeshCursor::checked_count(std::int64_t value, const char* what, std::int64_t bytes_each) const {
  if (value < 0) fail(fmt::format("the {} is {}", what, value), "a count cannot be negative: write the mesh again");
  if (value > remaining() / bytes_each + 1) {
    fail(fmt::format("the {} is {}, but only {} bytes follow", what, value, remaining()), kTruncated);
  }
  return value;
}

void MeshCursor::bad_number(const char* kind, const char* what) const {
  if (p_ == end_) ends_early(what);
  if (*p_ == '\n') {
    fail(fmt::format("the line ends where the {} is expected", what),
         "a number is missing: compare the line with those around it");
  }
  const std::string_view rest = rest_of_line();
  fail(fmt::format("expected {} ({}), found {}", kind, what, quoted(rest.substr(0, rest.find_first_of(" \t")))),
       "compare the line with those around it");
}

void MeshCursor::out_of_range(const char* what) const {
  const std::string_view rest = rest_of_line();
  fail(fmt::format("the {} {} is out of range", what, quoted(rest.substr(0, rest.find_first_of(" \t")))), kTruncated);
}

void MeshCursor::ends_early(const char* what) const {
  fail(fmt::format("the file ends where the {} is expected", what), kTruncated);
}

void MeshCursor::ends_within(const char* what, std::size_t bytes) const {
  fail(fmt::format("the file ends where the {} is expected (bytes to be read: {}; bytes there: {})", what, bytes, remaining()),
       kTruncated);
}

void MeshCursor::fail_at(std::int64_t offset, std::string problem, std::string suggestion) const {
  Where where{.file = file_, .zone = zone_, .element = element_};
  if (binary_) {
    where.offset = offset;
  } else if (offset >= 0) {
    const char* const place = begin_ + std::min<std::int64_t>(offset, end_ - begin_);
    where.line = 1 + std::count(begin_, place, '\n');
    // Data missing at the end of the file belong to the last line, not to the empty line after it.
    if (place == end_ && place > begin_ && place[-1] == '\n') --where.line;
  }
  throw MeshError(std::move(problem), std::move(suggestion), std::move(where));
}

}  // namespace weft::mesh::detail
