// Names of zones that are not UTF-8.
#include "weft/mesh/io/zone_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/io/text_file.hpp"
#include "weft/mesh/io/read_mesh.hpp"

#include "bad_meshes.hpp"
#include "io/support/scratch.hpp"

namespace weft::mesh::zone_names_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ZoneNames, AreConvertedFromLatin1WhereTheyAreNotUtf8) {
  // A sequence that is cut, one that is longer than needed, a surrogate, and a code point that does not exist.
  const std::string wrong[] = {"Fl\xFCgel", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80"};
  for (const std::string& name : wrong) {
    MeshBlock block;
    block.zones = {{name, 1}};
    detail::convert_names_to_utf8(block);
    EXPECT_EQ(block.notes.size(), 1U) << name;
    detail::convert_names_to_utf8(block);
    EXPECT_EQ(block.notes.size(), 1U) << name;
  }
  MeshBlock block;
  block.zones = {{"wall", 1}, {"Flügel", 1}, {"翼", 1}, {"\xF0\x9F\x9B\xA9", 1}};
  const auto before = block.zones;
  detail::convert_names_to_utf8(block);
  EXPECT_EQ(block.zones, before);
  EXPECT_TRUE(block.notes.empty());
}

TEST(ZoneNames, AreConvertedInAFileOnEveryRank) {
  const Communicator comm = Communicator::world();
  const io::Scratch scratch(comm);
  std::string text = bad_meshes::kSu2;
  text.replace(text.find("wall"), 4, "Fl\xFCgel");
  if (comm.is_root()) io::write_text(scratch / "m.su2", text);
  comm.barrier();
  const MeshBlock block = read_mesh(comm, scratch / "m.su2");
  EXPECT_EQ(block.zones[ZoneId(0)].name, "Flügel");
  EXPECT_THAT(block.notes, ElementsAre(HasSubstr("\"Flügel\" is not UTF-8")));
}

}  // namespace
}  // namespace weft::mesh::zone_names_test
