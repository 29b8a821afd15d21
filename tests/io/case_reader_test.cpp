#include "weft/io/case/case_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "io/support/scratch.hpp"

namespace weft::io {
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

TEST(CaseReader, ReadsEveryType) {
  const CaseReader reader = reader_of(R"toml(
title = "a step"
[flow]
cfl = 1
steps = 1e3
steady = true
flux = "roe"
angle = "90 deg"
end = "1.5 ms"
velocity = [3, 0.5]
moment_centre = ["250 mm", 0, 1]
density = "1 + 0.2*sin(x)"
pressure = 0.1
times = ["1 ms", 2.0]
zones = "wall"
mesh = "meshes/a.su2"
)toml");
  const Section root = reader.root();
  const Section flow = root.section("flow", {});
  EXPECT_EQ(root.text("title", {}), "a step");
  EXPECT_EQ(flow.number("cfl", {.default_value = 0.5, .min_exclusive = 0, .max = 10}), 1.0);
  EXPECT_EQ(flow.integer("steps", {.min = 0}), 1000);
  EXPECT_TRUE(flow.boolean("steady", {.default_value = false}));
  EXPECT_EQ(flow.choice("flux", {"hllc", "roe"}, {.default_value = "hllc"}), "roe");
  EXPECT_DOUBLE_EQ(flow.number("angle", {.default_value = 0, .unit = "deg"}), std::numbers::pi / 2);
  EXPECT_EQ(flow.number("end", {.unit = "s"}), 0.0015);
  EXPECT_EQ(flow.vector3("velocity", {.unit = "m/s"}), (Vec3{3, 0.5, 0}));
  EXPECT_EQ(flow.vector3("moment_centre", {.unit = "m"}), (Vec3{0.25, 0, 1}));
  EXPECT_EQ(flow.expression("density", {}), "1 + 0.2*sin(x)");
  EXPECT_EQ(std::stod(flow.expression("pressure", {})), 0.1);
  EXPECT_EQ(flow.numbers("times", {.unit = "s"}), (std::vector<double>{0.001, 2.0}));
  EXPECT_EQ(flow.texts("zones", {}), std::vector<std::string>{"wall"});
  EXPECT_EQ(flow.path_to("mesh", {}), "meshes/a.su2");
  EXPECT_FALSE(flow.optional_number("mach", {.min = 0}).has_value());
  EXPECT_NO_THROW(reader.finish());
}

TEST(CaseReader, DefaultsAreInTheDeclaredUnit) {
  const CaseReader reader = reader_of("");
  EXPECT_EQ(reader.root().number("end", {.default_value = 2, .unit = "ms"}), 0.002);
  EXPECT_EQ(reader.root().vector3("at", {.default_value = Vec3{1, 2, 3}, .unit = "mm"}), (Vec3{0.001, 0.002, 0.003}));
}

enum class Flux { hllc, roe };
constexpr Registry kFluxes{"flux", std::array{Row{Flux::hllc, "hllc", "three waves"}, Row{Flux::roe, "roe", "linearised"}}};
constexpr const auto& registry_of(Flux /*tag*/) { return kFluxes; }

TEST(CaseReader, ChoiceOfReturnsTheValueOfTheWord) {
  const CaseReader reader = reader_of("flux = \"roe\"");
  EXPECT_EQ(reader.root().choice_of<Flux>("flux", {.default_value = Flux::hllc}), Flux::roe);
  EXPECT_EQ(reader.root().choice_of<Flux>("other", {.default_value = Flux::hllc, .doc = "Numerical flux."}), Flux::hllc);
  EXPECT_THAT(error_of<InputError>([] { (void)reader_of("flux = \"hlc\"").root().choice_of<Flux>("flux", {}); }),
              HasSubstr("flux: there is no \"hlc\"; did you mean \"hllc\"? All choices: hllc, roe"));
}

TEST(CaseReader, TheReferenceDescribesTheChoicesOfARegistry) {
  const CaseReader reader = CaseReader::documentation();
  (void)reader.root().choice_of<Flux>("flux", {.default_value = Flux::hllc, .doc = "Numerical flux."});
  std::vector<Flux> visited;
  (void)reader.root().variant_of<Flux>("kind", {.doc = "Kind."}, [&](Flux flux) { visited.push_back(flux); });
  EXPECT_EQ(visited, (std::vector{Flux::hllc, Flux::roe}));
  EXPECT_THAT(reader.reference_markdown(), HasSubstr("| `flux` | choice |  | `\"hllc\"` | hllc, roe | Numerical flux. "
                                                     "hllc: three waves; roe: linearised. |"));
}

TEST(CaseReader, NamedSectionsAndListsPreserveTheOrderOfTheFile) {
  const CaseReader reader = reader_of(R"(
[boundary.wall]
type = "slip_wall"
[boundary."far field"]
type = "far_field"
[[probe]]
at = [1, 0, 0]
[[probe]]
at = [2, 0, 0]
)");
  std::vector<std::string> names;
  for (const Section& zone : reader.root().named_sections("boundary", {.placeholder = "zone"})) {
    names.push_back(zone.name() + "=" + zone.choice("type", {"slip_wall", "far_field"}, {}));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"wall=slip_wall", "far field=far_field"}));
  double sum = 0;
  for (const Section& probe : reader.root().sections("probe", {})) sum = 10 * sum + probe.vector3("at", {.unit = "m"}).x;
  EXPECT_EQ(sum, 12);
  EXPECT_NO_THROW(reader.finish());
}

