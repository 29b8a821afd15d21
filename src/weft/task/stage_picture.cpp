#include "weft/task/stage_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "weft/base/xml_text.hpp"
#include "weft/task/device_streams.hpp"

namespace weft::task {
namespace {

// Lengths in pixels.
constexpr int kFont = 12, kLine = 15, kCharacter = 7;  // a character is narrower than this
constexpr int kPadding = 8, kGap = 18, kColumnGap = 44, kHead = 52, kPlaceName = 150;
/// Labels are broken at the last space before this number of characters.
constexpr std::size_t kWidest = 22;

constexpr std::size_t kThreads = 0, kMpi = 1, kFirstStreamPlace = 2, kPlaces = kFirstStreamPlace + kStreams;

[[nodiscard]] std::size_t place_of(const Node& node) {
  if (in_streams(node)) return kFirstStreamPlace + stream_of(node);
  return node.kind == Kind::start || node.kind == Kind::finish || node.kind == Kind::all_reduce ? kMpi : kThreads;
}
[[nodiscard]] const char* place_name(std::size_t place) {
  return place == kThreads ? "threads" : place == kMpi ? "MPI" : kStreamNames.at(place - kFirstStreamPlace);
}

[[nodiscard]] std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (text.size() > kWidest) {
    std::size_t end = text.rfind(' ', kWidest);
    if (end == std::string_view::npos || end == 0) end = text.find(' ', kWidest);
    if (end == std::string_view::npos) break;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  lines.emplace_back(text);
  return lines;
}

/// Returns the number of characters of UTF-8.
[[nodiscard]] int characters(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Where the nodes of a stage are in a picture.
struct Arrangement {
  struct Box {
    std::vector<std::string> lines;
    int column = 0, row = 0;  ///< rows are those of all places together
  };
  struct Column {
    int x = 0, width = 0;
  };
  struct Row {
    int y = 0, height = 0;
  };
  std::vector<Box> boxes;  ///< by node
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::array<std::size_t, kPlaces + 1> first_row{};  ///< by place
  int width = 0, height = 0;

  explicit Arrangement(const Stage& stage) : boxes(stage.nodes.size()) {
    for (int i = 0; i < std::ssize(boxes); ++i) {  // predecessors of a node precede it
      for (const int after : stage.successors_of(i)) boxes[after].column = std::max(boxes[after].column, boxes[i].column + 1);
      boxes[i].lines = lines_of(stage.nodes[i].name);
      if (const std::string subsets = stage.subsets_of(i); !subsets.empty()) {
        for (std::string& line : lines_of(subsets)) boxes[i].lines.push_back(std::move(line));
      }
      columns.resize(std::max(columns.size(), static_cast<std::size_t>(boxes[i].column) + 1));
    }
    for (std::size_t place = 0; place < kPlaces; ++place) add_rows(stage, place);
    set_lengths();
  }
  [[nodiscard]] int height_of(const Box& box) const { return static_cast<int>(box.lines.size()) * kLine + kPadding; }
  [[nodiscard]] int top(const Box& box) const { return rows[box.row].y + (rows[box.row].height - height_of(box)) / 2; }
  [[nodiscard]] int middle(const Box& box) const { return rows[box.row].y + rows[box.row].height / 2; }

 private:
  /// Adds as many rows as one column has nodes in a place.
  void add_rows(const Stage& stage, std::size_t place) {
    std::vector<int> used(columns.size());
    first_row.at(place) = rows.size();
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (place_of(stage.nodes[i]) != place) continue;
      boxes[i].row = static_cast<int>(first_row.at(place)) + used[boxes[i].column]++;
      if (boxes[i].row == std::ssize(rows)) rows.emplace_back();
    }
    first_row.at(place + 1) = rows.size();
  }
  void set_lengths() {
    for (const Box& box : boxes) {
      for (const std::string& line : box.lines) {
        columns[box.column].width = std::max(columns[box.column].width, characters(line) * kCharacter + 2 * kPadding);
      }
      rows[box.row].height = std::max(rows[box.row].height, height_of(box));
    }
    width = kPlaceName;
    for (Column& column : columns) {
      column.x = width;
      width += column.width + kColumnGap;
    }
    height = kHead;
    for (Row& row : rows) {
      row.y = height + kGap / 2;
      height += row.height + kGap;
    }
  }
};

/// Returns the path of an arrow from node `number`. One over several columns passes between two rows of boxes, where arrows from
/// different nodes have different heights.
[[nodiscard]] std::string path(const Arrangement& at, int number, const Arrangement::Box& to) {
  const Arrangement::Box& from = at.boxes[number];
  const Arrangement::Column& first = at.columns[from.column];
  const int x = first.x + first.width, y = at.middle(from), to_x = at.columns[to.column].x - 2, to_y = at.middle(to);
  constexpr int kBend = kColumnGap / 2;
  if (to.column == from.column + 1) {
    return fmt::format("M{} {}C{} {} {} {} {} {}", x, y, x + kBend, y, to_x - kBend, to_y, to_x, to_y);
  }
  const Arrangement::Row& row = at.rows[from.row];
  const int between = (to_y > y ? row.y + row.height + kGap / 2 : row.y - kGap / 2) + (number % 3 - 1) * kGap / 4;
  const int begin = x + kColumnGap - 4, end = to_x - kColumnGap + 6;
  return fmt::format("M{} {}C{} {} {} {} {} {}H{}C{} {} {} {} {} {}", x, y, x + kBend, y, begin - kBend, between, begin, between,
                     end, end + kBend, between, to_x - kBend, to_y, to_x, to_y);
}

[[nodiscard]] std::string arrows(const Stage& stage, const Arrangement& at) {
  const std::size_t n = stage.nodes.size();
  std::vector<std::vector<bool>> reached(n, std::vector<bool>(n));
  std::string svg;
  for (int i = static_cast<int>(n) - 1; i >= 0; --i) {
    for (const int after : stage.successors_of(i)) {  // ascending: no later one reaches an earlier one
      if (reached[i][after]) continue;
      reached[i][after] = true;
      for (std::size_t k = 0; k < n; ++k) {
        if (reached[after][k]) reached[i][k] = true;
      }
      svg += fmt::format("<path d=\"{}\"/>\n", path(at, i, at.boxes[after]));
    }
  }
  return svg;
}

[[nodiscard]] std::string box_svg(const Node& node, const Arrangement::Box& box, const Arrangement& at) {
  const bool inserted = node.kind != Kind::task;
  const Arrangement::Column& column = at.columns[box.column];
  std::string svg = fmt::format(
      "<g class=\"{}\"><title>{}{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{}\" "
      "stroke=\"#444\"/><text y=\"{}\">",
      inserted ? "inserted" : "task", xml_text(node.name), node.reason.empty() ? "" : ": " + xml_text(node.reason), column.x,
      at.top(box), column.width, at.height_of(box), inserted ? 10 : 2, inserted ? "#fbdcb5" : "#cfe3f5", at.top(box) + 1);
  for (const std::string& line : box.lines) {
    svg += fmt::format("<tspan x=\"{}\" dy=\"{}\">{}</tspan>", column.x + column.width / 2, kLine, xml_text(line));
  }
  return svg + "</text></g>\n";
}

}  // namespace

std::string stage_svg(const Stage& stage, std::string_view title) {
  const Arrangement at(stage);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
      "font-size=\"{2}\" text-anchor=\"middle\">\n<title>{3}</title>\n<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" "
      "refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
      "fill=\"#666\"/></marker></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"8\" y=\"18\" text-anchor=\"start\">{3}</text>\n"
      "<text x=\"8\" y=\"36\" text-anchor=\"start\" fill=\"#666\">rectangles: tasks; rounded: inserted</text>\n",
      std::max(at.width, 2 * kPlaceName), at.height + kGap / 2, kFont, xml_text(title));
  for (std::size_t place = 0, shaded = 0; place < kPlaces; ++place) {
    if (at.first_row.at(place) == at.first_row.at(place + 1)) continue;
    const auto& first = at.rows[at.first_row.at(place)];
    const auto& last = at.rows[at.first_row.at(place + 1) - 1];
    const int y = first.y - kGap / 2, height = last.y + last.height + kGap / 2 - y;
    if (shaded++ % 2 == 0) svg += fmt::format("<rect y=\"{}\" width=\"100%\" height=\"{}\" fill=\"#f4f4f4\"/>\n", y, height);
    const std::vector<std::string> lines = lines_of(place_name(place));
    svg += fmt::format("<text y=\"{}\" text-anchor=\"start\">", y + height / 2 - kLine * static_cast<int>(lines.size()) / 2 - 3);
    for (const std::string& line : lines) svg += fmt::format("<tspan x=\"8\" dy=\"{}\">{}</tspan>", kLine, line);
    svg += "</text>\n";
  }
  svg += "<g fill=\"none\" stroke=\"#666\" marker-end=\"url(#head)\">\n" + arrows(stage, at) + "</g>\n";
  for (std::size_t i = 0; i < stage.nodes.size(); ++i) svg += box_svg(stage.nodes[i], at.boxes[i], at);
  return svg + "</svg>\n";
}

}  // namespace weft::task
