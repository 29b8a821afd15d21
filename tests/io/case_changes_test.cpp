#include "weft/io/case/case_changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"

namespace weft::io::case_changes_test {
namespace {

std::vector<std::string> lines(const std::string& before, const std::string& now) {
  std::vector<std::string> all;
  for (const CaseChange& change : case_changes(before, now))
    all.push_back(change.key + ": " + change.before + " -> " + change.now);
  return all;
}

TEST(CaseChanges, ListsKeysWithBothValues) {
  EXPECT_THAT(lines("a = 1\n[s]\nx = 1.0\nl = [1, 2]\n[s.t]\nw = \"b\"\n", "a = 1\n[s]\nx = 2.0\nl = [1, 3]\n[s.t]\nw = \"c\"\n"),
              ::testing::ElementsAre("s.x: 1.0 -> 2.0", "s.l: [1, 2] -> [1, 3]", "s.t.w: \"b\" -> \"c\""));
  EXPECT_THAT(lines("[[p]]\nfrom = \"l\"\n[[p]]\nfrom = \"m\"\n", "[[p]]\nfrom = \"l\"\n[[p]]\nfrom = \"n\"\n"),
              ::testing::ElementsAre("p[1].from: \"m\" -> \"n\""));
  EXPECT_THAT(lines("# one\na = 1  # default\n", "# two\na = 1\n"), ::testing::IsEmpty());
}

TEST(CaseChanges, ReportsAddedAndRemovedKeys) {
  EXPECT_THAT(lines("gone = 1\n", "come = true\n"), ::testing::ElementsAre("come:  -> true", "gone: 1 -> "));
  EXPECT_THAT(lines("", "new_default = 1  # default\n"), ::testing::IsEmpty());  // added by a later version of the program
  EXPECT_THAT(lines("a = 2\n", "a = 1  # default\n"), ::testing::ElementsAre("a: 2 -> 1"));
  EXPECT_THROW(lines("a =", ""), InputError);
}

}  // namespace
}  // namespace weft::io::case_changes_test
