#include "weft/comm/communicator.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "weft/base/back_off.hpp"
#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/communicator_shared.hpp"

namespace weft {

Communicator::Communicator(MPI_Comm owned) : shared_(std::make_shared<Shared>(owned)) {
  detail::check_mpi(MPI_Comm_set_errhandler(owned, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int rank = 0;
  detail::check_mpi(MPI_Comm_rank(owned, &rank), "MPI_Comm_rank");
  detail::check_mpi(MPI_Comm_size(owned, &size_), "MPI_Comm_size");
  rank_ = Rank(rank);
}

Communicator Communicator::world() { return duplicate(MPI_COMM_WORLD); }

Communicator Communicator::self() { return duplicate(MPI_COMM_SELF); }

Communicator Communicator::duplicate(MPI_Comm other) {
  if (other == MPI_COMM_NULL) throw CommError("there is no communicator to duplicate: it is MPI_COMM_NULL");
  int started = 0;
  detail::check_mpi(MPI_Initialized(&started), "MPI_Initialized");
  if (started == 0) throw CommError("MPI has not been started", "make a weft::MpiEnvironment first");
  MPI_Comm copy = MPI_COMM_NULL;
  const Waiting waiting("MPI_Comm_dup");
  detail::check_mpi(MPI_Comm_dup(other, &copy), "MPI_Comm_dup");
  return Communicator(copy);
}

Communicator Communicator::split(int color) const {
  if (color < 0) throw CommError(fmt::format("a communicator cannot be split by the negative color {}", color));
  MPI_Comm part = MPI_COMM_NULL;
  const Waiting waiting("MPI_Comm_split");
  detail::check_mpi(MPI_Comm_split(handle(), color, rank_.value(), &part), "MPI_Comm_split");
  Communicator result(part);
  result.shared_->piece = shared_->piece;
  return result;
}

Communicator Communicator::split_shared_memory() const {
  MPI_Comm part = MPI_COMM_NULL;
  const Waiting waiting("MPI_Comm_split_type");
  detail::check_mpi(MPI_Comm_split_type(handle(), MPI_COMM_TYPE_SHARED, rank_.value(), MPI_INFO_NULL, &part),
                    "MPI_Comm_split_type");
  Communicator result(part);
  result.shared_->piece = shared_->piece;
  return result;
}

MPI_Comm Communicator::handle() const {
  WEFT_EXPECTS(valid());
  return shared_->comm;
}

void Communicator::set_piece_bytes(std::int64_t bytes) {
  WEFT_EXPECTS(valid());
  if (bytes < 1 || bytes > std::numeric_limits<int>::max()) {
    throw LimitError(fmt::format("a message piece of {} bytes is not possible", bytes), "choose from 1 to 2147483647");
  }
  shared_->piece = bytes;
}

std::int64_t Communicator::piece_bytes() const {
  WEFT_EXPECTS(valid());
  return static_cast<std::int64_t>(shared_->piece);
}

Traffic Communicator::traffic() const {
  WEFT_EXPECTS(valid());
  return shared_->traffic;
}

void Communicator::barrier() const {
  const Waiting waiting("MPI_Barrier");
  const BlockingCall call;
  detail::check_mpi(MPI_Barrier(handle()), "MPI_Barrier");
  shared_->count_tree(size_, 0);
}

void Communicator::progress() const {
  int found = 0;  // no message has this tag; the probe drives MPI
  detail::check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, detail::kProbeTag, handle(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

bool Communicator::all(bool value) const { return min(value ? 1 : 0) == 1; }

bool Communicator::any(bool value) const { return max(value ? 1 : 0) == 1; }

void Communicator::broadcast(std::string& text, Rank root) const {
  text.resize(broadcast(text.size(), root));
  broadcast_bytes(std::as_writable_bytes(std::span(text.data(), text.size())), root);
}

void Communicator::expect_same(std::uint64_t value) const {
#if !defined(NDEBUG) || defined(WEFT_CONTRACTS)
  std::uint64_t extremes[2] = {value, ~value};
  const Waiting waiting("MPI_Allreduce");
  const BlockingCall call;
  detail::check_mpi(MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_UINT64_T, MPI_MAX, handle()), "MPI_Allreduce");
  WEFT_EXPECTS(extremes[0] == ~extremes[1]);
#else
  (void)value;
#endif
}

}  // namespace weft
