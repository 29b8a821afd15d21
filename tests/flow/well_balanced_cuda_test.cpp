// Numerics::well_balanced on a GPU: the rates that are subtracted are those of the GPU, in each precision.
#include <gtest/gtest.h>

#include "flow/scalar_support.hpp"
#include "flow/well_balanced_support.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::well_balanced_cuda_test {
namespace {

using test::ClosedBox;
using test::falling;
using test::gathered;
using test::gathered_amounts;
using test::go;
using test::largest_mach;

class ColumnOnCuda : public ::testing::TestWithParam<ClosedBox> {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }
  [[nodiscard]] std::unique_ptr<Solver> solver_on(const mesh::Mesh& mesh, Backend backend, const Numerics& numerics,
                                                  std::vector<Scalar> scalars = {}, SourceTerm::Function function = {}) const {
    SourceTerm source = falling(GetParam().atmosphere().acceleration);
    source.function = std::move(function);
    return test::carrying(mesh, std::move(scalars), numerics, ClosedBox::boundary(mesh), mesh::Neighbours::face, backend, source);
  }
  [[nodiscard]] Numerics numerics(Precision precision = Precision::fp64) const {
    return {.limiter = GetParam().limiter, .precision = precision, .well_balanced = true};
  }
  /// Returns the atmosphere with a pressure that is higher by a tenth on one side.
  [[nodiscard]] Primitive pushed(Vec3 x) const {
    Primitive w = GetParam().atmosphere()(x);
    w.pressure *= x.x < 0.5 ? 1.1 : 1;
    return w;
  }
};

TEST_P(ColumnOnCuda, StaysAtRestToTheRoundingOfThePrecision) {
  const mesh::Mesh m = GetParam().mesh();
  for (const auto& [precision, most] :
       {std::pair{Precision::fp64, 1e-12}, std::pair{Precision::mixed, 1e-5}, std::pair{Precision::fp32, 1e-4}}) {
    const auto solver = solver_on(m, Backend::cuda, numerics(precision));
    solver->initialise(GetParam().atmosphere());
    go(*solver, few_if_checked(500));
    EXPECT_LE(largest_mach(*solver), most) << static_cast<int>(precision);
  }
}

TEST_P(ColumnOnCuda, StepsThatFollowEachOtherKeepItToo) {
  const mesh::Mesh m = GetParam().mesh();
  const auto solver = solver_on(m, Backend::cuda, numerics());
  solver->initialise(GetParam().atmosphere());
  for (int i = 0; i < few_if_checked(10); ++i) {
    solver->start_steps({.count = few_if_checked(50), .until = 1e9});
    (void)solver->finish_steps();
  }
  EXPECT_LE(largest_mach(*solver), 1e-12);
}

TEST_P(ColumnOnCuda, WavesAreThoseOfTheHost) {
  const mesh::Mesh m = GetParam().mesh();
  const auto heat = [](Vec3 x, double t, const Primitive&) { return Conserved{0, {}, 1e-3 * std::sin(3 * x.x + t)}; };
  for (const bool heated : {false, true}) {
    const SourceTerm::Function function = heated ? SourceTerm::Function(heat) : SourceTerm::Function();
    const auto host = solver_on(m, Backend::host, numerics(), test::three_scalars(), function);
    const auto cuda = solver_on(m, Backend::cuda, numerics(), test::three_scalars(), function);
    for (Solver* solver : {host.get(), cuda.get()}) {
      solver->set_stationary(GetParam().atmosphere());
      solver->initialise([&](Vec3 x) { return pushed(x); });
      go(*solver, few_if_checked(20));
    }
    EXPECT_LE(test::relative_difference(IdealGas{}, gathered(*host), gathered(*cuda)), 1e-12);
    EXPECT_LE(test::amounts_difference(*host, *cuda), 1e-12);
  }
}

TEST_P(ColumnOnCuda, ScalarsStayAsTheGasDoes) {
  const mesh::Mesh m = GetParam().mesh();
  const auto solver = solver_on(m, Backend::cuda, numerics(), test::three_scalars());
  solver->initialise(GetParam().atmosphere());
  const std::vector<double> before = gathered_amounts(*solver);
  go(*solver, few_if_checked(200));
  const std::vector<double> after = gathered_amounts(*solver);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-12) << i;
}

TEST_P(ColumnOnCuda, ARestoredRunHasTheSameBits) {
  const mesh::Mesh m = GetParam().mesh();
  for (const Precision precision : {Precision::fp64, Precision::mixed}) {
    const auto whole = solver_on(m, Backend::cuda, numerics(precision), test::three_scalars());
    const auto resumed = solver_on(m, Backend::cuda, numerics(precision), test::three_scalars());
    for (Solver* solver : {whole.get(), resumed.get()}) solver->set_stationary(GetParam().atmosphere());
    whole->initialise([&](Vec3 x) { return pushed(x); });
    go(*whole, few_if_checked(8));
    resumed->refer_to([&](Vec3 x) { return pushed(x); });
    resumed->restore(whole->conserved(), whole->time(), whole->steps(), whole->fallback_cells(), whole->scalar_amounts());
    for (Solver* solver : {whole.get(), resumed.get()}) go(*solver, few_if_checked(8));
    EXPECT_EQ(whole->time(), resumed->time());
    EXPECT_EQ(gathered(*whole), gathered(*resumed));
    EXPECT_EQ(gathered_amounts(*whole), gathered_amounts(*resumed));
  }
}

INSTANTIATE_TEST_SUITE_P(Flow, ColumnOnCuda, ::testing::ValuesIn(test::closed_boxes()),
                         [](const auto& test) { return test.param.name; });

TEST(WellBalancedOnCuda, SmallWavesHaveTheAmplitudeOfTheLinearSolution) {
  WEFT_NEEDS_GPU();
  EXPECT_LE(test::wave_error(32, "quads", true, {}, Backend::cuda), 1e-3);
  EXPECT_LE(test::wave_error(32, "triangles", true, {}, Backend::cuda), 1e-3);
}

}  // namespace
}  // namespace weft::flow::well_balanced_cuda_test
