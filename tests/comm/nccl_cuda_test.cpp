// Lifetime of NCCL communicators.
#include <gtest/gtest.h>

#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/nccl.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/device.hpp"
#include "weft/device/storage.hpp"

#include "support/gpu.hpp"

namespace weft::nccl_cuda_test {
namespace {

TEST(CudaNccl, ExistsUntilItsLastOwnerReleasesIt) {
  WEFT_NEEDS_GPU();
  const Communicator comm = Communicator::world();
  if (nccl_version().empty()) {
    EXPECT_THROW((void)NcclCommunicator::of(comm), DeviceError);
    GTEST_SKIP() << "this build has no NCCL: install libnccl-dev and build with CUDA";
  }
  if (comm.split_shared_memory().size() > device_count())
    GTEST_SKIP() << "NCCL needs a GPU for each rank, and ranks share one here";
  set_device(device_of(comm.split_shared_memory().rank().value()));
  const int ranks = comm.size(), rank = comm.rank().value();
  const auto mine = DeviceStorage::make(Backend::cuda, 256), theirs = DeviceStorage::make(Backend::cuda, 256);
  const auto pass_on = [&](NcclCommunicator& nccl) {  // to the next rank, or on one rank to itself
    Stream stream;
    set_bytes(stream, mine->data(), 0, 256);
    const NcclCommunicator::Message to{Rank((rank + 1) % ranks), mine->data(), 256},
        from{Rank((rank + ranks - 1) % ranks), theirs->data(), 256};
    nccl.exchange(std::span(&to, 1), std::span(&from, 1), stream);
    stream.wait();
  };
  for (int again = 0; again < 2; ++again) {
    auto first = NcclCommunicator::of(comm), second = NcclCommunicator::of(comm);
    EXPECT_EQ(first, second);
    const std::weak_ptr<NcclCommunicator> watched = first;
    NcclCommunicator::release(std::move(first));
    pass_on(*second);
    NcclCommunicator::release(std::move(second));
    EXPECT_TRUE(watched.expired());
  }
  const std::weak_ptr<NcclCommunicator> dropped =
      NcclCommunicator::of(comm);  // dropped without release(), as an owner does that fails
  EXPECT_FALSE(dropped.expired()) << "a destructor waits for other ranks";
}

}  // namespace
}  // namespace weft::nccl_cuda_test