TEST(CaseReader, OverridesReplaceAndAddKeysAndAcceptBareWords) {
  const CaseReader reader = reader_of("[flow]\ncfl = 1\n[[probe]]\nx = 1\n",
                                      {"flow.cfl=0.25", "flow.flux=roe", "mesh.file=../a b.su2", "flow.end=1.5 ms", "flow.k=.5",
                                       "probe.0.x=7", "flow.list=[1, 2]", "boundary.\"far field\".type=wall"});
  const Section flow = reader.root().section("flow", {});
  EXPECT_EQ(flow.number("cfl", {}), 0.25);
  EXPECT_EQ(flow.text("flux", {}), "roe");
  EXPECT_EQ(flow.number("end", {.unit = "s"}), 0.0015);
  EXPECT_EQ(flow.number("k", {}), 0.5);
  EXPECT_EQ(flow.numbers("list", {}).size(), 2U);
  EXPECT_EQ(reader.root().section("mesh", {}).path_to("file", {}), "../a b.su2");
  EXPECT_EQ(reader.root().sections("probe", {}).at(0).number("x", {}), 7);
  EXPECT_EQ(reader.root().named_sections("boundary", {}).at(0).name(), "far field");
}

TEST(CaseReader, PathsStartAtTheCaseAndThoseOfOverridesAtTheCurrentDirectory) {
  const std::vector<std::string> overrides{"b=x.su2", "f=~/x.su2"};
  const CaseReader reader(
      CaseFile::from_text("a = \"x.su2\"\nd = \"/abs\"\ne = \"~/out\"\ng = \"~x/y\"", "cases/case.toml", overrides));
  const auto path = [](const CaseReader& from, const std::string& key) {
    return from.root().path_to(key, key == "c" ? PathSpec{.default_value = "out"} : PathSpec{});
  };
  EXPECT_EQ(path(reader, "a"), "cases/x.su2");
  EXPECT_EQ(path(reader, "b"), "x.su2");
  EXPECT_EQ(path(reader, "c"), "cases/out");
  EXPECT_EQ(path(reader, "d"), "/abs");
  EXPECT_EQ(path(reader, "g"), "cases/~x/y");
  if (std::getenv("HOME") == nullptr) GTEST_SKIP() << "no HOME";
  const std::filesystem::path home = std::getenv("HOME");
  EXPECT_EQ(path(reader, "e"), home / "out");
  EXPECT_EQ(path(reader, "f"), home / "x.su2");
  // Read from any location, the effective case names the same files.
  const CaseReader again(CaseFile::from_text(reader.effective_toml(), "elsewhere/case.toml"));
  for (const char* key : {"a", "b", "c", "d", "e", "f"})
    EXPECT_EQ(path(again, key), std::filesystem::absolute(path(reader, key)).lexically_normal()) << key;
}

