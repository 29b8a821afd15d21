#include "array/dry_run/simulated_mpi.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <new>
#include <vector>

namespace weft::simulated {
namespace {

/// Allocator whose memory is not counted (counted_memory.hpp).
template <class T>
struct Malloc {
  using value_type = T;
  Malloc() = default;
  template <class U>
  explicit Malloc(const Malloc<U>& /*other*/) {}
  T* allocate(std::size_t n) {
    if (void* const memory = std::malloc(n * sizeof(T))) return static_cast<T*>(memory);
    throw std::bad_alloc();
  }
  void deallocate(T* memory, std::size_t /*n*/) { std::free(memory); }
  friend bool operator==(const Malloc&, const Malloc&) { return true; }
};

struct Message {
  int to = 0, tag = 0;
  std::vector<std::byte, Malloc<std::byte>> bytes;
};

/// Object behind an MPI_Request.
struct Operation {
  bool receives = false, persistent = false, active = false;
  int peer = 0, tag = 0, bytes = 0;
  void* data = nullptr;
};

Torus torus;
int me = 0;
bool started = false;                      // false before main(), when MPI's C++ bindings query it if linked
std::list<Message, Malloc<Message>> sent;  // sent and not yet received

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "simulated MPI: %s\n", what);
  std::abort();
}

int size_of(MPI_Datatype type) {
  if (type == MPI_BYTE) return 1;
  if (type == MPI_INT64_T || type == MPI_UINT64_T) return 8;
  give_up("an unknown type");
}

void send(const Operation& op) {
  const auto* const data = static_cast<const std::byte*>(op.data);
  sent.push_back({.to = op.peer, .tag = op.tag, .bytes = {data, data + op.bytes}});
}

/// Finds the message from `from`: the one that this rank has sent to the opposite rank, or, if two ranks only send to each
/// other, the one to `from`.
auto find(int from, int tag) {
  for (const int to : {torus.opposite(me, from), from}) {
    for (auto at = sent.begin(); at != sent.end(); ++at) {
      if (at->to == to && at->tag == tag) return at;
    }
  }
  return sent.end();
}

/// Returns true if the operation has completed; a receive has as soon as its message has been sent.
bool complete(MPI_Request& request) {
  if (request == MPI_REQUEST_NULL) return true;
  auto* const op = reinterpret_cast<Operation*>(request);
  if (op->active && op->receives) {
    const auto message = find(op->peer, op->tag);
    if (message == sent.end()) return false;
    if (message->bytes.size() > static_cast<std::size_t>(op->bytes)) give_up("a message is longer than the memory for it");
    if (!message->bytes.empty()) std::memcpy(op->data, message->bytes.data(), message->bytes.size());
    sent.erase(message);
  }
  op->active = false;
  if (!op->persistent) MPI_Request_free(&request);
  return true;
}

MPI_Request make(const Operation& op) {
  void* const memory = std::malloc(sizeof(Operation));
  if (memory == nullptr) throw std::bad_alloc();
  if (op.active && !op.receives) send(op);
  return reinterpret_cast<MPI_Request>(new (memory) Operation(op));
}

}  // namespace

int Torus::shifted(int rank, std::array<int, 3> steps) const {
  const std::array<int, 3> at{rank / (extent[1] * extent[2]), rank / extent[2] % extent[1], rank % extent[2]};
  int result = 0;
  for (std::size_t d = 0; d < 3; ++d) result = result * extent[d] + ((at[d] + steps[d]) % extent[d] + extent[d]) % extent[d];
  return result;
}

int Torus::opposite(int centre, int rank) const {
  const auto at = [&](int r) {
    return std::array<int, 3>{r / (extent[1] * extent[2]), r / extent[2] % extent[1], r % extent[2]};
  };
  const auto c = at(centre), r = at(rank);
  return shifted(centre, {c[0] - r[0], c[1] - r[1], c[2] - r[2]});
}

void become(const Torus& new_torus, int rank) {
  if (!sent.empty()) give_up("messages were sent and not received");
  torus = new_torus;
  me = rank;
  started = true;
}

}  // namespace weft::simulated

using namespace weft::simulated;

// NOLINTBEGIN(readability-identifier-naming,readability-inconsistent-declaration-parameter-name)
extern "C" {

int MPI_Initialized(int* flag) { return *flag = started ? 1 : 0, MPI_SUCCESS; }
int MPI_Finalized(int* flag) { return *flag = 0, MPI_SUCCESS; }
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) { return *copy = comm, MPI_SUCCESS; }
int MPI_Comm_free(MPI_Comm* comm) { return *comm = MPI_COMM_NULL, MPI_SUCCESS; }
int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) { return MPI_SUCCESS; }
int MPI_Comm_rank(MPI_Comm, int* rank) { return *rank = me, MPI_SUCCESS; }
int MPI_Comm_size(MPI_Comm, int* size) { return *size = torus.ranks(), MPI_SUCCESS; }
int MPI_Comm_split(MPI_Comm, int, int, MPI_Comm*) { give_up("MPI_Comm_split"); }
int MPI_Comm_split_type(MPI_Comm, int, int, MPI_Info, MPI_Comm*) { give_up("MPI_Comm_split_type"); }

