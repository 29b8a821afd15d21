// Errors of case files: place, problem and remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "weft/io/case/case_reader.hpp"

#include "io/support/scratch.hpp"

namespace weft::io::case_errors_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

CaseReader reader_of(const std::string& text, std::vector<std::string> overrides = {}) {
  return CaseReader(CaseFile::from_text(text, "case.toml", overrides));
}

// Returns the error of reading one number "flow.cfl" from this text.
std::string cfl_error(const std::string& text, std::vector<std::string> overrides = {}) {
  return error_of<InputError>([&] {
    const CaseReader reader = reader_of(text, overrides);
    reader.root()
        .section("flow", {})
        .number("cfl", {.default_value = 0.5, .min_exclusive = 0, .max = 10, .doc = "Courant number."});
    reader.finish();
  });
}

TEST(CaseErrors, WrongTypeNamesPlaceAndKey) {
  EXPECT_EQ(cfl_error("[flow]\n  cfl = \"abc\"\n"), "case.toml:2:9: flow.cfl: expected a number, found the text \"abc\"");
}

TEST(CaseErrors, OutOfRange) {
  EXPECT_EQ(cfl_error("flow.cfl = 11"), "case.toml:1:12: flow.cfl: must be > 0 and <= 10, is 11");
  EXPECT_THAT(cfl_error("flow.cfl = 0"), HasSubstr("must be > 0"));
  EXPECT_THAT(cfl_error("flow.cfl = nan"), HasSubstr("finite"));
  EXPECT_EQ(cfl_error("flow.cfl = 10"), "");
}

TEST(CaseErrors, OverrideIsNamed) {
  EXPECT_EQ(cfl_error("[flow]\ncfl = 1\n", {"flow.cfl=abc"}),
            "--set flow.cfl=abc: flow.cfl: expected a number, found the text \"abc\"");
  EXPECT_THAT(cfl_error("", {"--cfl flow.cfl=abc"}), StartsWith("--cfl abc: flow.cfl: expected a number"));
  EXPECT_THAT(cfl_error("", {"--cfl"}), StartsWith("--set --cfl: an override needs a key and a value"));
  const CaseReader reader = reader_of("", {"--cfl flow.cfl=2", "flow.order=1"});
  EXPECT_THAT(reader.effective_toml(), HasSubstr("case.toml --cfl 2 --set flow.order=1\n"));
  EXPECT_THAT(cfl_error("", {"flow.clf=1"}), StartsWith("--set flow.clf=1: flow.clf: unknown key; did you mean \"cfl\"?"));
  EXPECT_THAT(cfl_error("", {"flow.cfl"}), HasSubstr("needs a key and a value"));
  EXPECT_THAT(cfl_error("", {"=3"}), HasSubstr("needs a key and a value"));
  EXPECT_THAT(cfl_error("", {"flow..cfl=3"}), HasSubstr("is not a key"));
  EXPECT_THAT(cfl_error("", {"flow.cfl=[1, 2"}), HasSubstr("not valid TOML"));
  EXPECT_THAT(cfl_error("flow.cfl = 1", {"flow.cfl.x=3"}), HasSubstr("expects a section"));
  EXPECT_THAT(cfl_error("[[p]]\nx = 1", {"p.1.x=3"}), HasSubstr("number below 1"));
}

TEST(CaseErrors, UnknownKeyNamesTheClosest) {
  EXPECT_EQ(cfl_error("[flow]\n# comment\nclf = 1\n"), "case.toml:3:1: flow.clf: unknown key; did you mean \"cfl\"?");
  EXPECT_EQ(cfl_error("\n[flwo]\ncfl = 1\n"), "case.toml:2:2: flwo: unknown section; did you mean \"flow\"?");
  EXPECT_THAT(cfl_error("cfl = 1"), HasSubstr("did you mean flow.cfl?"));
  EXPECT_THAT(cfl_error("[flow]\nzzzzzzz = 1\nyyyyyyy = 2\n"), HasSubstr("(1 more unknown); known here: cfl"));
}

