// Overlap: cells without a ghost neighbour (inner) need no message. They are computed while the ghosts are in transit; then the
// exchange is finished and the others (border) are computed. The result is bitwise that of the exchange followed by all cells.
//
//   mpirun -n 2 overlap
#include <cstdio>
#include <utility>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/base/clock.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/mesh.hpp"

namespace {

using Field = weft::ArrayPair<double, 5>;
constexpr int kVars = 5, kSweeps = 20;

/// Computes out = mean of a cell and its neighbours, for some cells.
void smooth(const weft::mesh::Mesh& mesh, const Field& in, Field& out, weft::mesh::CellRange cells) {
  for (const auto cell : cells) {
    const auto neighbours = mesh.cell_cells.row(cell);
    for (int k = 0; k < kVars; ++k) {
      double sum = in(cell, k);
      for (const auto neighbour : neighbours) sum += in(neighbour, k);
      out(cell, k) = sum / static_cast<double>(1 + neighbours.size());
    }
  }
}

Field start(const weft::mesh::Mesh& mesh) {
  Field u(mesh.plan);
  for (const auto cell : mesh.owned()) {
    for (int k = 0; k < kVars; ++k) u(cell, k) = static_cast<double>((mesh.cell_global[cell].value() * (k + 3)) % 17);
  }
  return u;
}

/// Sweeps over the mesh; the new values of one sweep are the old ones of the next, so there is one exchange for each of two
/// arrays.
Field sweep(const weft::mesh::Mesh& mesh, bool overlapped) {
  Field old = start(mesh), next(mesh.plan);
  weft::Exchange pull = weft::ArrayTransformer{mesh.plan, {old}}.pull(),
                 pull_next = weft::ArrayTransformer{mesh.plan, {next}}.pull();
  weft::Stream& stream = weft::host_stream();
  for (int i = 0; i < kSweeps; ++i) {
    if (overlapped) {
      pull.start(after(stream));
      smooth(mesh, old, next, mesh.inner());  // reads owned rows only
      pull.finish(stream);
      smooth(mesh, old, next, mesh.border());
    } else {
      pull.run();
      smooth(mesh, old, next, mesh.owned());
    }
    std::swap(old, next);
    std::swap(pull, pull_next);
  }
  return old;
}

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  const weft::mesh::BoxSpec box{.nx = 96, .ny = 96, .elements = weft::mesh::CellMix::mixed};
  const weft::mesh::Mesh mesh = weft::mesh::build(comm, weft::mesh::generate(comm, box));

  const weft::Stopwatch clock;
  const Field plain = sweep(mesh, false);
  const double plain_seconds = clock.seconds();
  const Field overlapped = sweep(mesh, true);
  const double overlapped_seconds = clock.seconds() - plain_seconds;

  bool same = true;
  for (const auto cell : mesh.owned()) {
    for (int k = 0; k < kVars; ++k) same = same && plain(cell, k) == overlapped(cell, k);
  }
  same = comm.all(same);
  const auto inner = comm.sum(mesh.inner_cells), border = comm.sum(mesh.border().size());
  if (comm.is_root()) {
    std::printf("%d ranks: %d inner and %d border cells\n", comm.size(), inner, border);
    std::printf("exchange, then all cells  %.4f s\ninner cells meanwhile     %.4f s\n", plain_seconds, overlapped_seconds);
    std::printf("the results are %s\n", same ? "the same to the last bit" : "DIFFERENT");
  }
  return same ? 0 : 1;
}
