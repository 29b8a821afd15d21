// GPU memory shared by ranks of one machine.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/device.hpp"
#include "weft/device/ipc.hpp"
#include "weft/device/storage.hpp"

#include "support/gpu.hpp"

namespace weft::gpu_memory_test {
namespace {

TEST(CudaIpc, a_rank_writes_into_the_memory_of_the_next) {
  WEFT_NEEDS_GPU();
  const Communicator comm = Communicator::world();
  const Communicator node = comm.split_shared_memory();
  const int ranks = node.size(), rank = node.rank().value();
  set_device(device_of(rank));
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  const auto mine = DeviceStorage::make(Backend::cuda, kBytes);
  const std::vector<IpcHandle> handles = node.all_gather(ipc_handle(mine->data()));
  Stream stream;
  for (int round = 0; round < 3; ++round) {
    set_bytes(stream, mine->data(), 0, kBytes);
    stream.wait();
    node.barrier();
    if (ranks > 1) {  // a process cannot map its own memory
      IpcMemory next(handles[static_cast<std::size_t>((rank + 1) % ranks)]);
      const IpcMemory moved = std::move(next);
      set_bytes(stream, moved.data(), static_cast<unsigned char>(rank + 1), kBytes);
      stream.wait();
    }
    node.barrier();
    unsigned char last = 0;
    copy_bytes(stream, &last, mine->data() + kBytes - 1, 1);
    stream.wait();
    EXPECT_EQ(static_cast<int>(last), ranks > 1 ? (rank + ranks - 1) % ranks + 1 : 0);
    node.barrier();
  }
}

TEST(CudaIpc, rejects_host_memory) {
  const int on_the_host = 0;
  EXPECT_THROW((void)ipc_handle(&on_the_host), DeviceError);
  EXPECT_THROW(IpcMemory(IpcHandle{}), DeviceError);
}

TEST(MpiEnvironment, reports_whether_mpi_accepts_gpu_memory) {
  const auto aware = MpiEnvironment::cuda_aware();
  EXPECT_EQ(Communicator::world().max(aware.value_or(false) ? 1 : 0), aware.value_or(false) ? 1 : 0);
}

}  // namespace
}  // namespace weft::gpu_memory_test