TEST(CaseErrors, UnknownKeyInNamedSectionsAndLists) {
  const CaseReader reader = reader_of("[boundary.in]\nmach = 1\n[[probe]]\nz = 1\n");
  EXPECT_EQ(reader.root().named_sections("boundary", {}).size(), 1U);
  EXPECT_EQ(reader.root().sections("probe", {}).size(), 1U);
  EXPECT_THAT(error_of<InputError>([&] { reader.finish(); }),
              StartsWith("case.toml:2:1: boundary.in.mach: unknown key (1 more unknown)"));
}

TEST(CaseErrors, Required) {
  const CaseReader reader = reader_of("\n[flow]\ncfl = 1\n");
  const Section flow = reader.root().section("flow", {});
  EXPECT_EQ(error_of<InputError>([&] { flow.number("mach", {}); }),
            "case.toml:2:1: flow.mach: is required, and missing; add mach = ... to [flow]");
  EXPECT_EQ(error_of<InputError>([&] { reader.root().text("title", {}); }),
            "case.toml: title: is required, and missing; add title = ... at the top");
  EXPECT_THAT(error_of<InputError>([&] { reader.root().section("mesh", {.required = true}); }), HasSubstr("add [mesh]"));
  EXPECT_THAT(error_of<InputError>([&] { reader.root().named_sections("boundary", {.required = true, .placeholder = "zone"}); }),
              HasSubstr("write [boundary.<zone>]"));
  EXPECT_THAT(error_of<InputError>([&] { reader.root().sections("probe", {.required = true}); }), HasSubstr("write [[probe]]"));
}

TEST(CaseErrors, WrongUnitsListTheAcceptedOnes) {
  const auto error = [](const std::string& value) {
    return error_of<InputError>([&] { reader_of("end = " + value).root().number("end", {.min = 0, .max = 10, .unit = "s"}); });
  };
  EXPECT_EQ(
      error("\"2 kPa\""),
      "case.toml:1:7: end: \"kPa\" is a unit of pressure, not of time; units of time: s, ms, us, ns, min, h, d; a bare number is "
      "in s");
  EXPECT_THAT(error("\"2 fortnights\""), HasSubstr("unknown unit \"fortnights\""));
  EXPECT_THAT(error("\"soon\""), HasSubstr("expected a number with a unit"));
  EXPECT_THAT(error("\"1 min\""), HasSubstr("must be >= 0 and <= 10 s, is 60"));
  EXPECT_THAT(error("true"), HasSubstr("expected a number in s, found true"));
}

TEST(CaseErrors, OtherTypes) {
  const auto error = [](const std::string& text, auto read) {
    return error_of<InputError>([&] { read(reader_of(text).root()); });
  };
  EXPECT_THAT(error("k = 1.5", [](const Section& s) { s.integer("k", {}); }),
              HasSubstr("expected an integer, found the number 1.5"));
  EXPECT_THAT(error("k = 0", [](const Section& s) { s.integer("k", {.min = 1}); }), HasSubstr("must be >= 1, is 0"));
  EXPECT_THAT(error("k = 1", [](const Section& s) { s.boolean("k", {}); }), HasSubstr("expected true or false"));
  EXPECT_THAT(error("k = 1", [](const Section& s) { s.text("k", {}); }), HasSubstr("put it in quotes"));
  EXPECT_THAT(error("k = [1]", [](const Section& s) { s.vector3("k", {}); }),
              HasSubstr("two or three numbers, found a list of 1"));
  EXPECT_THAT(error("k = [1, \"a\"]", [](const Section& s) { s.vector3("k", {}); }), HasSubstr("expected a number"));
  EXPECT_THAT(error("k = [1, 2]", [](const Section& s) { s.texts("k", {}); }), HasSubstr("expected a list of texts"));
  EXPECT_THAT(error("k = true", [](const Section& s) { s.expression("k", {}); }), HasSubstr("formula or a number"));
  EXPECT_THAT(error("k = \"\"", [](const Section& s) { s.path_to("k", {}); }), HasSubstr("empty text"));
  EXPECT_THAT(error("k = \"hlcc\"",
                    [](const Section& s) {
                      s.choice("k", {"hllc", "roe"}, {});
                    }),
              HasSubstr("did you mean \"hllc\"? All choices: hllc, roe"));
  EXPECT_THAT(error("k = 1", [](const Section& s) { s.section("k", {}); }), HasSubstr("expected a section, found the integer 1"));
  EXPECT_THAT(error("k.a = 1", [](const Section& s) { s.named_sections("k", {}); }),
              StartsWith("case.toml:1:7: k.a: expected a section"));
  EXPECT_THAT(error("k = 1", [](const Section& s) { s.sections("k", {}); }), HasSubstr("expected a list of sections"));
  EXPECT_THAT(error("k = 1979-05-27", [](const Section& s) { s.number("k", {}); }), HasSubstr("a date"));
}

