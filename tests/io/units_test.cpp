#include "weft/io/case/units.hpp"

#include <gtest/gtest.h>

namespace weft::io::units_test {
namespace {

TEST(Units, DecimalPrefixesRoundOnce) {
  EXPECT_EQ(find_unit("ms")->to_si(1.5), 0.0015);
  EXPECT_EQ(find_unit("mm")->to_si(0.3), 0.0003);
  EXPECT_EQ(find_unit("kPa")->to_si(2), 2000.0);
  EXPECT_DOUBLE_EQ(find_unit("deg")->to_si(180), 3.14159265358979323846);
  EXPECT_DOUBLE_EQ(find_unit("degC")->to_si(15), 288.15);
  EXPECT_DOUBLE_EQ(find_unit("ft")->to_si(1), 0.3048);
  EXPECT_EQ(find_unit("parsec"), nullptr);
}

TEST(Units, NamesOfADimension) { EXPECT_EQ(unit_names("time"), "s, ms, us, ns, min, h, d"); }

TEST(Units, ParsesNumberAndUnit) {
  const auto check = [](std::string_view text, double number, std::string_view unit) {
    const auto quantity = parse_quantity(text);
    ASSERT_TRUE(quantity) << text;
    EXPECT_EQ(quantity->number, number) << text;
    EXPECT_EQ(quantity->unit, unit) << text;
  };
  check("1.5 ms", 1.5, "ms");
  check("3deg", 3, "deg");
  check(" -2e3  kg/m^3 ", -2000, "kg/m^3");
  check("+.5", 0.5, "");
  check("287 J/(kg K)", 287, "J/(kg K)");
}

TEST(Units, RejectsInvalidNumbers) {
  for (const char* text : {"", "  ", "abc", "ms 3", "inf", "nan s", "+-1", "1e999"}) EXPECT_FALSE(parse_quantity(text)) << text;
}

}  // namespace
}  // namespace weft::io::units_test
