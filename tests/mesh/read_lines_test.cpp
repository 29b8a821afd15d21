// The lines of a text are divided among threads. A mesh in text is the same on any number of threads, and so is the first error.
#include "weft/mesh/io/read_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/write_mesh.hpp"

#include "support/sanitized.hpp"
#include "thread_checks.hpp"

namespace weft::mesh::read_lines_test {
namespace {

using detail::kNoComments;
using detail::LinePieces;
using testing::box;
using testing::expect_same_bytes;
using testing::expect_same_on_threads;

constexpr MeshFormat kTexts[] = {MeshFormat::gmsh41, MeshFormat::gmsh22, MeshFormat::su2};

std::string expect_same_parsed(MeshFormat format, const std::string& text) {
  return expect_same_on_threads(
      [&](Team& team) { return format == MeshFormat::su2 ? parse_su2(text, "m", team) : parse_gmsh(text, "m", team); });
}

/// Counts lines that are neither blank nor comments.
std::int64_t records_of(std::string_view text, char comment) {
  std::int64_t records = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t first = line.find_first_not_of(" \t\r");
    records += first != std::string_view::npos && line[first] != comment ? 1 : 0;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return records;
}

TEST(DivideLines, GivesWholeLinesAndTheirNumbers) {
  std::string numbers;
  for (int i = 0; i < 20'000; ++i) numbers += std::to_string(i) + (i % 7 == 0 ? "\r\n \t\n" : i % 11 == 0 ? "\n % no\n" : "\n");
  const std::string texts[] = {"",
                               "\n",
                               "1",
                               " \t",
                               "1\n2",
                               "\n\n\n5\n",
                               "% a\n1\n",
                               std::string(5000, 'x') + "\n1\n",
                               numbers,
                               numbers + "end without a newline",
                               std::string(1'200'000, '\n') + "1\n",
                               std::string(1'200'000, ' ') + "1\n",
                               std::string("\0\n1\n", 4)};
  for (const std::string& text : texts) {
    for (const char comment : {kNoComments, '%'}) {
      for (const int threads : {1, 2, 3, 5}) {
        Team team(threads);
        for (const std::int64_t records : {1, 4096, 1'000'000}) {
          const LinePieces lines = detail::divide_lines(text, records, comment, team);
          ASSERT_EQ(std::ssize(lines.begin), threads + 1);
          ASSERT_EQ(std::ssize(lines.record), threads + 1);
          EXPECT_EQ(lines.begin[0], 0);
          EXPECT_EQ(lines.record[0], 0);
          EXPECT_EQ(lines.begin.back() > 0, !text.empty());
          for (std::size_t k = 0; k < lines.record.size(); ++k) {
            const auto begin = static_cast<std::size_t>(lines.begin[k]);
            ASSERT_LE(begin, text.size());
            EXPECT_TRUE(begin == 0 || begin == text.size() || text[begin - 1] == '\n');
            EXPECT_EQ(lines.record[k], records_of(std::string_view(text).substr(0, begin), comment));
          }
        }
      }
    }
  }
}

TEST(DivideLines, GivesEachThreadItsShare) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "1234567\n";
  Team team(4);
  const LinePieces lines = detail::divide_lines(text, 10'000, kNoComments, team);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(static_cast<double>(lines.record[k + 1] - lines.record[k]), 2500, 2);
  const LinePieces all = detail::divide_lines(text, 1'000'000, kNoComments, team);
  EXPECT_EQ(all.record.back(), 20'000);
}

/// Replaces each end of line after `from` by line_end(number of the line).
std::string with_line_ends(const std::string& text, const std::string& from,
                           const std::function<std::string(std::size_t)>& line_end) {
  const std::size_t first = text.find('\n', text.find(from));
  std::string changed = text.substr(0, first);
  std::size_t line = 0;
  for (std::size_t at = first; at < text.size(); ++at) changed += text[at] == '\n' ? line_end(line++) : std::string(1, text[at]);
  return changed;
}

TEST(ReadTexts, GiveTheSameMeshWithBlanksAndComments) {
  for (const MeshFormat format : kTexts) {
    for (const CellMix elements :
         full_or_sanitized(std::vector{CellMix::hexahedra, CellMix::mixed}, std::vector{CellMix::mixed})) {
      const MeshBlock block = box(elements);
      const std::string text = format_mesh(block, format, "m"), begin = format == MeshFormat::su2 ? "NDIME" : "$Nodes";
      const std::string note = format == MeshFormat::su2 ? "\n%1 2 3\n  % NELEM= 7\n" : "\n \n";
      const std::string wide(400, ' '), empty(3'000'000, '\n');  // several rounds of pieces; pieces without a record
      const std::string texts[] = {text,
                                   "\xEF\xBB\xBF" + text,
                                   with_line_ends(text, begin, [](std::size_t) { return " \t\r\n \t"; }),
                                   with_line_ends(text, begin, [&](std::size_t i) { return i % 5 == 0 ? note : "\n"; }),
                                   with_line_ends(text, begin, [&](std::size_t) { return wide + "\n"; }),
                                   with_line_ends(text, begin, [&](std::size_t i) { return i == 7000 ? empty : "\n"; }),
                                   text + "\n\n \n"};
      for (const std::string& changed : texts) {
        EXPECT_EQ(expect_same_parsed(format, changed), "");
        Team team(3);
        const MeshBlock read = format == MeshFormat::su2 ? parse_su2(changed, "m", team) : parse_gmsh(changed, "m", team);
        expect_same_bytes(read.coords, block.coords, "coords");
        expect_same_bytes(read.cells.node, block.cells.node, "node");
        EXPECT_EQ(read.boundary.size(), block.boundary.size());
      }
    }
  }
}

/// Returns the number of the line of a byte, from 1.
std::int64_t line_of(const std::string& text, std::size_t at) { return 1 + std::count(text.begin(), text.begin() + at, '\n'); }

TEST(ReadTexts, NameTheLineOfTheFirstDamagedRecord) {
  for (const MeshFormat format : kTexts) {
    const std::string text = format_mesh(box(), format, "m");
    for (const char* const section : {"Nodes\n", "Elements\n", "NELEM=", "NPOIN="}) {
      if (text.find(section) == std::string::npos) continue;  // belongs to another format
      std::string changed = text;
      std::size_t first = 0;
      for (const std::size_t record : {9000U, 6000U, 3500U, 8000U}) {
        first = text.find(section);
        for (std::size_t i = 0; i < record; ++i) first = text.find('\n', first + 1);
        changed[first + 1] = 'x';
      }
      first = text.find(section);
      for (std::size_t i = 0; i < 3500; ++i) first = text.find('\n', first + 1);
      const std::string error = expect_same_parsed(format, changed);
      EXPECT_EQ(error.find("m:" + std::to_string(line_of(text, first + 1)) + ": "), 0U) << error;
    }
  }
}

TEST(ReadTexts, NameNoElementWhereASectionEndsEarly) {
  for (const MeshFormat format : {MeshFormat::gmsh41, MeshFormat::gmsh22}) {
    std::string text = format_mesh(box(), format, "m");
    std::size_t at = text.find("$Elements\n");
    for (int i = 0; i < 6000; ++i) at = text.find('\n', at + 1);
    text.insert(at + 1, "$End\n");
    const std::string error = expect_same_parsed(format, text);
    EXPECT_EQ(error.find("m:" + std::to_string(line_of(text, at + 1)) + ": the section ends"), 0U) << error;
  }
}

TEST(ReadTexts, ReportTheSameErrorForEveryDamage) {
  for (const MeshFormat format : kTexts) {
    const std::string text = format_mesh(box(), format, "m");
    for (const double part : {0.07, 0.31, 0.57, 0.71, 0.94}) {
      const std::size_t line = text.find('\n', static_cast<std::size_t>(part * static_cast<double>(text.size()))) + 1;
      const std::size_t end = text.find('\n', line), blank = text.find_last_of(' ', end);
      const auto changed = [&](std::size_t at, std::size_t size, const std::string& with) {
        return std::string(text).replace(at, size, with);
      };
      EXPECT_NE(expect_same_parsed(format, text.substr(0, line)), "") << part;
      EXPECT_NE(expect_same_parsed(format, text.substr(0, line + 1)), "") << part;
      EXPECT_NE(expect_same_parsed(format, changed(line, end + 1 - line, "")), "") << part;  // a missing line
      EXPECT_NE(expect_same_parsed(format, changed(line, 0, text.substr(line, end + 1 - line))), "") << part;
      EXPECT_NE(expect_same_parsed(format, changed(line, 0, "$End\n")), "") << part;
      EXPECT_NE(expect_same_parsed(format, changed(line, 0, "NZONE= 1\n")), "") << part;
      EXPECT_NE(expect_same_parsed(format, changed(line, 0, std::string("\0\n", 2))), "") << part;
      EXPECT_NE(expect_same_parsed(format, changed(end, 1, " ")), "") << part;  // two records on one line
      if (blank != std::string::npos && blank > line) {                         // a record on two lines
        EXPECT_NE(expect_same_parsed(format, changed(blank, 1, "\n")), "") << part;
      }
      EXPECT_NE(expect_same_parsed(format, changed(line, 0, std::string(1'500'000, ' ') + "x" + std::string(1'500'000, ' '))),
                "");
    }
  }
}

TEST(ReadTexts, ReportTheSameErrorForWrongCounts) {
  struct Count {
    MeshFormat format;
    std::string before;
    std::int64_t count;
  };
  for (const Count& right : {Count{MeshFormat::gmsh41, " 0 ", 10'648}, Count{MeshFormat::gmsh41, " 5 ", 8961},
                             Count{MeshFormat::gmsh22, "$Nodes\n", 10'648}, Count{MeshFormat::gmsh22, "$Elements\n", 11'907},
                             Count{MeshFormat::su2, "NPOIN= ", 10'648}, Count{MeshFormat::su2, "NELEM= ", 9261}}) {
    const std::string text = format_mesh(box(), right.format, "m"), number = std::to_string(right.count);
    const std::size_t at = text.find(right.before + number + "\n");
    ASSERT_NE(at, std::string::npos) << right.before;
    for (const std::int64_t wrong : {right.count - 1, right.count + 1, right.count - 3000, std::int64_t{5}, std::int64_t{0},
                                     std::int64_t{-1}, right.count + 50'000, std::int64_t{999'999'999'999}}) {
      const std::string changed = std::string(text).replace(at + right.before.size(), number.size(), std::to_string(wrong));
      EXPECT_NE(expect_same_parsed(right.format, changed), "") << right.before << wrong;
    }
  }
}

/// Returns a Gmsh 2.2 mesh of n x n quads of 8 nodes with lines of 3 nodes between them in the list of elements. The edge of one
/// of the lines on the right is curved.
std::string second_order_quads(int n) {
  const auto number = [&](int i, int j) { return std::to_string(1 + i + (2 * n + 1) * j); };  // counts half cells
  std::string nodes, elements;
  int listed = 0, id = 0;
  for (int j = 0; j <= 2 * n; ++j) {
    for (int i = 0; i <= 2 * n; ++i) {
      if (i % 2 == 1 && j % 2 == 1) continue;
      const std::string bump = i == 2 * n && j == n + (n % 2 == 0 ? 1 : 0) ? ".25" : "";
      nodes += number(i, j) + " " + std::to_string(i) + bump + " " + std::to_string(j) + " 0\n";
      ++listed;
    }
  }
  const auto line = [&](int tag, int i, int j, int di, int dj) {
    elements += std::to_string(++id) + " 8 2 " + std::to_string(tag) + " 1 " + number(i, j) + " " +
                number(i + 2 * di, j + 2 * dj) + " " + number(i + di, j + dj) + "\n";
  };
  for (int j = 0; j < n; ++j) {
    const int y = 2 * j;
    line(1, 0, y, 0, 1);
    line(2, y, 0, 1, 0);
    for (int x = 0; x < 2 * n; x += 2) {
      elements += std::to_string(++id) + " 16 2 9 1 " + number(x, y) + " " + number(x + 2, y) + " " + number(x + 2, y + 2) + " " +
                  number(x, y + 2) + " " + number(x + 1, y) + " " + number(x + 2, y + 1) + " " + number(x + 1, y + 2) + " " +
                  number(x, y + 1) + "\n";
    }
    line(3, 2 * n, y, 0, 1);
    line(4, y, 2 * n, 1, 0);
  }
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n1 1 \"left\"\n1 2 \"low\"\n1 3 \"right\"\n1 4 \"top\"\n" +
         std::string("$EndPhysicalNames\n$Nodes\n") + std::to_string(listed) + "\n" + nodes + "$EndNodes\n$Elements\n" +
         std::to_string(id) + "\n" + elements + "$EndElements\n";
}

TEST(ReadTexts, KeepTheMiddleNodesOfSecondOrder) {
  const std::string text = second_order_quads(79);
  EXPECT_EQ(expect_same_parsed(MeshFormat::gmsh22, text), "");
  Team team(5);
  const MeshBlock block = parse_gmsh(text, "m", team);
  EXPECT_EQ(block.cells.size(), 79 * 79);
  EXPECT_EQ(block.boundary.size(), 4 * 79);
  ASSERT_EQ(block.warnings.size(), 1U);
  EXPECT_NE(block.warnings[0].find("up to 0.25 from the straight edges (zone \"right\")"), std::string::npos)
      << block.warnings[0];
}

}  // namespace
}  // namespace weft::mesh::read_lines_test
