// Fields that are written, against their formulas, and their gradients on linear fields.
#include "weft/flow/app/output_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "weft/base/error.hpp"
#include "weft/flow/app/case.hpp"

#include "flow/solver_support.hpp"
#include "support/gpu.hpp"

namespace weft::flow::output_fields_test {
namespace {

using test::generated;
using ::testing::HasSubstr;

std::vector<double> values_of(FieldKind field, const FieldReference& reference, const Primitive& w, const CellGradient& g,
                              int dim = 3) {
  std::vector<double> values;
  append_field(field, reference, dim, w, g, values);
  EXPECT_EQ(static_cast<int>(values.size()), components(field, dim)) << name_of(field);
  return values;
}

TEST(OutputFields, FollowTheirFormulas) {
  const IdealGas air{1.4, 287.05};
  const Primitive stream{1.225, {100, 0, 0}, 101325}, w{1.1, {200, 50, -30}, 9e4};
  const FieldReference reference{air, stream};
  const double speed = std::sqrt(200.0 * 200 + 50 * 50 + 30 * 30), a = std::sqrt(1.4 * 9e4 / 1.1), mach = speed / a;
  const auto one = [&](FieldKind field) { return values_of(field, reference, w, {}).front(); };
  EXPECT_EQ(one(FieldKind::density), 1.1);
  EXPECT_EQ(one(FieldKind::pressure), 9e4);
  EXPECT_EQ(values_of(FieldKind::velocity, reference, w, {}), (std::vector<double>{200, 50, -30}));
  EXPECT_NEAR(one(FieldKind::mach), mach, 1e-14);
  EXPECT_NEAR(one(FieldKind::temperature), 9e4 / (1.1 * 287.05), 1e-11);
  const double ratio = 1 + 0.2 * mach * mach;
  EXPECT_NEAR(one(FieldKind::total_temperature), 9e4 / (1.1 * 287.05) * ratio, 1e-11);
  EXPECT_NEAR(one(FieldKind::total_pressure), 9e4 * std::pow(ratio, 3.5), 1e-8);
  EXPECT_NEAR(one(FieldKind::cp), (9e4 - 101325) / (0.5 * 1.225 * 1e4), 1e-13);
  // Heat added at constant density by a factor of pressure f changes the entropy by cv ln f.
  const double cv = 287.05 / 0.4;
  EXPECT_NEAR(values_of(FieldKind::entropy, reference, {1.225, {}, 2 * 101325}, {}).front(), cv * std::log(2.0), 1e-9);
  EXPECT_NEAR(values_of(FieldKind::entropy, reference, stream, {}).front(), 0, 1e-12);
  EXPECT_NEAR(values_of(FieldKind::entropy, {air, {}}, {1, {}, 1}, {}).front(), 0, 1e-12);
}

void expect_gradients(Backend backend) {
  for (const int dim : {2, 3}) {
    const mesh::Mesh m =
        generated("box", {{"nx", std::int64_t{6}}, {"ny", std::int64_t{5}}, {"nz", std::int64_t{dim == 3 ? 3 : 0}}});
    const double z = dim == 3 ? 1 : 0;
    const auto field = [&](Vec3 x) {
      return Primitive{10 + 3 * x.x - 4 * x.y, {2 * x.y + z * x.z, 5 * x.x, z * (7 * x.x + x.y)}, 10 + x.y};
    };
    const BoundaryCondition given{{.kind = BoundaryKind::supersonic_inflow}, [&](Vec3 x, double) { return field(x); }};
    Solver solver(m, {.boundary = BoundaryConditions(m.boundary.size(), given),
                      .numerics = {.limiter = LimiterKind::none},
                      .backend = backend});
    solver.initialise(field);
    solver.refresh();
    const std::vector<CellGradient> gradients = solver.gradients();
    ASSERT_EQ(static_cast<std::int32_t>(gradients.size()), m.owned_cells);
    for (const CellGradient& g : gradients) {
      EXPECT_NEAR(values_of(FieldKind::schlieren, {}, {}, g, dim).front(), 5, 1e-12);
      const std::vector<double> vorticity = values_of(FieldKind::vorticity, {}, {}, g, dim);
      EXPECT_NEAR(vorticity.back(), 5 - 2, 1e-12);
      if (dim == 2) continue;
      EXPECT_NEAR(vorticity[0], 1, 1e-12);
      EXPECT_NEAR(vorticity[1], 1 - 7, 1e-12);
    }
  }
}

TEST(OutputFields, HaveTheGradientsOfTheScheme) { expect_gradients(Backend::host); }
TEST(OutputFields, HaveTheGradientsOfTheSchemeOnCuda) {
  WEFT_NEEDS_GPU();
  expect_gradients(Backend::cuda);
}

Case case_of(const std::string& more, const std::vector<std::string>& overrides) {
  const std::string text = "[mesh]\ngenerator = \"box\"\n[stop]\nsteps = 1\n[initial]\nkind = \"sod\"\n" + more;
  return read_case(io::CaseReader(io::CaseFile::from_text(text, "case.toml", overrides)));
}

std::string error_of(const std::string& more, const std::vector<std::string>& overrides) {
  try {
    (void)case_of(more, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(OutputFields, AreChosenByName) {
  EXPECT_EQ(case_of("", {}).output.fields,
            (std::vector{FieldKind::density, FieldKind::velocity, FieldKind::pressure, FieldKind::mach}));
  EXPECT_EQ(case_of("", {"output.fields=[\"entropy\", \"schlieren\"]"}).output.fields,
            (std::vector{FieldKind::entropy, FieldKind::schlieren}));
  EXPECT_THAT(error_of("", {"output.fields=[\"presure\"]"}), HasSubstr("did you mean \"pressure\""));
  const std::string unknown = error_of("", {"output.fields=[\"helicity\"]"});
  EXPECT_THAT(unknown,
              HasSubstr("density, velocity, pressure, mach, temperature, total_temperature, total_pressure, entropy, cp, "
                        "vorticity, schlieren"));
  EXPECT_THAT(unknown, HasSubstr("output.fields"));
  EXPECT_THAT(error_of("", {"output.fields=[\"mach\", \"mach\"]"}), HasSubstr("listed twice"));
  EXPECT_THAT(error_of("", {"output.fields=[\"cp\"]"}), HasSubstr("give [free_stream] with mach or velocity"));
  const std::string still = "[free_stream]\ndensity = 1\npressure = 1\n";
  EXPECT_THAT(error_of(still, {"output.fields=[\"cp\"]"}), HasSubstr("none that moves"));
  EXPECT_EQ(error_of(still + "mach = 0.3\n", {"output.fields=[\"cp\"]"}), "no error");
  EXPECT_THAT(error_of("", {"output.fields=[\"vorticity\"]", "numerics.gradient=none"}), HasSubstr("numerics.gradient"));
  const std::string scalar = "[scalars.entropy]\n";
  EXPECT_EQ(error_of(scalar, {}), "no error");
  EXPECT_THAT(error_of(scalar, {"output.fields=[\"entropy\"]"}), HasSubstr("the scalar \"entropy\" has the name of a field"));
}

}  // namespace
}  // namespace weft::flow::output_fields_test
