#include "weft/task/access_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <cstring>
#include <optional>
#include <span>

#include "weft/base/error.hpp"

namespace weft::task {
namespace {

/// A signalling NaN: bits 62 to 52 are set, bit 51 is not, which operations set. Below it a mark, the number of the data and the
/// part.
constexpr std::uint64_t kMark = 0x7FF4'A5C3'0000'0000, kMarkMask = 0x7FF7'FFFF'0000'0000;
/// Poison of float: bits 30 to 23 are set, bit 22 is not.
constexpr std::uint32_t kMark32 = 0x7FAD'0000, kMarkMask32 = 0x7FBF'0000;
constexpr std::uint32_t kPartBits = 4;

[[nodiscard]] bool changes(Mode mode) { return mode != Mode::read; }

[[nodiscard]] const char* name_of(Part part) {
  switch (part) {
    case Part::inner:
      return "inner rows";
    case Part::border:
      return "border rows";
    case Part::ghost:
      return "ghost rows";
    default:
      return "boundary rows";
  }
}

/// Fills memory with poison. @param width  bytes of an element: 4, or 8 for any others.
void fill(std::span<std::byte> memory, std::uint32_t tag, std::size_t width) {
  const std::uint64_t wide = kMark | tag;
  const std::uint32_t narrow = kMark32 | (tag & 0xFFFF);
  const std::uint64_t pair = std::uint64_t{narrow} << 32 | narrow;
  for (std::size_t i = 0; i < memory.size(); i += 8) {
    std::memcpy(memory.data() + i, width == 4 ? &pair : &wide, std::min<std::size_t>(8, memory.size() - i));
  }
}

/// Returns the tag of the first poisoned element, after operations on it, too.
[[nodiscard]] std::optional<std::uint32_t> first_poison(std::span<const std::byte> memory, std::size_t width) {
  for (std::size_t i = 0; i + width <= memory.size(); i += width) {
    if (width == 4) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, memory.data() + i, 4);
      if ((bits & kMarkMask32) == kMark32) return bits & 0xFFFF;
    } else {
      std::uint64_t bits = 0;
      std::memcpy(&bits, memory.data() + i, 8);
      if ((bits & kMarkMask) == kMark) return static_cast<std::uint32_t>(bits);
    }
  }
  return std::nullopt;
}

[[nodiscard]] std::size_t width_of(const detail::Field& field) {
  return field.reducers != nullptr && field.reducers->element == detail::Element::f32 ? 4 : 8;
}

}  // namespace

AccessGuard::AccessGuard(std::vector<Datum>& data) : data_(data) {
  for (std::size_t d = 0; d < data.size(); ++d) {
    if (data[d].is_memory) continue;  // no task of the host accesses it
    if (!data[d].array) {
      pieces_.push_back({d, Part::owned, 0, 1});
      continue;
    }
    const std::int32_t owned = data[d].array->plan().owned_rows(), local = data[d].array->plan().rows();
    pieces_.push_back({d, Part::inner, 0, data[d].inner_rows});
    pieces_.push_back({d, Part::border, data[d].inner_rows, owned});
    pieces_.push_back({d, Part::ghost, owned, local});
    pieces_.push_back({d, Part::boundary, local, data[d].array->rows()});
  }
}

std::string AccessGuard::describe(const Piece& piece) const {
  const Datum& datum = data_[piece.data];
  return datum.array ? fmt::format("the {} of '{}'", name_of(piece.part), datum.name)
                     : fmt::format("the number '{}'", datum.name);
}

/// Calls f(memory, width of an element, row) for each contiguous block of a piece; row sizes are omitted.
template <class F>
void AccessGuard::for_each_block(const Piece& piece, const F& f) {
  const Datum& datum = data_[piece.data];
  if (!datum.array) {
    f(std::as_writable_bytes(std::span(datum.number, 1)), std::size_t{8}, 0);
    return;
  }
  for (const detail::Field& field : datum.array->fields(Side::host)) {
    if (field.reducers == nullptr) continue;
    for (std::int32_t row = piece.first; row < piece.last; ++row) {
      f(std::span(field.row(LocalRow(row)), field.bytes_of(LocalRow(row))), width_of(field), row);
    }
  }
}

