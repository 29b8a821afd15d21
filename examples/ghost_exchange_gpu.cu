// Ghost exchange on GPUs: as ghost_exchange.cpp, with an array that kernels write and read. With the transports peer and nccl
// rows are sent from GPU to GPU, and the host only starts the work and waits once, at the end; with others it also sends
// messages.
//
//   mpirun -n 2 ghost_exchange_gpu
#include <cstdint>
#include <cstdio>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/row_offsets.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/parallel_for.cuh"

#include "gpu.hpp"

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  if (!take_gpu(comm)) return kSkipped;

  // Rank r owns r + 3 rows of a ring that is distributed over the ranks, and has a ghost of the row before its first and of the
  // row after its last.
  const int owned = comm.rank().value() + 3;
  const weft::RowOffsets offsets(comm, owned);
  const std::int64_t rows = offsets.global_rows(), first = offsets.first().value();
  const std::vector<weft::GlobalRow> wanted{weft::GlobalRow((first + rows - 1) % rows), weft::GlobalRow((first + owned) % rows)};
  const weft::GhostPlan plan = weft::GhostPlan::build(comm, owned, wanted);

  // The array has a host side and a device side. Its entries are zero at first, and are copied to the GPU once.
  weft::ArrayPair<double, 2> u(plan, weft::Layout::aos, weft::Backend::cuda);
  weft::Exchange pull = weft::ArrayTransformer{plan, {u}}.pull();
  weft::Exchange push = weft::ArrayTransformer{plan, {u}}.push(weft::Reduce::add);
  weft::Stream stream;
  stream.wait_for(after(u.to_device(weft::After())));
  const auto view = u.view<weft::Aos, weft::space::cuda>();  // trivially copyable; the host side is stale from now on

  weft::parallel_for(weft::space::cuda{}, stream, owned, [=] WEFT_HD(int i) {
    view(i, 0) = static_cast<double>(first + i);
    view(i, 1) = 1;
  });
  pull.start(after(stream));  // waits for the kernel on the GPU, not on the host
  pull.finish(stream);        // the next kernel of the stream sees the ghost rows

  // Column 1 of a ghost gathers a contribution that depends on what arrived in column 0; push adds it to the owner's row.
  weft::parallel_for(weft::space::cuda{}, stream, u.ghost_rows(),
                     [=] WEFT_HD(int i) { view(owned + i, 1) = 10 + view(owned + i, 0); });
  push.start(after(stream));
  push.finish(stream);
  u.to_host(after(stream)).wait();

  // Each ghost row with the global number i has added 10 + i to the row of its owner.
  bool right = true;
  double sum = 0, expected = static_cast<double>(owned);
  for (int i = 0; i < owned; ++i) sum += u(i, 1);
  for (int i = owned; i < u.rows(); ++i) {
    const auto global = static_cast<double>(plan.global(weft::LocalRow(i)).value());
    right = right && u(i, 0) == global;
    expected += 10 + global;
  }
  right = comm.all(right) && comm.sum(sum) == comm.sum(expected);
  if (comm.is_root()) {
    std::printf("%d ranks, %lld rows, transport %s: pull and push on GPUs are %s\n", comm.size(), static_cast<long long>(rows),
                to_string(pull.transport()), right ? "right" : "WRONG");
  }
  // Other ranks may have the memory of the array mapped: it is freed after every rank has ended its exchanges.
  pull.close();
  push.close();
  return right ? 0 : 1;
}
