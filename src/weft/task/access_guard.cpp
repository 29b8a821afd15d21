#include "weft/task/access_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "weft/base/error.hpp"
#include "weft/device/buffers.hpp"
#include "weft/task/part_text.hpp"

namespace weft::task {
namespace {

/// A signalling NaN: bits 62 to 52 are set, bit 51 is not, which operations set. Below it a mark and the number of the piece.
constexpr std::uint64_t kMark = 0x7FF4'A5C3'0000'0000, kMarkMask = 0x7FF7'FFFF'0000'0000;
/// Poison of float: bits 30 to 23 are set, bit 22 is not.
constexpr std::uint32_t kMark32 = 0x7FAD'0000, kMarkMask32 = 0x7FBF'0000;
/// Width of elements that are not poisoned.
constexpr std::size_t kNotPoisoned = 0;

/// Fills memory with poison. @param width  bytes of an element: 4, or 8 for any others.
void fill(std::span<std::byte> memory, std::uint32_t tag, std::size_t width) {
  if (width == kNotPoisoned) return;
  const std::uint64_t wide = kMark | tag;
  const std::uint32_t narrow = kMark32 | (tag & 0xFFFF);
  const std::uint64_t pair = std::uint64_t{narrow} << 32 | narrow;
  for (std::size_t i = 0; i < memory.size(); i += 8) {
    std::memcpy(memory.data() + i, width == 4 ? &pair : &wide, std::min<std::size_t>(8, memory.size() - i));
  }
}

/// Returns the tag of the first poisoned element, after operations on it, too.
[[nodiscard]] std::optional<std::uint32_t> first_poison(std::span<const std::byte> memory, std::size_t width) {
  if (width == kNotPoisoned) return std::nullopt;
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

[[nodiscard]] std::size_t width_of(const detail::Field& field, Side side) {
  if (field.reducers->element == detail::Element::f32) return 4;
  return side == Side::host || field.reducers->element == detail::Element::f64 ? 8 : kNotPoisoned;
}

[[nodiscard]] bool is_nan(const std::byte* at, std::size_t width) {
  if (width == 4) {
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return std::isnan(value);
  }
  double value = 0;
  std::memcpy(&value, at, sizeof value);
  return std::isnan(value);
}

}  // namespace

AccessGuard::AccessGuard(std::vector<Datum>& data, Backend device)
    : data_(data), device_(device), stream_(Stream::for_backend(device)) {
  for (std::size_t d = 0; d < data.size(); ++d) {
    if (data[d].is_memory) {
      pieces_.push_back({d, Part::owned, Side::device, {}});
      continue;
    }
    add_pieces(d, Side::host);
    if (data[d].on_device()) add_pieces(d, Side::device);
  }
}

void AccessGuard::add_pieces(std::size_t data, Side side) {
  const Datum& datum = data_[data];
  if (!datum.array) {
    pieces_.push_back({data, Part::owned, side, {}});
    return;
  }
  if (!datum.array->allocated(side)) return;
  for (std::size_t p = 0; p < datum.shape.parts(); ++p) {
    pieces_.push_back({data, single_part(p), side, datum.rows.of(single_part(p))});
  }
}

std::string AccessGuard::describe(const Piece& piece) const {
  const Datum& datum = data_[piece.data];
  if (datum.is_memory) return fmt::format("the memory '{}'", datum.name);
  const std::string what = datum.array
                               ? "the " + single_part_text(datum.shape, std::countr_zero(static_cast<std::uint64_t>(piece.part)))
                               : fmt::format("the number '{}'", datum.name);
  return datum.on_device() ? fmt::format("{} on the {}", what, to_string(piece.side)) : what;
}

/// Calls f(address) for memory of the host, or for a copy of memory of a device, which is written back if f changes it.
template <class F>
void AccessGuard::with_host_copy(const Memory& memory, bool changes, const F& f) {
  if (memory.side == Side::host) {
    f(memory.begin);
    return;
  }
  host_copy_.resize(memory.bytes);
  copy_bytes(stream_, host_copy_.data(), memory.begin, memory.bytes);
  stream_.wait();
  f(host_copy_.data());
  if (!changes) return;
  copy_bytes(stream_, memory.begin, host_copy_.data(), memory.bytes);
  stream_.wait();
}

/// Calls f(memory, width of an element, row) for each contiguous block of a piece; row sizes are omitted.
/// @param changes  f changes the memory.
template <class F>
void AccessGuard::for_each_block(const Piece& piece, bool changes, const F& f) {
  const Datum& datum = data_[piece.data];
  if (datum.is_memory) {
    if (datum.memory->empty()) return;
    const Memory memory{datum.memory->data(), datum.memory->size(), piece.side};
    with_host_copy(memory, changes, [&](std::byte* at) { f(std::span(at, memory.bytes), datum.memory_width, 0); });
    return;
  }
  if (!datum.array) {
    double* const number = piece.side == Side::host ? datum.number : datum.on_both->write(Side::device, 0, 1).data();
    const Memory memory{reinterpret_cast<std::byte*>(number), sizeof(double), piece.side};
    with_host_copy(memory, changes, [&](std::byte* at) { f(std::span(at, memory.bytes), std::size_t{8}, 0); });
    return;
  }
  for (const detail::Field& field : datum.array->fields(piece.side)) {
    if (field.reducers == nullptr) continue;
    for (const IdRange<LocalRow> rows : piece.rows) {
      std::byte* const begin = field.row(rows.first());
      const LocalRow last(rows.last().value() - 1);
      const Memory memory{begin, static_cast<std::size_t>(field.row(last) + field.bytes_of(last) - begin), piece.side};
      with_host_copy(memory, changes, [&](std::byte* at) {
        for (const LocalRow row : rows) {
          f(std::span(at + (field.row(row) - begin), field.bytes_of(row)), width_of(field, piece.side), row.value());
        }
      });
    }
  }
}

void AccessGuard::begin(const TaskShape& task, Part rows) {
  side_ = task.side;
  for (std::size_t number = 0; number < pieces_.size(); ++number) {
    Piece& piece = pieces_[number];
    piece.may_read = piece.may_write = false;
    const Datum& datum = data_[piece.data];
    for (const Access& access : task.accesses) {
      if (access.data.index() != piece.data || piece.side != task.side) continue;
      Part part = datum.array ? access.part : Part::owned;
      if (datum.array && changes(access.mode)) part = rows == Part::owned ? part : part & datum.shape.refined(rows);
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
    const auto tag = static_cast<std::uint32_t>(number);
    for_each_block(piece, !piece.may_read, [&](std::span<std::byte> memory, std::size_t width, std::int32_t /*row*/) {
      piece.saved.insert(piece.saved.end(), memory.begin(), memory.end());
      if (!piece.may_read) fill(memory, tag, width);
      piece.poison.insert(piece.poison.end(), memory.begin(), memory.end());
    });
  }
  std::feclearexcept(FE_INVALID);
}

void AccessGuard::find_poison(const Piece& piece) {
  for_each_block(piece, false, [&](std::span<std::byte> memory, std::size_t width, std::int32_t row) {
    const std::optional<std::uint32_t> tag = first_poison(memory, width);
    if (!tag) return;
    if (*tag >= pieces_.size()) return;  // a number of the program that happens to look like poison
    const Piece& of = pieces_[*tag];
    if (&of == &piece) {
      throw ContractError(fmt::format("it does not overwrite {}{}, or reads before", describe(piece),
                                      data_[piece.data].array ? fmt::format(" (row {})", row) : ""),
                          "state the access by reads_writes() instead of writes()");
    }
    throw ContractError(fmt::format("it reads {}, which it {}", describe(of),
                                    of.may_write ? "states to overwrite only" : "does not state to read"),
                        "add the access to the task, or compute only what the task states");
  });
}

bool AccessGuard::has_nan(const Piece& piece) {
  bool found = false;
  for_each_block(piece, false, [&](std::span<std::byte> memory, std::size_t width, std::int32_t /*row*/) {
    for (std::size_t i = 0; width != kNotPoisoned && i + width <= memory.size(); i += width) {
      found = found || is_nan(memory.data() + i, width);
    }
  });
  return found;
}

std::string AccessGuard::restore() {
  std::string written;
  for (const Piece& piece : pieces_) {
    if (piece.saved.empty() || piece.may_write) continue;
    std::size_t at = 0;
    for_each_block(piece, true, [&](std::span<std::byte> memory, std::size_t /*width*/, std::int32_t row) {
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
  bool invalid = std::fetestexcept(FE_INVALID) != 0;
  const std::string written = restore();
  if (!written.empty()) throw ContractError(written, "add the access to the task, or write only what the task states");
  for (const Piece& piece : pieces_) {
    if (piece.may_write) find_poison(piece);
  }
  if (side_ == Side::device && is_cuda(device_)) {
    invalid = std::ranges::any_of(pieces_, [this](const Piece& piece) { return piece.may_write && has_nan(piece); });
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