void AccessGuard::begin(const TaskShape& task, Part rows) {
  for (Piece& piece : pieces_) {
    piece.may_read = piece.may_write = false;
    const Datum& datum = data_[piece.data];
    for (const Access& access : task.accesses) {
      if (access.data.index() != piece.data) continue;
      Part part = datum.array ? access.part : Part::owned;
      if (datum.array && changes(access.mode)) part = rows == Part::owned ? part : part & rows;
      if (datum.array && !changes(access.mode) && rows == Part::inner) part = without(part, Part::ghost);
      if (!overlap(part, piece.part)) continue;
      piece.may_read = piece.may_read || access.mode != Mode::write;
      piece.may_write = piece.may_write || changes(access.mode);
    }
    piece.saved.clear();
    piece.poison.clear();
    if (piece.may_read && piece.may_write) continue;
    const bool padded = datum.array && datum.array->has_row_sizes();
    if (padded && piece.may_write) continue;  // entries behind the end of a row are not overwritten
    const auto tag = static_cast<std::uint32_t>(piece.data << kPartBits) | static_cast<std::uint32_t>(piece.part);
    for_each_block(piece, [&](std::span<std::byte> memory, std::size_t width, std::int32_t /*row*/) {
      piece.saved.insert(piece.saved.end(), memory.begin(), memory.end());
      if (!piece.may_read) fill(memory, tag, width);
      piece.poison.insert(piece.poison.end(), memory.begin(), memory.end());
    });
  }
  std::feclearexcept(FE_INVALID);
}

void AccessGuard::find_poison(const Piece& piece) {
  for_each_block(piece, [&](std::span<std::byte> memory, std::size_t width, std::int32_t row) {
    const std::optional<std::uint32_t> tag = first_poison(memory, width);
    if (!tag) return;
    const auto of = std::ranges::find_if(pieces_, [&](const Piece& other) {
      return other.data == *tag >> kPartBits && other.part == static_cast<Part>(*tag & ((1U << kPartBits) - 1));
    });
    if (of == pieces_.end()) return;  // a number of the program that happens to look like poison
    if (&*of == &piece) {
      throw ContractError(fmt::format("it does not overwrite {}{}, or reads before", describe(piece),
                                      data_[piece.data].array ? fmt::format(" (row {})", row) : ""),
                          "state the access by reads_writes() instead of writes()");
    }
    throw ContractError(fmt::format("it reads {}, which it {}", describe(*of),
                                    of->may_write ? "states to overwrite only" : "does not state to read"),
                        "add the access to the task, or compute only what the task states");
  });
}

std::string AccessGuard::restore() {
  std::string written;
  for (const Piece& piece : pieces_) {
    if (piece.saved.empty() || piece.may_write) continue;
    std::size_t at = 0;
    for_each_block(piece, [&](std::span<std::byte> memory, std::size_t /*width*/, std::int32_t row) {
      if (written.empty() && !std::ranges::equal(memory, std::span(piece.poison).subspan(at, memory.size()))) {
        written = fmt::format("it writes {}{}, which it {}", describe(piece),
                              data_[piece.data].array ? fmt::format(" (row {})", row) : "",
                              piece.may_read ? "states to read only" : "does not state");
      }
      std::ranges::copy(std::span(piece.saved).subspan(at, memory.size()), memory.begin());
      at += memory.size();
    });
  }
  return written;
}

void AccessGuard::end() {
  const bool invalid = std::fetestexcept(FE_INVALID) != 0;
  const std::string written = restore();
  if (!written.empty()) throw ContractError(written, "add the access to the task, or write only what the task states");
  for (const Piece& piece : pieces_) {
    if (piece.may_write) find_poison(piece);
  }
  std::string not_readable;
  for (const Piece& piece : pieces_) {
    if (!piece.may_read && !piece.saved.empty()) not_readable += (not_readable.empty() ? "" : ", ") + describe(piece);
  }
  if (invalid && !not_readable.empty()) {
    throw ContractError("it computes with invalid operands: it reads one of " + not_readable + ", or computes 0/0 or the like",
                        "add the access to the task, or compute only what the task states");
  }
}

}  // namespace weft::task
