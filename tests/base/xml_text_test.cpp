#include "weft/base/xml_text.hpp"

#include <gtest/gtest.h>

namespace xml_text_test {
namespace {

TEST(XmlText, EscapesWhatXmlWouldReadAsMarkup) {
  EXPECT_EQ(weft::xml_text("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
  EXPECT_EQ(weft::xml_text("flux (inner)"), "flux (inner)");
}

TEST(XmlText, ReplacesCharactersThatXmlDoesNotPermit) { EXPECT_EQ(weft::xml_text("one\ntwo\x01"), "one two "); }

}  // namespace
}  // namespace xml_text_test
