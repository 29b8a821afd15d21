#include "weft/comm/nccl.hpp"

#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <map>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/agreement.hpp"

#ifdef WEFT_HAS_NCCL
#include <nccl.h>
#endif

namespace weft {

#ifdef WEFT_HAS_NCCL
namespace {

void check_nccl(ncclResult_t result, const char* call) {
  if (result == ncclSuccess) return;
  throw CommError(fmt::format("NCCL failed in {}: {}", call, ncclGetErrorString(result)), "set NCCL_DEBUG=INFO for details");
}

/// Checks calls of the set-up, whose failure means that NCCL cannot be used.
void check_set_up(ncclResult_t result, const char* call) {
  if (result == ncclSuccess) return;
  throw DeviceError(fmt::format("NCCL cannot be used: {} failed: {}", call, ncclGetErrorString(result)),
                    "set NCCL_DEBUG=INFO for details, or use another transport, such as \"staged\"");
}

/// The existing communicators by MPI communicator. Never destroyed: ncclCommDestroy waits for other ranks, and processes end
/// at different times.
std::map<MPI_Comm, std::shared_ptr<NcclCommunicator>>& existing() {
  static auto& all = *new std::map<MPI_Comm, std::shared_ptr<NcclCommunicator>>;
  return all;
}

}  // namespace

std::string nccl_version() {
  int version = 0;
  if (ncclGetVersion(&version) != ncclSuccess) return {};
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::shared_ptr<NcclCommunicator> NcclCommunicator::of(const Communicator& comm) {
  if (const auto known = existing().find(comm.handle()); known != existing().end()) {  // either on all ranks or on none
    ++known->second->owners_;
    return known->second;
  }
  const ncclUniqueId id = comm.broadcast(agreed(comm, [&] {
    (void)Stream(Priority::high);  // fails here if the GPU of a single rank cannot be used
    ncclUniqueId fresh{};
    if (comm.is_root()) check_set_up(ncclGetUniqueId(&fresh), "ncclGetUniqueId");
    return fresh;
  }));
  // Outside of an agreement, because ncclCommInitRank waits for all ranks; its outcome is agreed upon afterwards.
  std::shared_ptr<NcclCommunicator> shared;
  std::exception_ptr error;
  try {
    const Waiting waiting("ncclCommInitRank");
    shared.reset(new NcclCommunicator(comm, &id));
  } catch (const DeviceError&) {
    error = std::current_exception();
  }
  if (!comm.all(error == nullptr) && shared != nullptr) shared->abandon();
  agree(comm, error);
  existing().emplace(comm.handle(), shared);
  shared->owners_ = 1;
  return shared;
}

void NcclCommunicator::release(std::shared_ptr<NcclCommunicator> owned) {
  if (--owned->owners_ > 0) return;
  existing().erase(owned->comm_.handle());
  owned->destroy();
}

void NcclCommunicator::destroy() {
  std::exception_ptr error;
  try {
    const Waiting waiting("ncclCommDestroy");
    check_nccl(ncclCommDestroy(static_cast<ncclComm_t>(std::exchange(handle_, nullptr))), "ncclCommDestroy");
  } catch (const CommError&) {
    error = std::current_exception();
  }
  agree(comm_, error);
}

NcclCommunicator::NcclCommunicator(const Communicator& comm, const void* id) : comm_(comm) {
  ncclUniqueId unique;
  std::memcpy(&unique, id, sizeof unique);
  ncclComm_t native = nullptr;
  check_set_up(ncclCommInitRank(&native, comm.size(), unique, comm.rank().value()), "ncclCommInitRank");
  handle_ = native;
}

void NcclCommunicator::abandon() noexcept { ncclCommAbort(static_cast<ncclComm_t>(std::exchange(handle_, nullptr))); }

void NcclCommunicator::exchange(std::span<const Message> sends, std::span<const Message> receives, Stream& stream) {
  if (sends.empty() && receives.empty()) return;
  auto* const comm = static_cast<ncclComm_t>(handle_);
  auto* const native = static_cast<cudaStream_t>(stream.handle());
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  // The group is ended in any case, because an open group would defer all later operations.
  ncclResult_t first = ncclSuccess;
  const char* failed = nullptr;
  const auto note = [&](ncclResult_t result, const char* call) {
    if (result == ncclSuccess || failed != nullptr) return;
    first = result;
    failed = call;
  };
  for (const Message& m : sends) {
    if (failed == nullptr) note(ncclSend(m.data, m.bytes, ncclUint8, m.rank.value(), comm, native), "ncclSend");
  }
  for (const Message& m : receives) {
    if (failed == nullptr) note(ncclRecv(m.data, m.bytes, ncclUint8, m.rank.value(), comm, native), "ncclRecv");
  }
  note(ncclGroupEnd(), "ncclGroupEnd");
  if (failed != nullptr) check_nccl(first, failed);
}

#else

namespace {
[[noreturn]] void throw_no_nccl() {
  throw DeviceError("this build has no NCCL", "install NCCL's headers and library and configure again, or use another transport");
}
}  // namespace

std::string nccl_version() { return {}; }
std::shared_ptr<NcclCommunicator> NcclCommunicator::of(const Communicator& /*comm*/) { throw_no_nccl(); }
// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature is that with NCCL
void NcclCommunicator::release(std::shared_ptr<NcclCommunicator> /*owned*/) { throw_no_nccl(); }
void NcclCommunicator::exchange(std::span<const Message> /*sends*/, std::span<const Message> /*receives*/, Stream& /*stream*/) {
  throw_no_nccl();
}

#endif

}  // namespace weft
