// Sources and boundary states that functions of the user evaluate on a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "weft/device/parallel_for.cuh"
#include "weft/flow/physics/evaluate_on_gpu.hpp"
#include "weft/flow/scheme/solver.hpp"

#include "flow/solver_settings.hpp"
#include "support/gpu.hpp"

namespace weft::flow::device_function_cuda_test {
namespace {

using test::gathered;
using test::generated;
using test::go;
using test::kAgreement;

struct Wave {
  double time;
  const Vec3* x;
  double* states;
  WEFT_HD static Primitive at(Vec3 x, double t) { return {1 + 0.1 * std::sin(x.x + t), {0.5, 0.1 * x.y, 0}, 1 + 0.05 * t}; }
  WEFT_HD void operator()(std::int32_t i) const {
    const Primitive w = at(x[i], time);
    for (int k = 0; k < Primitive::kVars; ++k) states[Primitive::kVars * i + k] = w[k];
  }
};

struct Heat {
  double time;
  const Vec3* x;
  const Primitive* states;
  double* rates;
  WEFT_HD static double at(Vec3 x, double t, const Primitive& w) { return 0.5 * w.density * std::cos(2 * x.x + t); }
  WEFT_HD void operator()(std::int32_t i) const { rates[Conserved::kVars * i + 4] = at(x[i], time, states[i]); }
};

[[nodiscard]] FieldFunction<Primitive> wave_on_device() {
  const DeviceFunction there = [](const DeviceArguments& a) {
    parallel_for(space::cuda{}, a.stream, static_cast<std::int32_t>(a.points), Wave{a.time, a.x, a.results});
  };
  return {[there](std::span<const Vec3> points, double t, std::span<Primitive> results) {
            evaluate_on_gpu(there, points, t, results);
          },
          there};
}

[[nodiscard]] SourceTerm heat_on_device(const mesh::Mesh& mesh) {
  SourceTerm source;
  source.function = {
      [](std::span<const Vec3>, double, std::span<const Primitive>, std::span<Conserved>) { FAIL() << "evaluated on the host"; },
      [owned = mesh.owned_cells](const DeviceArguments& a) {
        EXPECT_EQ(a.points, static_cast<std::size_t>(owned));
        parallel_for(space::cuda{}, a.stream, static_cast<std::int32_t>(a.points), Heat{a.time, a.x, a.states, a.results});
      }};
  return source;
}

TEST(SolverCuda, FunctionsOfTheUserOnAGpuGiveTheFlowOfThoseOnTheHost) {
  WEFT_NEEDS_GPU();
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{8}}, {"elements", "triangles"}}, {});
  for (const bool varies : {true, false}) {
    for (const bool balanced : {false, true}) {
      const auto flow = [&](Backend backend, FieldFunction<Primitive> wave, SourceTerm heat) {
        BoundaryConditions all(m.boundary.size(), {.params = {.kind = BoundaryKind::far_field}});
        for (const mesh::BoundaryZoneId z : all.ids()) {  // the last zone is always one of the host
          all[z].prescribed = z.value() + 1 < all.count() ? wave : FieldFunction<Primitive>(&Wave::at);
          all[z].depends_on_time = varies;
        }
        heat.acceleration = {0.1, -0.2, 0};
        Solver solver(m, {.boundary = all,
                          .numerics = {.cfl = 0.5, .well_balanced = balanced},
                          .source = std::move(heat),
                          .backend = backend});
        solver.initialise([](Vec3 x) { return Wave::at(x, 0); });
        go(solver, 50);
        return gathered(solver);
      };
      const auto heat = [](Vec3 x, double t, const Primitive& w) { return Conserved{0, {}, Heat::at(x, t, w)}; };
      const auto host = flow(Backend::host, &Wave::at, heat);
      const auto cuda = flow(Backend::cuda, wave_on_device(), heat_on_device(m));
      const auto difference = [&](const auto& other) { return test::relative_difference(IdealGas{}, host, other); };
      EXPECT_LE(difference(cuda), kAgreement) << varies << balanced;
      EXPECT_GT(difference(flow(Backend::host, &Wave::at, {})), 1e-3) << "the source has no effect";
    }
  }
}

TEST(SolverCuda, ArgumentsOfAFunctionOnAGpuMayBeKept) {
  WEFT_NEEDS_GPU();
  const std::vector<Vec3> points{{1, 2, 3}, {4, 5, 6}};
  std::vector<Primitive> results(points.size());
  std::shared_ptr<void> kept;
  const double* at = nullptr;
  const DeviceFunction function = [&](const DeviceArguments& a) {
    parallel_for(space::cuda{}, a.stream, static_cast<std::int32_t>(a.points), Wave{a.time, a.x, a.results});
    kept = a.memory;
    at = a.results;
  };
  evaluate_on_gpu(function, points, 0.5, results);
  EXPECT_EQ(results[1].velocity, Wave::at(points[1], 0.5).velocity);
  Stream stream;
  std::vector<double> again(points.size() * Primitive::kVars);
  copy_bytes(stream, again.data(), at, again.size() * sizeof(double));
  stream.wait();
  EXPECT_EQ(again[5], results[1].density);
  EXPECT_NEAR(results[1].density, Wave::at(points[1], 0.5).density, 1e-15);
}

}  // namespace
}  // namespace weft::flow::device_function_cuda_test
