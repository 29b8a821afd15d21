#include "weft/io/case/case_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "io/support/scratch.hpp"

namespace weft::io::case_reader_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

CaseReader reader_of(const std::string& text, std::vector<std::string> overrides = {}) {
  return CaseReader(CaseFile::from_text(text, "case.toml", overrides));
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
  if (std::getenv("HOME") == nullptr) GTEST_SKIP() << "the environment variable HOME is not set";
  const std::filesystem::path home = std::getenv("HOME");
  EXPECT_EQ(path(reader, "e"), home / "out");
  EXPECT_EQ(path(reader, "f"), home / "x.su2");
  // Read from any location, the effective case names the same files.
  const CaseReader again(CaseFile::from_text(reader.effective_toml(), "elsewhere/case.toml"));
  for (const char* key : {"a", "b", "c", "d", "e", "f"})
    EXPECT_EQ(path(again, key), std::filesystem::absolute(path(reader, key)).lexically_normal()) << key;
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

TEST(CaseVariant, WithoutAValidChoiceOnlyKeysOfNoVariantAreUnknown) {
  const CaseReader reader(CaseFile::from_text(
      "[flow]\nend = 1\ncfll = 1\n[boundary.a]\ntype = \"inflo\"\npressure = -1\npresure = 1\n[boundary.b]\ntype = \"wall\"\n"));
  reader.collect_errors();
  EXPECT_EQ(read_model(reader).zones, (std::vector<std::string>{"a", "b"}));
  std::vector<std::string> keys;
  for (const InputError& error : reader.errors()) keys.push_back(error.where().key);
  EXPECT_EQ(keys, (std::vector<std::string>{"flow.cfll", "boundary.a.type", "boundary.a.presure"}));
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
}  // namespace weft::io::case_reader_test