TEST(CaseErrors, TomlErrorsHaveLineAndColumn) {
  EXPECT_THAT(error_of<InputError>([] { static_cast<void>(CaseFile::from_text("a = 1\nb = = 2\n")); }),
              StartsWith("case.toml:2:5: "));
  EXPECT_THAT(error_of<InputError>([] { static_cast<void>(CaseFile::from_text("[flow]\ncfl = 1\ncfl = 2\n")); }),
              StartsWith("case.toml:3:"));
  EXPECT_THAT(error_of<InputError>([] { static_cast<void>(CaseFile::from_text("[flow]\ncfl = 1\n[flow]\nx = 2\n")); }),
              StartsWith("case.toml:3:"));
}

TEST(CaseErrors, DeepNestingThrowsBeforeParsing) {
  const auto refused = [](const std::string& text, const std::string& begin) {
    const std::string error = error_of<InputError>([&] { static_cast<void>(CaseFile::from_text(text)); });
    EXPECT_THAT(error, StartsWith(begin));
    EXPECT_THAT(error, HasSubstr(": a key or value is nested more than 100 levels deep; use fewer dots or brackets"));
  };
  const auto repeated = [](const std::string& word, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += word;
    return text;
  };
  const std::string dots = repeated("a.", 200'000) + "a";
  refused("title = \"x\"\n" + dots + " = 1\n", "case.toml:2:202: ");
  refused("[" + dots + "]\nx = 1\n", "case.toml:1:201: ");
  refused("x = " + repeated("{ a.a = ", 200'000), "case.toml:1:");
  refused("x = " + repeated("[\n", 200'000), "case.toml:101:1: ");
  refused("a = '''[[['\n'''\n" + repeated("\"a.\\\"\" . ", 200'000) + "a = 1", "case.toml:3:");
  EXPECT_THAT(error_of<InputError>(
                  [&] { static_cast<void>(CaseFile::from_text("", "case.toml", std::vector<std::string>{dots + "=1"})); }),
              HasSubstr("is not a key"));
  // Dots and brackets in strings, comments and numbers do not count as levels.
  const std::string many = repeated("[.{", 300);
  const std::string text = "# " + many + "\na = \"" + many + "\\\"" + many + "\"\nb = '" + many + "'\nc = \"\"\"\n" + many +
                           "\"\n" + many + "\"\"\"\"\nd = '''" + many + "''' # " + many + "\ne = [" +
                           repeated("1.5, [2.5],\n", 300) + "]\n";
  EXPECT_NO_THROW(static_cast<void>(CaseFile::from_text(text)));
}

TEST(CaseErrors, CallersCanRejectAKey) {
  const CaseReader reader = reader_of("[flow]\nend = 3\n");
  const Section flow = reader.root().section("flow", {});
  flow.number("end", {});
  EXPECT_EQ(error_of<InputError>([&] { flow.fail("end", "is before the start", "raise it"); }),
            "case.toml:2:7: flow.end: is before the start; raise it");
}

/// All errors in the order of the lines, without those that may follow from another error.
TEST(CaseErrors, AreCollectedOnRequest) {
  const CaseReader reader(
      CaseFile::from_text("tile = 1\n[flow]\ncfl = 20\nmode = 3\nmore = 1\n[stop]\nsteps = \"x\"\ntime = -1\n"
                          "[boundary]\na = 3\nb.kind = 1\n"));
  reader.collect_errors();
  const Section root = reader.root();
  EXPECT_EQ(root.text("title", {.default_value = "none"}), "none");
  const Section flow = root.section("flow", {});
  EXPECT_EQ(flow.number("cfl", {.default_value = 0.5, .max = 1}), 0.5);
  EXPECT_FALSE(flow.attempt([&] { (void)flow.variant("mode", {"slow", "fast"}, {}, [](const std::string&) {}); }));
  const Section stop = root.section("stop", {});
  EXPECT_FALSE(stop.attempt([&] {
    EXPECT_EQ(stop.integer("steps", {.min = 3}), 3);  // any value in the range
    EXPECT_FALSE(stop.optional_number("time", {.min = 0}).has_value());
    stop.fail("time", "no criterion ends the run");  // a consequence of the unreadable time
  }));
  stop.fail_as_a_whole("time", "no criterion ends the run");  // a consequence, too
  EXPECT_TRUE(stop.attempt([] {}));
  std::vector<std::string> zones;
  for (const Section& zone : root.named_sections("boundary", {})) {
    zones.push_back(zone.name());
    (void)zone.text("kind", {});
  }
  EXPECT_EQ(zones, std::vector<std::string>{"b"});
  reader.finish();
  std::vector<std::string> keys;
  for (const InputError& error : reader.errors()) keys.push_back(error.where().key);
  EXPECT_EQ(keys, (std::vector<std::string>{"tile", "flow.cfl", "flow.mode", "flow.more", "stop.steps", "stop.time", "boundary.a",
                                            "boundary.b.kind"}));
}

TEST(CaseErrors, OfAWholeSectionDoNotHideUnknownKeys) {
  const CaseReader reader(CaseFile::from_text("[stop]\nstepz = 3\n"));
  const Section stop = reader.root().section("stop", {});
  EXPECT_FALSE(stop.optional_integer("steps", {}).has_value());
  EXPECT_THROW(stop.fail_as_a_whole("steps", "no criterion ends the run"), InputError);
  reader.collect_errors();
  EXPECT_FALSE(stop.attempt([&] { stop.fail_as_a_whole("steps", "no criterion ends the run"); }));
  reader.finish();
  ASSERT_EQ(reader.errors().size(), 2U);
  EXPECT_EQ(reader.errors()[0].where().key, "stop.steps");
  EXPECT_EQ(reader.errors()[1].where().key, "stop.stepz");
  EXPECT_EQ(reader.errors()[1].suggestion(), "did you mean \"steps\"?");
}

TEST(CaseErrors, NameTheLineOfAKeyOfASubsection) {
  const CaseReader reader(CaseFile::from_text("[flow]\nmode = 3\n"));
  (void)reader.root().section("flow", {});
  EXPECT_EQ(reader.root().where("flow.mode").line, 2);
  EXPECT_EQ(reader.root().where("flow.mode").key, "flow.mode");
  EXPECT_EQ(reader.root().where("flow.other").line, 1);
}

TEST(CaseErrors, DifferentDeclarationsOfAKeyViolateAContract) {
  const CaseReader reader = reader_of("");
  EXPECT_EQ(reader.root().number("a", {.default_value = 1}), reader.root().number("a", {.default_value = 1}));
#ifdef WEFT_CONTRACTS
  EXPECT_THROW(reader.root().number("a", {.default_value = 2}), ContractError);
  EXPECT_THROW(reader.root().number("b", {.default_value = 2, .unit = "parsec"}), ContractError);
  EXPECT_THROW(reader.root().optional_number("c", {.default_value = 2}), ContractError);
  EXPECT_THROW(reader.root().number("d", {.default_value = 2, .max = 1}), ContractError);
#endif
}

}  // namespace
}  // namespace weft::io::case_errors_test
