// Overlap with streams: the kernel for cells without a ghost neighbour runs while the ghost rows are in transit. Both
// kernels read array a and write array b, ComputeA2BMain in inner cells, ComputeA2BGhost in border cells, which read ghost rows.
// The result is bitwise that of the host, which exchanges first and then computes all cells.
//
//   mpirun -n 2 overlap_gpu
#include <cstdio>
#include <utility>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh_params.hpp"

#include "gpu.hpp"

namespace {

using namespace weft::mesh;
using Field = weft::ArrayPair<double, 5>;
constexpr int kVars = 5, kSweeps = 20;

/// Computes b = mean of a over a cell and its neighbours, for the cells from `first` on.
template <class View>
struct ComputeA2B {
  MeshView mesh;
  View a, b;
  std::int32_t first;
  WEFT_HD void operator()(std::int32_t i) const {
    const LocalCellId cell(first + i);
    const auto neighbours = mesh.neighbours(cell);
    for (int k = 0; k < kVars; ++k) {
      double sum = a(cell, k);
      for (const LocalCellId neighbour : neighbours) sum += a(neighbour, k);
      b(cell, k) = sum / static_cast<double>(1 + neighbours.size());
    }
  }
};

Field field(const Mesh& mesh, weft::Backend backend) {
  Field u(mesh.plan, weft::Layout::aos, backend);
  for (const auto cell : mesh.owned()) {
    for (int k = 0; k < kVars; ++k) u(cell, k) = static_cast<double>((mesh.cell_global[cell].value() * (k + 3)) % 17);
  }
  return u;
}

template <class Space>
Field sweep(const Mesh& mesh, weft::Backend backend, bool overlapped) {
  using View = weft::View<double, kVars, weft::Aos, Space>;
  const MeshParams params(mesh, backend);
  Field u[2] = {field(mesh, backend), field(mesh, backend)};
  weft::Exchange pulls[2] = {weft::ArrayTransformer{mesh.plan, {u[0]}}.pull(), weft::ArrayTransformer{mesh.plan, {u[1]}}.pull()};
  weft::Stream stream = weft::Stream::for_backend(backend);
  for (Field& each : u) stream.wait_for(after(each.to_device(weft::After())));
  const View views[2] = {u[0].view<weft::Aos, Space>(), u[1].view<weft::Aos, Space>()};
  for (int i = 0; i < kSweeps; ++i) {
    const View a = views[i % 2], b = views[(i + 1) % 2];
    const std::int32_t inner = mesh.inner_cells, border = mesh.border().size();
    weft::Exchange& pull = pulls[i % 2];
    if (overlapped) {
      pull.start(after(stream));
      parallel_for(Space{}, stream, inner, ComputeA2B<View>{params.view(), a, b, 0});  // ComputeA2BMain: owned rows only
      pull.finish(stream);
      parallel_for(Space{}, stream, border, ComputeA2B<View>{params.view(), a, b, inner});  // ComputeA2BGhost
    } else {
      pull.run(after(stream));
      parallel_for(Space{}, stream, inner + border, ComputeA2B<View>{params.view(), a, b, 0});
    }
  }
  u[kSweeps % 2].to_host(after(stream)).wait();
  for (weft::Exchange& pull : pulls) pull.close();
  return std::move(u[kSweeps % 2]);
}

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  if (!take_gpu(comm)) return kSkipped;
  const Mesh mesh = build(comm, generate(comm, BoxSpec{.nx = 96, .ny = 96, .elements = CellMix::mixed}));
  const Field on_host = sweep<weft::space::host>(mesh, weft::Backend::host, false);
  const Field on_gpu = sweep<weft::space::cuda>(mesh, weft::Backend::cuda, true);
  bool same = true;
  for (const auto cell : mesh.owned()) {
    for (int k = 0; k < kVars; ++k) same = same && on_host(cell, k) == on_gpu(cell, k);
  }
  same = comm.all(same);
  const auto cells = comm.sum(mesh.owned_cells), border = comm.sum(mesh.border().size());
  if (comm.is_root()) {
    std::printf("%d ranks, %d cells, %d of them at a border: host and GPU results are %s\n", comm.size(), cells, border,
                same ? "the same to the last bit" : "DIFFERENT");
  }
  return same ? 0 : 1;
}
