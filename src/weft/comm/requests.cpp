#include "weft/comm/requests.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "weft/base/back_off.hpp"
#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/mpi_check.hpp"

namespace weft {
namespace {

/// Calls `add(offset, bytes)` for each piece of a message, and once for an empty message.
template <class Add>
void for_each_piece(std::size_t total, std::size_t piece, Add add) {
  std::size_t at = 0;
  do {
    const std::size_t n = std::min(piece, total - at);
    add(at, static_cast<int>(n));
    at += n;
  } while (at < total);
}

/// Cancels a receive, unless it has completed or was not started.
void cancel(MPI_Request& receive) {
  int ended = 0;
  if (MPI_Request_get_status(receive, &ended, MPI_STATUS_IGNORE) != MPI_SUCCESS || ended != 0) return;
  MPI_Cancel(&receive);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
}

}  // namespace

PersistentMessages::PersistentMessages(PersistentMessages&& other) noexcept
    : comm_(std::move(other.comm_)),
      requests_(std::move(other.requests_)),
      messages_(std::move(other.messages_)),
      done_(other.done_),
      problem_(std::move(other.problem_)),
      process_(other.process_),
      active_(std::exchange(other.active_, false)) {}

PersistentMessages& PersistentMessages::operator=(PersistentMessages&& other) noexcept {
  if (this != &other) {
    release();
    comm_ = std::move(other.comm_);
    requests_ = std::move(other.requests_);
    messages_ = std::move(other.messages_);
    done_ = other.done_;
    problem_ = std::move(other.problem_);
    process_ = other.process_;
    active_ = std::exchange(other.active_, false);
  }
  return *this;
}

void PersistentMessages::expect_idle(const char* what) const {
  if (active_) {
    throw ContractError(fmt::format("cannot {} messages while they are in flight", what), "call wait() first");
  }
}

void PersistentMessages::expect_addable(Rank peer, int tag) const {
  expect_idle("add to");
  if (!peer.valid() || peer.value() >= comm_.size()) {
    throw ContractError(fmt::format("there is no rank {} in a communicator of {}", peer.value(), comm_.size()));
  }
  if (tag < 0 || tag >= Communicator::kTags) {
    throw ContractError(fmt::format("tag {} is not in 0 .. {}", tag, Communicator::kTags - 1));
  }
}

void PersistentMessages::add_send(Rank to, int tag, std::span<const std::byte> bytes) {
  expect_addable(to, tag);
  for_each_piece(bytes.size(), comm_.piece_bytes(), [&](std::size_t at, int n) {
    messages_.push_back({.receive = false, .peer = to.value(), .tag = tag, .bytes = n});
    detail::check_mpi(
        MPI_Send_init(bytes.data() + at, n, MPI_BYTE, to.value(), tag, comm_.handle(), &requests_.emplace_back(MPI_REQUEST_NULL)),
        "MPI_Send_init");
  });
}

void PersistentMessages::add_receive(Rank from, int tag, std::span<std::byte> bytes) {
  expect_addable(from, tag);
  for_each_piece(bytes.size(), comm_.piece_bytes(), [&](std::size_t at, int n) {
    messages_.push_back({.receive = true, .peer = from.value(), .tag = tag, .bytes = n});
    detail::check_mpi(MPI_Recv_init(bytes.data() + at, n, MPI_BYTE, from.value(), tag, comm_.handle(),
                                    &requests_.emplace_back(MPI_REQUEST_NULL)),
                      "MPI_Recv_init");
  });
}

void PersistentMessages::start() {
  expect_idle("start");
  active_ = !requests_.empty();
  done_ = 0;
  problem_.clear();
  // Requests are started individually: MPI_Startall may start them in any order, but pieces of a message match by order.
  for (const bool receives : {true, false}) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (messages_[i].receive == receives) detail::check_mpi(MPI_Start(&requests_[i]), "MPI_Start");
    }
  }
}

// Requests are completed individually: MPI_Waitall of Open MPI returns at the first error with other requests pending, and
// may return success although a status contains an error.
bool PersistentMessages::test() {
  for (; active_ && done_ < requests_.size(); ++done_) {
    int done = 0;
    MPI_Status status;
    const int result = MPI_Test(&requests_[done_], &done, &status);
    if (result == MPI_SUCCESS && done == 0) return false;
    note(result, status);
  }
  finish();
  return true;
}

void PersistentMessages::wait() {
  for (; active_ && done_ < requests_.size(); ++done_) {
    const Waiting waiting("a message", messages_[done_].peer);
    const BlockingCall call;
    MPI_Status status;
    note(MPI_Wait(&requests_[done_], &status), status);
  }
  finish();
}

void PersistentMessages::note(int result, const MPI_Status& status) {
  const Message& message = messages_[done_];
  int bytes = message.bytes;
  if (message.receive && result == MPI_SUCCESS) result = MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (!problem_.empty()) return;
  if (result != MPI_SUCCESS) {
    problem_ = fmt::format("a message {} rank {} with tag {} failed: {}", message.receive ? "from" : "to", message.peer,
                           message.tag, detail::mpi_error_text(result));
  } else if (bytes != message.bytes) {
    problem_ =
        fmt::format("rank {} sent {} bytes with tag {} where {} were expected", message.peer, bytes, message.tag, message.bytes);
  }
}

void PersistentMessages::finish() {
  active_ = false;
  if (!problem_.empty()) throw CommError(std::exchange(problem_, {}), "both ranks must set up the same messages");
}

void PersistentMessages::release() noexcept {
  int ended = 0;
  const bool here = process_ == getpid();  // a forked process must not call MPI
  if (here && !requests_.empty() && MPI_Finalized(&ended) == MPI_SUCCESS && ended == 0) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (active_ && messages_[i].receive) cancel(requests_[i]);
      if (requests_[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests_[i]);
    }
  }
  requests_.clear();
  messages_.clear();
  active_ = false;
}

}  // namespace weft
