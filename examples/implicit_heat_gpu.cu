// Implicit steps of a heat equation with four coupled temperatures on GPUs: as implicit_heat.cpp, by GMRES with ILU(0). The
// matrix, its factors and the vectors stay in the memory of the GPU, and all work is enqueued in one stream; the host only reads
// the status after each cycle. The number of iterations is that of the host on the same ranks.
//
//   mpirun -n 2 implicit_heat_gpu
#include <cstdio>

#include "weft/array/krylov_ranks.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/kernels/linear/colored_factors.hpp"
#include "weft/kernels/linear/gmres.hpp"

#include "gpu.hpp"
#include "implicit_heat.hpp"

int main(int argc, char** argv) {
  using namespace weft::kernels;
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  if (!take_gpu(comm)) return kSkipped;
  constexpr int kRestart = 30;
  const weft::space::cuda gpu;
  weft::Stream stream;

  // The host assembles the matrix once. A kernel could write the blocks through a.values<weft::space::cuda>() instead.
  const Medium medium(comm, weft::Backend::cuda);
  BsrMatrix<double, kComponents> a(medium.pattern, medium.blocks);
  a.to_device(stream);
  const BsrView<const double, kComponents> view = a.view<weft::space::cuda>();
  const RowColors colors(gpu, stream, *medium.pattern);
  ColoredFactors<double, kComponents> ilu(*medium.pattern, colors, Factors::ilu0);
  ilu.factor(gpu, stream, view);
  weft::DistributedVectors<double, kComponents> ranks(medium.mesh.plan, kRestart + 2, weft::Backend::cuda);
  Gmres<double, kComponents> solver(medium.mesh.owned_cells, kRestart, weft::Backend::cuda, &ranks);

  std::vector<double> values = medium.exact(medium.modes);
  const weft::DeviceVector<double> t(stream, std::span<const double>(values)), old(stream, values.size());
  int iterations = 0;
  bool converged = true;
  for (int step = 0; step < kSteps; ++step) {
    copy_bytes(stream, old.data(), t.data(), t.bytes());  // the right-hand side; t is also the initial guess
    solver.start(gpu, stream, view, &ilu, old.span(), t.span(), kTolerance);
    KrylovStatus status;
    do {
      solver.cycle(gpu, stream, 1);           // enqueues at most kRestart iterations
      status = solver.status(after(stream));  // waits for them
    } while (status.state == KrylovState::running);
    iterations += status.iterations;
    converged = converged && status.state == KrylovState::converged;
  }
  t.get(0, values, after(stream));
  ranks.close();

  const double error = medium.error(values);
  if (comm.is_root()) std::printf("%d ranks: %d steps, %d iterations, error %.1e\n", comm.size(), kSteps, iterations, error);
  return converged && error < 1e-8 ? 0 : 1;
}
