#include "weft/kernels/layout/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/base/xml_text.hpp"
#include "weft/kernels/layout/banks.hpp"
#include "weft/kernels/layout/thread_values.hpp"

namespace weft::kernels::layout {

namespace {

/// Writes the parentheses of the tuple around the results of leaf(i).
std::string nested(const IntTuple& t, const std::function<std::string(int)>& leaf) {
  std::string text;
  for (int i = 0; i < t.leaves; ++i) {
    if (i > 0) text += ',';
    text.append(static_cast<std::size_t>(t.opened[i]), '(');
    text += leaf(i);
    text.append(static_cast<std::size_t>(t.closed[i]), ')');
  }
  return text;
}

/// Reads layouts from a text without spaces.
class Parser {
 public:
  explicit Parser(std::string_view text) {
    for (const char c : text) {
      if (c != ' ') text_ += c;
    }
  }

  Layout layout() {
    Swizzle swizzle;
    if (accept("swizzle<")) {
      const std::int64_t bits = number();
      expect(",");
      const std::int64_t base = number();
      expect(",");
      const std::int64_t shift = number();
      expect(">o");
      if (std::max({bits, base, shift}) > 62) fail("a number of bits up to 62");
      swizzle = Swizzle(static_cast<int>(bits), static_cast<int>(base), static_cast<int>(shift));
    }
    const IntTuple shape = tuple();
    expect(":");
    axes_ = 0;
    first_stride_ = 0;
    reads_strides_ = true;
    const IntTuple stride = tuple();
    if (at_ != text_.size()) fail("the end");
    Layout result(shape, stride);
    std::copy_n(axis_, kMaxLeaves, result.axis);
    result.axes = axes_;
    return swizzle.is_identity() ? result : swizzled(swizzle, result);
  }

 private:
  bool accept(std::string_view token) {
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("'{}'", token));
  }
  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError(
        fmt::format("layout '{}': {} is expected at '{}'", text_, expected, text_.substr(std::min(at_, text_.size()))),
        "write shape:stride as in ((2,3),4):((1,2),6)");
  }
  std::int64_t number() {
    const std::size_t first = at_;
    std::int64_t n = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) n = sum_of(product_of(n, 10), text_[at_] - '0');
    if (at_ == first) fail("a number");
    return n;
  }
  IntTuple tuple() {
    if (!accept("(")) return leaf();
    IntTuple modes;
    do modes.append(tuple());
    while (accept(","));
    expect(")");
    modes.enclose();
    return modes;
  }
  IntTuple leaf() {
    const IntTuple value(number());
    if (!reads_strides_) return value;
    if (first_stride_ == kMaxLeaves) fail("the end of a tuple of at most 16 numbers");
    if (accept("@")) {
      const std::int64_t axis = number();
      if (axis >= kMaxAxes) fail("an axis up to 4");
      axis_[first_stride_] = static_cast<std::int8_t>(value.value[0] == 0 ? 0 : axis);
      axes_ = std::max(axes_, static_cast<int>(axis) + 1);
    }
    ++first_stride_;
    return value;
  }

  std::string text_;
  std::size_t at_ = 0;
  bool reads_strides_ = false;
  int first_stride_ = 0, axes_ = 0;
  std::int8_t axis_[kMaxLeaves]{};
};

/// A table of texts, with the number of the colour of each cell.
struct Table {
  std::int64_t rows = 1, columns = 1;
  std::vector<std::string> text;  ///< by rows
  std::vector<std::int64_t> colour{};
};

Table empty_table(const IntTuple& shape) {
  if (rank(shape) > 2)
    throw InputError(fmt::format("layout: a table of rank {} has no rows and columns", rank(shape)), "print modes or slices");
  Table table;
  const bool is_row = rank(shape) == 1;
  table.rows = is_row ? 1 : size(mode(shape, 0));
  table.columns = is_row ? size(shape) : size(mode(shape, 1));
  WEFT_ASSERT(table.rows > 0 && table.columns > 0);  // as every extent of a layout
  table.text.resize(size(shape));
  return table;
}

Table values_of(const Layout& l) {
  Table table = empty_table(l.shape);
  for (std::int64_t i = 0; i < l.size(); ++i) {
    std::string& cell = table.text[i % table.rows * table.columns + i / table.rows];
    if (l.axes == 0) {
      cell = fmt::format("{}", l(i));
    } else {
      const Coordinates at = l.coordinates(i);
      cell = fmt::format("({})", fmt::join(at.axis, at.axis + l.axes, ","));
    }
  }
  return table;
}

