// Implicit steps of a heat equation with four coupled temperatures (implicit_heat.hpp), distributed over the ranks: a
// block-sparse matrix, preconditioners and iterative solvers on the host. A table compares them; the solutions are compared with
// the exact one of the discrete system. As implicit_heat_gpu.cu, which does the same on GPUs.
//
//   mpirun -n 2 implicit_heat
#include "implicit_heat.hpp"

#include <cstdio>

#include "weft/array/krylov_ranks.hpp"
#include "weft/comm/environment.hpp"
#include "weft/kernels/linear/bicgstab.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/colored_factors.hpp"
#include "weft/kernels/linear/gmres.hpp"

namespace {

using namespace weft::kernels;
constexpr int kRestart = 30;  // iterations of GMRES between restarts; it stores kRestart + 3 vectors
using SparseMatrix = BsrMatrix<double, kComponents>;

void iterate(Gmres<double, kComponents>& solver) { solver.cycle(10); }  // at most; a host ends where the solver has converged
void iterate(BiCgStab<double, kComponents>& solver) { solver.iterate(300); }

/// Takes all steps, prints a row of the table, and returns the iterations, or 0 if a step or the solution is wrong.
template <class Solver>
int take_steps(const Medium& medium, const SparseMatrix& a, Solver& solver, Preconditioner<double>* preconditioner,
               const char* name) {
  std::vector<double> t = medium.exact(medium.modes);
  int iterations = 0;
  bool converged = true;
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<double> old = t;  // the right-hand side; t is also the initial guess
    solver.start(a.view(), preconditioner, old, t, kTolerance);
    iterate(solver);
    const KrylovStatus status = solver.status();  // all ranks have the same
    iterations += status.iterations;
    converged = converged && status.state == KrylovState::converged;
  }
  const double error = medium.error(t);
  if (medium.mesh.comm.is_root()) std::printf("%-24s %5d %10d %10.1e\n", name, kSteps, iterations, error);
  return converged && error < 1e-8 ? iterations : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  const Medium medium(comm, weft::Backend::host);
  const std::int32_t rows = medium.mesh.owned_cells;
  const SparseMatrix a(medium.pattern, medium.blocks);

  // Preconditioners are local to a rank: factors of the diagonal blocks, and of all blocks between owned cells by colours.
  BlockJacobi<double, kComponents> jacobi(rows, weft::Backend::host);
  const RowColors colors(*medium.pattern);
  ColoredFactors<double, kComponents> lu_sgs(*medium.pattern, colors, Factors::lu_sgs);
  ColoredFactors<double, kComponents> ilu(*medium.pattern, colors, Factors::ilu0);
  jacobi.factor(a.view());
  lu_sgs.factor(a.view());
  ilu.factor(a.view());

  // The ghost rows of products, and up to kRestart + 2 scalar products at a time, are exchanged between the ranks.
  weft::DistributedVectors<double, kComponents> ranks(medium.mesh.plan, kRestart + 2, weft::Backend::host);
  Gmres<double, kComponents> gmres(rows, kRestart, weft::Backend::host, &ranks);
  BiCgStab<double, kComponents> bicgstab(rows, weft::Backend::host, &ranks);

  if (comm.is_root()) std::printf("%-24s %5s %10s %10s\n", "", "steps", "iterations", "error");
  const int plain = take_steps(medium, a, gmres, nullptr, "GMRES(30)");
  const int by_jacobi = take_steps(medium, a, gmres, &jacobi, "GMRES(30), block Jacobi");
  const int by_lu_sgs = take_steps(medium, a, gmres, &lu_sgs, "GMRES(30), LU-SGS");
  const int by_ilu = take_steps(medium, a, gmres, &ilu, "GMRES(30), ILU(0)");
  const int of_bicgstab = take_steps(medium, a, bicgstab, &ilu, "BiCGStab, ILU(0)");
  ranks.close();

  const bool solved = plain > 0 && by_jacobi > 0 && by_lu_sgs > 0 && by_ilu > 0 && of_bicgstab > 0;
  const bool right = solved && by_ilu < by_jacobi && by_lu_sgs < by_jacobi && by_jacobi < plain;
  if (comm.is_root()) std::printf("%d ranks, %d colours: %s\n", comm.size(), colors.count(), right ? "right" : "WRONG");
  return right ? 0 : 1;
}