// ------------------------------------------------------------------------------------------------------------------ errors

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
  EXPECT_TRUE(stop.attempt([] {}));
  std::vector<std::string> zones;
  for (const Section& zone : root.named_sections("boundary", {})) {
    zones.push_back(zone.name());
    (void)zone.text("kind", {});
  }
  EXPECT_EQ(zones, std::vector<std::string>{"b"});
  reader.finish();  // "more" belongs to an unknown mode
  std::vector<std::string> keys;
  for (const InputError& error : reader.errors()) keys.push_back(error.where().key);
  EXPECT_EQ(keys, (std::vector<std::string>{"tile", "flow.cfl", "flow.mode", "stop.steps", "stop.time", "boundary.a",
                                            "boundary.b.kind"}));
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

// ------------------------------------------------------------------------------------------- from the declarations

struct Model {
  double cfl, end;
  std::string flux;
  std::vector<std::string> zones;
  std::vector<double> values;
  Vec3 at;
};

Model read_model(const CaseReader& reader) {
  Model model;
  const Section flow = reader.root().section("flow", {.doc = "The flow model."});
  model.cfl = flow.number("cfl", {.default_value = 0.5, .min_exclusive = 0, .max = 10, .doc = "Courant number."});
  model.end = flow.number("end", {.min = 0, .unit = "ms", .doc = "Stop here."});
  model.flux = flow.choice("flux", {"hllc", "roe"}, {.default_value = "hllc", .doc = "Riemann solver: a|b."});
  for (const Section& zone : reader.root().named_sections("boundary", {.doc = "One for each zone.", .placeholder = "zone"})) {
    zone.variant("type", {"wall", "inflow", "outflow"}, {.doc = "Kind."}, [&](const std::string& type) {
      if (type != "wall") model.values.push_back(zone.number("pressure", {.min_exclusive = 0, .unit = "kPa", .doc = "Static."}));
    });
    model.zones.push_back(zone.name());
  }
  for (const Section& probe : reader.root().sections("probe", {.doc = "A point to watch."})) {
    model.at = probe.vector3("at", {.unit = "m", .doc = "Where."});
    probe.optional_text("label", {.doc = "For the header."});
    probe.section("sub", {}).number("third", {.default_value = 1.0 / 3.0});
  }
  reader.finish();
  return model;
}

TEST(CaseEffective, ReadsBackBitwiseWithDefaults) {
  const std::string text = R"([flow]
end = "0.1 s"
[boundary."far field"]
type = "inflow"
pressure = 101.325
[boundary.wall]
type = "wall"
[[probe]]
at = [0.1, 0.2]
label = "quote \" and \\ and é"
[[probe]]
at = [0.3, 0.2, 1e-300]
)";
  const CaseReader first = reader_of(text, {"flow.flux=roe"});
  const Model a = read_model(first);
  const std::string effective = first.effective_toml();
  EXPECT_THAT(effective, HasSubstr("cfl = 0.5  # default\nend = \"0.1 s\"\nflux = \"roe\"\n"));
  EXPECT_THAT(effective, HasSubstr("[boundary.wall]\n"));
  const CaseReader second = reader_of(effective);
  const Model b = read_model(second);
  EXPECT_EQ(a.cfl, b.cfl);
  EXPECT_EQ(a.end, b.end);
  EXPECT_EQ(a.flux, b.flux);
  EXPECT_EQ(a.zones, b.zones);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.at, b.at);
  EXPECT_EQ(second.root().sections("probe", {}).size(), 2U);
  EXPECT_EQ(second.effective_toml().substr(second.effective_toml().find("[flow]")).size() + std::string("  # default").size() * 3,
            effective.substr(effective.find("[flow]")).size());
}

