#pragma once
/// The error of a user function in a step, on the host or on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/flow/scheme/solver.hpp"

#include "flow/solver_settings.hpp"

namespace weft::flow::test {

/// Expects that an error of a source on the last rank ends the step on every rank in its first attempt, that the state before the
/// step can be restored, and that the next steps are then those of a solver without the error.
inline void expect_error_of_function_ends_step(Backend backend) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{6}}}, periodic_box(2, 1));
  const bool last = m.comm.rank().value() + 1 == m.comm.size();
  bool fails = false;
  int calls = 0;
  std::optional<InputError> error;
  const SourceTerm::Function heat([&](std::span<const Vec3> x, double, std::span<const Primitive> w, std::span<Conserved> rates) {
    EXPECT_EQ(x.size(), static_cast<std::size_t>(m.owned_cells));
    ++calls;
    for (std::size_t i = 0; i < x.size(); ++i) rates[i] = {0, {}, w[i].density * x[i].x};
    if (fails && last) error.emplace("the function failed");
  });
  const auto make = [&] {
    SourceTerm source;
    source.function = heat;
    return Solver(m, {.numerics = {.cfl = 0.5},
                      .source = source,
                      .take_error = [&] { return std::exchange(error, std::nullopt); },
                      .backend = backend});
  };
  Solver solver = make(), undisturbed = make();
  for (Solver* each : {&solver, &undisturbed}) {
    each->initialise([](Vec3 x) { return wavy(x, 2); });
    each->step(1);
  }
  const std::vector<double> before(solver.conserved().begin(), solver.conserved().end());
  const double time = solver.time();
  fails = true;
  calls = 0;
  EXPECT_THROW(solver.step(1), PhysicsError);
  EXPECT_EQ(calls, solver.scheme().numerics().rk_stages) << "the step is not repeated";
  solver.undo_failed_step();
  EXPECT_TRUE(std::ranges::equal(solver.conserved(), before));
  EXPECT_EQ(solver.time(), time);
  EXPECT_EQ(solver.steps(), 1);
  fails = false;
  solver.step(1);
  undisturbed.step(1);
  EXPECT_TRUE(std::ranges::equal(solver.conserved(), undisturbed.conserved()));
}

/// Expects that an exception that leaves a source on the last rank ends the step on every rank.
inline void expect_exception_of_function_ends_step(Backend backend) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{6}}}, periodic_box(2, 1));
  bool throws = false;
  SourceTerm source;
  source.function = [&](Vec3 /*x*/, double, const Primitive&) {
    if (throws && m.comm.rank().value() + 1 == m.comm.size()) throw InputError("the table ends", "extend it");
    return Conserved{};
  };
  Solver solver(m, {.numerics = {.cfl = 0.5}, .source = source, .backend = backend});
  solver.initialise([](Vec3 x) { return wavy(x, 2); });
  solver.step(1);
  throws = true;
  try {
    solver.step(1);
    ADD_FAILURE() << "the step has not failed";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("the table ends"), std::string::npos) << error.what();
  }
}

}  // namespace weft::flow::test
