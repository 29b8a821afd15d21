// Gas in a closed vessel with a heater: a source term as a function of position, time and state, in a flow that a program steps.
// The heat of the source is the gain of the gas. (With Backend::cuda the function is still called on the host: in every stage the
// values are copied from the GPU and the sources back. A constant acceleration, SourceTerm::acceleration, stays on the GPU.)
//
//   mpirun -n 2 heated_gas
#include <cmath>
#include <cstdio>

#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"
#include "weft/flow/app/monitors.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh.hpp"

namespace {

using weft::Vec3;
using namespace weft::flow;

/// Returns the heat release in W/m^3: switched on slowly, largest at the middle of the floor.
double heat(Vec3 x, double t) { return 20 * t * std::exp(-50 * ((x.x - 0.5) * (x.x - 0.5) + x.y * x.y)); }

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  const auto mesh = weft::mesh::build(comm, weft::mesh::generate(comm, weft::mesh::BoxSpec{.nx = 48, .ny = 48}));

  const BoundaryConditions walls(mesh.boundary.size(), {{.kind = BoundaryKind::slip_wall}});
  const SourceTerm heater([](Vec3 x, double t, const Primitive& /*state*/) { return Conserved{0, {}, heat(x, t)}; });
  Solver solver(mesh, {.gas = IdealGas{.gamma = 1.4}, .boundary = walls, .source = heater});
  solver.initialise([](Vec3) { return Primitive{.density = 1, .velocity = {}, .pressure = 1}; });

  constexpr double kEnd = 0.5;
  const double before = totals(solver)[4];
  while (solver.time() < kEnd * (1 - 1e-13)) solver.step(kEnd - solver.time());
  const double gained = totals(solver)[4] - before;

  double given = 0;  // the heat grows linearly in time, so that its mean is that of the midpoint
  for (const auto c : mesh.owned()) given += kEnd * heat(mesh.cell_centroid[c], 0.5 * kEnd) * mesh.cell_volume[c];
  given = comm.sum(given);
  if (comm.is_root())
    std::printf("%lld steps: the heater gave %.12f J, the gas gained %.12f J\n", static_cast<long long>(solver.steps()), given,
                gained);
  return std::abs(gained - given) <= 1e-11 * before ? 0 : 1;
}