TEST(CaseReference, IsGeneratedFromTheDeclarations) {
  const CaseReader reader = CaseReader::documentation();
  read_model(reader);
  const std::string reference = reader.reference_markdown();
  EXPECT_THAT(reference, HasSubstr("## `[flow]`\n\nThe flow model.\n\n| key | type | unit | default | range | meaning |\n"));
  EXPECT_THAT(reference, HasSubstr("| `cfl` | number |  | `0.5` | > 0 and <= 10 | Courant number. |"));
  EXPECT_THAT(reference, HasSubstr("| `end` | number | ms | required | >= 0 | Stop here. |"));
  EXPECT_THAT(reference, HasSubstr("| `flux` | choice |  | `\"hllc\"` | hllc, roe | Riemann solver: a\\|b. |"));
  EXPECT_THAT(reference, HasSubstr("## `[boundary.<zone>]`\n\nOne for each zone."));
  EXPECT_THAT(
      reference,
      HasSubstr("| `pressure` | number | kPa | required | > 0 | Static. Only with `type = inflow` or `type = outflow`. |"));
  EXPECT_THAT(reference, HasSubstr("## `[[probe]]`"));
  EXPECT_THAT(reference, HasSubstr("| `label` | text |  | none |  | For the header. |"));
  EXPECT_THAT(reference, HasSubstr("## `[probe.sub]`"));
}

TEST(CaseVariant, KeysOfOtherVariantsAreUnknown) {
  const CaseReader reader = reader_of("[flow]\nend = 1\n[boundary.a]\ntype = \"wall\"\npressure = 1\n");
  EXPECT_THAT(error_of<InputError>([&] { read_model(reader); }), StartsWith("case.toml:5:1: boundary.a.pressure: unknown key"));
}

// ------------------------------------------------------------------------------------------------------------- on many ranks

TEST(CaseFile, EveryRankReadsTheSameText) {
  const Communicator comm = Communicator::world();
  const Scratch scratch(comm);
  if (comm.is_root()) std::ofstream(scratch / "case.toml") << "[flow]\ncfl = 2\nmesh = \"m.su2\"\n";
  std::vector<std::string> overrides;
  if (comm.is_root()) overrides = {"flow.cfl=3"};
  const CaseReader reader(
      CaseFile::read(comm, comm.is_root() ? scratch / "case.toml" : std::filesystem::path("other"), overrides));
  EXPECT_EQ(reader.root().section("flow", {}).number("cfl", {}), 3);
  EXPECT_EQ(reader.root().section("flow", {}).path_to("mesh", {}), scratch / "m.su2");
  EXPECT_EQ(reader.file().overrides().size(), 1U);
}

TEST(CaseFile, EveryRankThrowsTheSame) {
  const Communicator comm = Communicator::world();
  const Scratch scratch(comm);
  const std::string missing = error_of<IoError>([&] { static_cast<void>(CaseFile::read(comm, scratch / "none.toml")); });
  EXPECT_EQ(missing, (scratch / "none.toml").string() + ": no such file; check the path");
  EXPECT_THAT(error_of<IoError>([&] { static_cast<void>(CaseFile::read(comm, scratch.path())); }), HasSubstr("is a directory"));
  if (comm.is_root()) std::ofstream(scratch / "bad.toml") << "a = \n";
  EXPECT_THAT(error_of<InputError>([&] { static_cast<void>(CaseFile::read(comm, scratch / "bad.toml")); }),
              HasSubstr("bad.toml:1:"));
}

}  // namespace
}  // namespace weft::io
