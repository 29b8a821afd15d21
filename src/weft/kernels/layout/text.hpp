#pragma once
/// Layouts as text and as pictures.
#include <string>
#include <string_view>

#include "weft/kernels/layout/layout.hpp"

namespace weft::kernels::layout {

/// Returns "((2,3),4)".
[[nodiscard]] std::string to_text(const IntTuple& t);

/// Returns "(2,3):(3,1)"; strides of coordinate layouts have their axis, "(2,3):(1@0,1@1)", and a swizzle comes first,
/// "swizzle<2,1,3> o (8,8):(8,1)".
[[nodiscard]] std::string to_text(const Layout& l);

/// Returns the layout that to_text() would write so; spaces are ignored. @throws InputError with the position of the first
/// character that does not belong there.
[[nodiscard]] Layout parse_layout(std::string_view text);

/// Returns the layout as text, with a table of its values for ranks 1 and 2: rows are mode 0, columns are mode 1.
[[nodiscard]] std::string print(const Layout& l);
/// Returns the tile of a thread-value layout as a table of threads and values, "T1V0". @throws InputError if the tile has more
/// than two extents, or two values have the same element.
[[nodiscard]] std::string print_threads(const Layout& tv);

/// The colour of the cells of a picture.
enum class Cells {
  index,  ///< white cells
  bank,   ///< one colour per bank of shared memory, with the number of the bank
};

/// Returns an SVG picture of the values of a layout of rank 1 or 2. @param element_bytes  bytes of an element, for the banks.
/// @throws InputError if the rank exceeds 2, or banks are requested of a coordinate layout.
[[nodiscard]] std::string print_svg(const Layout& l, Cells cells = Cells::index, int element_bytes = 4);
/// Returns an SVG picture of the tile of a thread-value layout, with one colour per thread. @throws InputError as
/// print_threads().
[[nodiscard]] std::string print_threads_svg(const Layout& tv);

}  // namespace weft::kernels::layout