Table threads_of(const Layout& tv) {
  if (tv.axes == 0 || tv.rank() != 2) {
    throw InputError("layout: " + to_text(tv) + " does not map threads and values to coordinates",
                     "print the result of thread_values()");
  }
  const IntTuple tile = tile_of(tv);
  Table table = empty_table(tile);
  if (tv.size() != size(tile)) {
    throw InputError(fmt::format("layout: {} values do not fill {} elements once", tv.size(), size(tile)),
                     "print the result of thread_values()");
  }
  table.colour.resize(table.text.size());
  for (std::int64_t t = 0; t < mode(tv, 0).size(); ++t) {
    for (std::int64_t v = 0; v < mode(tv, 1).size(); ++v) {
      const Coordinates at = tv.coordinates(t, v);
      const auto cell = static_cast<std::size_t>(tile.leaves == 1 ? at[0] : at[0] * table.columns + at[1]);
      table.text[cell] = fmt::format("T{}V{}", t, v);
      table.colour[cell] = t;
    }
  }
  return table;
}

std::string as_text(const Table& table) {
  std::size_t width = fmt::format("{}", std::max(table.rows, table.columns) - 1).size();
  for (const std::string& cell : table.text) width = std::max(width, cell.size());
  const std::size_t margin = fmt::format("{}", table.rows - 1).size();
  std::string text(margin, ' ');
  for (std::int64_t j = 0; j < table.columns; ++j) text += fmt::format("  {:>{}}", j, width);
  text += '\n';
  for (std::int64_t i = 0; i < table.rows; ++i) {
    text += fmt::format("{:>{}}", i, margin);
    for (std::int64_t j = 0; j < table.columns; ++j) {
      text += fmt::format("  {:>{}}", table.text[i * table.columns + j], width);
    }
    text += '\n';
  }
  return text;
}

std::string as_svg(const Table& table, std::string_view title) {
  constexpr int kCell = 44, kMargin = 28, kTitle = 24;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
      "font-size=\"12\" text-anchor=\"middle\">\n<title>{2}</title>\n<text x=\"{3}\" y=\"16\" text-anchor=\"start\">{2}</text>\n",
      kMargin + kCell * table.columns + 2, kTitle + kMargin + kCell * table.rows + 2, title, kMargin);
  for (std::int64_t j = 0; j < table.columns; ++j) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"#666\">{}</text>\n", kMargin + kCell * j + kCell / 2, kTitle + kMargin - 8,
                       j);
  }
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const std::int64_t y = kTitle + kMargin + kCell * i;
    svg += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"#666\">{}</text>\n", kMargin / 2, y + kCell / 2 + 4, i);
    for (std::int64_t j = 0; j < table.columns; ++j) {
      const auto cell = static_cast<std::size_t>(i * table.columns + j);
      const std::int64_t x = kMargin + kCell * j;
      // Multiples of the golden angle give neighbouring numbers hues that are far apart.
      const std::string fill =
          table.colour.empty() ? "#fff"
                               : fmt::format("hsl({},65%,{}%)", table.colour[cell] * 137 % 360, 72 + table.colour[cell] % 3 * 6);
      svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#333\"/>", x, y, kCell, kCell,
                         fill);
      svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x + kCell / 2, y + kCell / 2 + 4, table.text[cell]);
    }
  }
  return svg + "</svg>\n";
}

std::string title_of(const Layout& tv) {
  return fmt::format("{} threads x {} values on {}: {}", mode(tv, 0).size(), mode(tv, 1).size(), to_text(tile_of(tv)),
                     to_text(tv));
}

}  // namespace

std::string to_text(const IntTuple& t) {
  return nested(t, [&](int i) { return fmt::format("{}", t.value[i]); });
}

std::string to_text(const Layout& l) {
  std::string text;
  if (!l.swizzle.is_identity()) text = fmt::format("swizzle<{},{},{}> o ", l.swizzle.bits, l.swizzle.base, l.swizzle.shift);
  return text + to_text(l.shape) + ":" + nested(l.shape, [&](int i) {
           return l.axes > 0 && l.stride[i] > 0 ? fmt::format("{}@{}", l.stride[i], l.axis[i]) : fmt::format("{}", l.stride[i]);
         });
}

Layout parse_layout(std::string_view text) { return Parser(text).layout(); }

std::string print(const Layout& l) { return to_text(l) + "\n" + (l.rank() > 2 ? std::string{} : as_text(values_of(l))); }

std::string print_threads(const Layout& tv) {
  const Table table = threads_of(tv);
  return title_of(tv) + "\n" + as_text(table);
}

std::string print_svg(const Layout& l, Cells cells, int element_bytes) {
  Table table = values_of(l);
  if (cells == Cells::bank) {
    if (l.axes > 0) throw InputError("layout: a coordinate layout has no banks", "print its composition with a layout in memory");
    table.colour.resize(table.text.size());
    for (std::int64_t i = 0; i < l.size(); ++i) {
      const auto cell = static_cast<std::size_t>(i % table.rows * table.columns + i / table.rows);
      table.colour[cell] = l(i) * element_bytes / kBankBytes % kBanks;
      table.text[cell] = fmt::format("{}", table.colour[cell]);
    }
  }
  return as_svg(table, xml_text(to_text(l) + (cells == Cells::bank ? ", banks" : "")));
}

std::string print_threads_svg(const Layout& tv) {
  const Table table = threads_of(tv);
  return as_svg(table, xml_text(title_of(tv)));
}

}  // namespace weft::kernels::layout
