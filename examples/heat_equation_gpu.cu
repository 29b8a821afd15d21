// The heat equation on GPUs with a user's kernel: as heat_equation.cpp, with one thread per cell, which reads the mesh through an
// FvView. overlap_gpu.cu has a functor that also runs on the host.
//
//   mpirun -n 2 heat_equation_gpu
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh_params.hpp"

#include "gpu.hpp"

namespace {

using namespace weft::mesh;
using Temperature = weft::View<double, 1, weft::Aos, weft::space::cuda>;

/// One explicit step of dT/dt = div grad T in one cell, with T = 0 on the boundary.
struct Conduct {
  FvView fv;
  Temperature now, next;
  double dt;
  WEFT_HD void operator()(std::int32_t i) const {
    const LocalCellId cell(i);
    double rate = 0;
    for (const LocalFaceId face : fv.faces(cell)) {
      const LocalCellId other = fv.other_cell(face, cell);
      const weft::Vec3 to = other.valid() ? fv.centroid(other) : fv.face_centroid(face);
      const double difference = (other.valid() ? now(other) : 0.0) - now(cell);
      rate += fv.area(face) * difference / norm(to - fv.centroid(cell));
    }
    next(cell) = now(cell) + dt * rate / fv.volume(cell);
  }
};

double exact(weft::Vec3 x, double t) {
  constexpr double kPi = std::numbers::pi;
  return std::exp(-2 * kPi * kPi * t) * std::sin(kPi * x.x) * std::sin(kPi * x.y);
}

/// Returns the root mean square of the error at t = 0.05 on n x n cells.
double error_on(const weft::Communicator& comm, int n) {
  constexpr double kEnd = 0.05;
  const Mesh mesh = build(comm, generate(comm, BoxSpec{.nx = n, .ny = n}));
  const FvParams params(mesh, weft::Backend::cuda);  // copies topology and geometry to the GPU
  using Field = weft::ArrayPair<double>;
  Field t[2] = {Field(mesh.plan, weft::Layout::aos, weft::Backend::cuda),
                Field(mesh.plan, weft::Layout::aos, weft::Backend::cuda)};
  weft::Exchange pulls[2] = {weft::ArrayTransformer{mesh.plan, {t[0]}}.pull(), weft::ArrayTransformer{mesh.plan, {t[1]}}.pull()};
  for (const auto c : mesh.owned()) t[0](c) = exact(mesh.cell_centroid[c], 0);

  weft::Stream stream;
  for (Field& field : t) stream.wait_for(after(field.to_device(weft::After())));
  const Temperature views[2] = {t[0].view<weft::Aos, weft::space::cuda>(), t[1].view<weft::Aos, weft::space::cuda>()};
  const int steps = static_cast<int>(std::ceil(kEnd * n * n / 0.2));  // dt / h^2 = 0.2: below the limit of 1/4
  for (int i = 0; i < steps; ++i) {
    pulls[i % 2].start(after(stream));
    pulls[i % 2].finish(stream);
    parallel_for(weft::space::cuda{}, stream, mesh.owned_cells,
                 Conduct{params.view(), views[i % 2], views[(i + 1) % 2], kEnd / steps});
  }
  Field& last = t[steps % 2];
  last.to_host(after(stream)).wait();
  for (weft::Exchange& pull : pulls) pull.close();

  double sum = 0;
  for (const auto c : mesh.owned()) {
    sum += std::pow(last(c) - exact(mesh.cell_centroid[c], kEnd), 2) * mesh.cell_volume[c];
  }
  return std::sqrt(comm.sum(sum));
}

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  if (!take_gpu(comm)) return kSkipped;
  const double coarse = error_on(comm, 16), fine = error_on(comm, 32), order = std::log2(coarse / fine);
  if (comm.is_root()) std::printf("%d ranks: error %.3e, then %.3e; observed order %.2f\n", comm.size(), coarse, fine, order);
  return order > 1.9 && fine < 1e-3 ? 0 : 1;
}
