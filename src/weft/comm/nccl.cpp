#include "weft/comm/nccl.hpp"

#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <map>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

#ifdef WEFT_HAS_NCCL
#include <nccl.h>
#endif

namespace weft {

#ifdef WEFT_HAS_NCCL
namespace {

void check_nccl(ncclResult_t result, const char* what) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  throw CommError(fmt::format("NCCL failed in {}: {}", what, ncclGetErrorString(result)), "NCCL_DEBUG=INFO makes it say more");
}

}  // namespace

std::string nccl_version() {
  int version = 0;
  if (ncclGetVersion(&version) != ncclSuccess) return {};
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::shared_ptr<NcclCommunicator> NcclCommunicator::of(const Communicator& comm) {
  static std::map<MPI_Comm, std::weak_ptr<NcclCommunicator>> made;
  std::weak_ptr<NcclCommunicator>& known = made[comm.handle()];
  // Every rank drops its last holder at its own time, so whether one is left must be agreed on.
  std::shared_ptr<NcclCommunicator> shared = known.lock();
  if (comm.all(shared != nullptr)) return shared;
  const ncclUniqueId id = comm.broadcast(agreed(comm, [&] {
    ncclUniqueId fresh{};
    if (comm.is_root()) check_nccl(ncclGetUniqueId(&fresh), "ncclGetUniqueId");
    return fresh;
  }));
  shared = agreed(comm, [&] { return std::shared_ptr<NcclCommunicator>(new NcclCommunicator(comm, &id)); });
  known = shared;
  return shared;
}

NcclCommunicator::NcclCommunicator(const Communicator& comm, const void* id) : comm_(comm) {
  ncclUniqueId unique;
  std::memcpy(&unique, id, sizeof unique);
  ncclComm_t native = nullptr;
  check_nccl(ncclCommInitRank(&native, comm.size(), unique, comm.rank().value()), "ncclCommInitRank");
  handle_ = native;
}

NcclCommunicator::~NcclCommunicator() {
  // While an exception passes, other ranks may not be coming.
  auto* const comm = static_cast<ncclComm_t>(handle_);
  if (comm != nullptr) std::uncaught_exceptions() > 0 ? ncclCommAbort(comm) : ncclCommDestroy(comm);
}

void NcclCommunicator::exchange(std::span<const Message> sends, std::span<const Message> receives, Stream& stream) {
  if (sends.empty() && receives.empty()) return;
  auto* const comm = static_cast<ncclComm_t>(handle_);
  auto* const native = static_cast<cudaStream_t>(stream.handle());
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (const Message& m : sends) check_nccl(ncclSend(m.data, m.bytes, ncclUint8, m.rank.value(), comm, native), "ncclSend");
  for (const Message& m : receives) check_nccl(ncclRecv(m.data, m.bytes, ncclUint8, m.rank.value(), comm, native), "ncclRecv");
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");
}

#else

namespace {
[[noreturn]] void throw_no_nccl() {
  throw DeviceError("this build has no NCCL", "install NCCL's headers and library and configure again, or use another transport");
}
}  // namespace

std::string nccl_version() { return {}; }
std::shared_ptr<NcclCommunicator> NcclCommunicator::of(const Communicator& /*comm*/) { throw_no_nccl(); }
NcclCommunicator::~NcclCommunicator() = default;
void NcclCommunicator::exchange(std::span<const Message> /*sends*/, std::span<const Message> /*receives*/, Stream& /*stream*/) {
  throw_no_nccl();
}

#endif

}  // namespace weft