int MPI_Barrier(MPI_Comm) { return MPI_SUCCESS; }
int MPI_Ibarrier(MPI_Comm, MPI_Request* request) { return *request = make({}), MPI_SUCCESS; }
int MPI_Bcast(void*, int, MPI_Datatype, int, MPI_Comm) { return MPI_SUCCESS; }
int MPI_Allreduce(const void* in, void*, int, MPI_Datatype, MPI_Op op, MPI_Comm) {
  if (in != MPI_IN_PLACE || op != MPI_MAX) give_up("a reduction that is no maximum in place");
  return MPI_SUCCESS;
}
int MPI_Exscan(const void* in, void* values, int count, MPI_Datatype type, MPI_Op op, MPI_Comm) {
  if (in != MPI_IN_PLACE || op != MPI_SUM || type != MPI_INT64_T) give_up("a scan that is no sum in place");
  for (int i = 0; i < count; ++i) static_cast<std::int64_t*>(values)[i] *= me;
  return MPI_SUCCESS;
}
int MPI_Allgather(const void* mine, int count, MPI_Datatype type, void* all, int, MPI_Datatype, MPI_Comm) {
  const auto bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(size_of(type));
  for (std::size_t r = 0; r < static_cast<std::size_t>(torus.ranks()); ++r)
    std::memcpy(static_cast<std::byte*>(all) + r * bytes, mine, bytes);
  return MPI_SUCCESS;
}
int MPI_Allgatherv(const void* mine, int count, MPI_Datatype type, void* all, const int[], const int[], MPI_Datatype,
                   MPI_Comm comm) {
  return MPI_Allgather(mine, count, type, all, count, type, comm);
}
int MPI_Gather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm) { give_up("MPI_Gather"); }
int MPI_Scatter(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm) { give_up("MPI_Scatter"); }

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm, MPI_Request* request) {
  *request = make({.active = true, .peer = to, .tag = tag, .bytes = count * size_of(type), .data = const_cast<void*>(data)});
  return MPI_SUCCESS;
}
int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  return MPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm, MPI_Request* request) {
  *request = make({.receives = true, .active = true, .peer = from, .tag = tag, .bytes = count * size_of(type), .data = data});
  return MPI_SUCCESS;
}
int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm, MPI_Request* request) {
  *request = make({.persistent = true, .peer = to, .tag = tag, .bytes = count * size_of(type), .data = const_cast<void*>(data)});
  return MPI_SUCCESS;
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm, MPI_Request* request) {
  *request = make({.receives = true, .persistent = true, .peer = from, .tag = tag, .bytes = count * size_of(type), .data = data});
  return MPI_SUCCESS;
}
int MPI_Start(MPI_Request* request) {
  auto* const op = reinterpret_cast<Operation*>(*request);
  op->active = true;
  if (!op->receives) send(*op);
  return MPI_SUCCESS;
}
int MPI_Cancel(MPI_Request*) { give_up("MPI_Cancel"); }
int MPI_Request_get_status(MPI_Request, int*, MPI_Status*) { give_up("MPI_Request_get_status"); }
int MPI_Request_free(MPI_Request* request) {
  std::free(reinterpret_cast<void*>(*request));
  return *request = MPI_REQUEST_NULL, MPI_SUCCESS;
}

/// Stores the number of bytes, which MPI_Get_count reads, and the source if known.
static MPI_Status* keep(MPI_Status* status, int source, int bytes) {
  if (status == MPI_STATUS_IGNORE) return status;
  *status = {};
  status->MPI_SOURCE = source;
  status->MPI_TAG = bytes;
  return status;
}
int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  return *count = status->MPI_TAG / size_of(type), MPI_SUCCESS;
}
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const int bytes = *request == MPI_REQUEST_NULL ? 0 : reinterpret_cast<Operation*>(*request)->bytes;
  *done = complete(*request) ? 1 : 0;
  if (*done != 0) keep(status, MPI_ANY_SOURCE, bytes);
  return MPI_SUCCESS;
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  int done = 0;
  MPI_Test(request, &done, status);
  return done != 0 ? MPI_SUCCESS : (give_up("a receive without a matching send"), MPI_ERR_OTHER);
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status*) {
  for (int i = 0; i < count; ++i) MPI_Wait(requests + i, MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}
int MPI_Testall(int count, MPI_Request requests[], int* done, MPI_Status*) {
  *done = 1;
  return MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}
int MPI_Iprobe(int, int tag, MPI_Comm, int* found, MPI_Status* status) {
  *found = 0;
  for (const Message& message : sent) {
    if (message.tag != tag) continue;
    keep(status, torus.opposite(me, message.to), static_cast<int>(message.bytes.size()));
    *found = 1;
    break;
  }
  return MPI_SUCCESS;
}
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status*) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(data, count, type, from, tag, comm, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming,readability-inconsistent-declaration-parameter-name)
