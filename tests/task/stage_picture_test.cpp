// Pictures of stages: well-formed, with one box per node in the row of its place.
#include "weft/task/stage_picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

namespace stage_picture_test {
namespace {

using namespace weft::task;
using testing::HasSubstr;
using testing::Not;
using weft::Reduce;
using weft::Side;

constexpr DataId u{0}, v{1}, sum{2};
const std::vector<DataShape> kData{{.name = "u", .sent = Part::border, .has_inner = true, .on_device = true},
                                   {.name = "v", .on_device = true},
                                   {.name = "sum", .is_array = false}};

[[nodiscard]] Stage stage_of(const std::vector<TaskShape>& tasks) { return compile(kData, tasks).repeated; }

/// Returns how often `what` is in a text.
[[nodiscard]] std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Returns the elements that are not closed in the order in which they were opened, and characters that need escapes.
[[nodiscard]] std::vector<std::string> faults_of_xml(const std::string& text) {
  static const std::regex elements(R"(<(/?)([a-z]+)((?: [a-zA-Z-]+="[^"<]*")*)(/?)>)");
  static const std::regex references(R"(&(?:amp|lt|gt|quot);)");
  std::vector<std::string> open, faults;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), elements); at != std::sregex_iterator(); ++at) {
    const std::smatch& element = *at;
    if (element[1].length() == 0 && element[4].length() == 0) open.push_back(element[2]);
    if (element[1].length() == 0) continue;
    if (open.empty() || open.back() != element[2].str()) faults.push_back("</" + element[2].str() + ">");
    if (!open.empty()) open.pop_back();
  }
  faults.insert(faults.end(), open.begin(), open.end());
  const std::string rest = std::regex_replace(std::regex_replace(text, elements, ""), references, "");
  if (rest.find_first_of("<>&") != std::string::npos) faults.push_back(rest.substr(rest.find_first_of("<>&"), 20));
  return faults;
}

TEST(StagePicture, HasABoxForEachNodeWithTheReasonAsTitle) {
  const Stage stage = stage_of({{"smooth", {reads(u), writes(v)}, true}, {"copy", {reads(v, Part::owned), writes(u)}, true}});
  const std::string svg = stage_svg(stage, "a step");
  EXPECT_THAT(faults_of_xml(svg), testing::IsEmpty());
  EXPECT_THAT(svg, HasSubstr("<title>a step</title>"));
  std::size_t tasks = 0;
  for (const Node& node : stage.nodes) {
    tasks += node.kind == Kind::task ? 1 : 0;
    EXPECT_THAT(svg, HasSubstr("<title>" + node.name + (node.reason.empty() ? "</title>" : ": '")));
  }
  EXPECT_EQ(count(svg, "<g class=\"task\">"), tasks);
  EXPECT_EQ(count(svg, "<g class=\"inserted\">"), stage.nodes.size() - tasks);
}

TEST(StagePicture, HasRowsForThePlacesOfNodes) {
  const std::string host = stage_svg(stage_of({{"smooth", {reads(u), writes(v)}}, {"change", {reads_writes(u)}}}), "");
  EXPECT_THAT(host, HasSubstr(">threads<"));
  EXPECT_THAT(host, HasSubstr(">MPI<"));
  EXPECT_THAT(host, Not(HasSubstr("stream")));
  const std::string both = stage_svg(stage_of({{"smooth", {writes(v)}, false, Side::device},
                                               {"late", {reads(u, Part::owned)}, false, Side::device, DeviceStream::aside},
                                               {"add", {reads(v, Part::owned), reduces(sum, Reduce::add)}},
                                               {"change", {reads_writes(u)}}}),
                                     "");
  EXPECT_THAT(faults_of_xml(both), testing::IsEmpty());
  for (const char* place : {"threads", "MPI", "stream of tasks", "stream of copies to", "stream of tasks aside"}) {
    EXPECT_THAT(both, HasSubstr(std::string(">") + place + "<"));
  }
}

TEST(StagePicture, OmitsArrowsThatFollowFromOthers) {
  const Stage stage =
      stage_of({{"one", {writes(v), writes(sum)}}, {"two", {reads_writes(v)}}, {"three", {reads(v, Part::owned), reads(sum)}}});
  EXPECT_EQ(stage.successors.size(), 3U);
  EXPECT_EQ(count(stage_svg(stage, ""), "<path d=\"M"), 1U + 2U);  // the head of arrows, one to two, two to three
  const Stage apart = stage_of({{"one", {writes(v)}}, {"two", {writes(sum)}}});
  EXPECT_EQ(count(stage_svg(apart, ""), "<path d=\"M"), 1U);
}

TEST(StagePicture, EscapesNamesAndBreaksLongOnes) {
  const std::string svg = stage_svg(stage_of({{"a<b> & \"c\"\n", {writes(v)}}}), "x & y");
  EXPECT_THAT(faults_of_xml(svg), testing::IsEmpty());
  EXPECT_THAT(svg, HasSubstr("<title>a&lt;b&gt; &amp; &quot;c&quot; </title>"));
  EXPECT_THAT(svg, HasSubstr("<title>x &amp; y</title>"));
  const std::string broken = stage_svg(stage_of({{"a task with a name of several words", {writes(v)}}}), "");
  EXPECT_THAT(broken, HasSubstr(">a task with a name of</tspan>"));
  EXPECT_THAT(broken, HasSubstr(">several words</tspan>"));
  EXPECT_THAT(stage_svg(stage_of({{std::string(60, 'x'), {writes(v)}}}), ""), HasSubstr(">" + std::string(60, 'x') + "</tspan>"));
}

TEST(StagePicture, ShowsAnEmptyStage) {
  const std::string svg = stage_svg(stage_of({}), "nothing");
  EXPECT_THAT(faults_of_xml(svg), testing::IsEmpty());
  EXPECT_EQ(count(svg, "<rect"), 1U);
}

}  // namespace
}  // namespace stage_picture_test
