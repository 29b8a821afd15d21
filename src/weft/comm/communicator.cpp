#include "weft/comm/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/detail/check.hpp"

namespace weft {
namespace {

constexpr int kCollectiveTag = Communicator::kTags;  // MPI keeps messages of one pair and tag in order: one tag suffices
constexpr int kNobodysTag = Communicator::kTags + 1;

int to_count(std::size_t bytes) { return static_cast<int>(bytes); }

}  // namespace

struct Communicator::Shared {
  explicit Shared(MPI_Comm owned) : comm(owned) {}
  ~Shared() {
    int ended = 0;
    if (MPI_Finalized(&ended) == MPI_SUCCESS && ended == 0) MPI_Comm_free(&comm);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  MPI_Comm comm;
  std::size_t piece = std::size_t{1} << 30;

  /// Messages in flight to and from other ranks, in pieces.
  class Messages;
};

class Communicator::Shared::Messages {
 public:
  explicit Messages(const Shared& shared) : shared_(shared) {}

  void receive(int from, std::span<std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += shared_.piece) {
      const std::size_t n = std::min(shared_.piece, bytes.size() - at);
      detail::check_mpi(MPI_Irecv(bytes.data() + at, to_count(n), MPI_BYTE, from, kCollectiveTag, shared_.comm, next()),
                        "MPI_Irecv");
    }
  }
  void send(int to, std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += shared_.piece) {
      const std::size_t n = std::min(shared_.piece, bytes.size() - at);
      detail::check_mpi(MPI_Isend(bytes.data() + at, to_count(n), MPI_BYTE, to, kCollectiveTag, shared_.comm, next()),
                        "MPI_Isend");
    }
  }
  void wait() {
    const Waiting waiting("MPI_Waitall");
    detail::check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

 private:
  MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  const Shared& shared_;
  std::vector<MPI_Request> requests_;
};

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
  shared_->piece = static_cast<std::size_t>(bytes);
}

std::int64_t Communicator::piece_bytes() const {
  WEFT_EXPECTS(valid());
  return static_cast<std::int64_t>(shared_->piece);
}

void Communicator::barrier() const {
  const Waiting waiting("MPI_Barrier");
  detail::check_mpi(MPI_Barrier(handle()), "MPI_Barrier");
}

void Communicator::progress() const {
  int found = 0;  // nobody sends with this tag
  detail::check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, kNobodysTag, handle(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

std::int64_t Communicator::exclusive_sum(std::int64_t value) const {
  std::int64_t below = 0;
  const Waiting waiting("MPI_Exscan");
  detail::check_mpi(MPI_Exscan(&value, &below, 1, MPI_INT64_T, MPI_SUM, handle()), "MPI_Exscan");
  return rank_.value() == 0 ? 0 : below;
}

bool Communicator::all(bool value) const { return min(value ? 1 : 0) == 1; }

bool Communicator::any(bool value) const { return max(value ? 1 : 0) == 1; }

void Communicator::broadcast(std::string& text, Rank root) const {
  text.resize(broadcast(text.size(), root));
  broadcast_bytes(std::as_writable_bytes(std::span(text.data(), text.size())), root);
}

void Communicator::reduce_max(std::span<std::uint64_t> keys) const {
  expect_same(keys.size());
  const std::size_t piece = std::max<std::size_t>(1, shared_->piece / sizeof(std::uint64_t));
  for (std::size_t at = 0; at < keys.size(); at += piece) {
    const std::size_t n = std::min(piece, keys.size() - at);
    const Waiting waiting("MPI_Allreduce");
    detail::check_mpi(MPI_Allreduce(MPI_IN_PLACE, keys.data() + at, to_count(n), MPI_UINT64_T, MPI_MAX, handle()),
                      "MPI_Allreduce");
  }
}

void Communicator::all_gather_equal(const void* mine, std::size_t bytes, void* all) const {
  const MPI_Comm comm = handle();
  if (bytes * static_cast<std::size_t>(size_) <= shared_->piece) {
    const Waiting waiting("MPI_Allgather");
    detail::check_mpi(MPI_Allgather(mine, to_count(bytes), MPI_BYTE, all, to_count(bytes), MPI_BYTE, comm), "MPI_Allgather");
    return;
  }
  std::byte* const out = static_cast<std::byte*>(all);
  std::copy_n(static_cast<const std::byte*>(mine), bytes, out + rank_.index() * bytes);
  for (int r = 0; r < size_; ++r) broadcast_bytes({out + static_cast<std::size_t>(r) * bytes, bytes}, Rank(r));
}

void Communicator::all_gather_bytes(std::span<const std::byte> mine, const Allocate& allocate) const {
  std::vector<std::size_t> counts(static_cast<std::size_t>(size_));
  const std::size_t count = mine.size();
  all_gather_equal(&count, sizeof(count), counts.data());
  const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  std::byte* const out = allocate(total);
  if (total <= shared_->piece) {
    std::vector<int> sizes(counts.begin(), counts.end());
    std::vector<int> offsets(sizes.size());
    std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
    const Waiting waiting("MPI_Allgatherv");
    detail::check_mpi(
        MPI_Allgatherv(mine.data(), to_count(count), MPI_BYTE, out, sizes.data(), offsets.data(), MPI_BYTE, handle()),
        "MPI_Allgatherv");
    return;
  }
  std::size_t at = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (r == rank_.index()) std::copy(mine.begin(), mine.end(), out + at);
    broadcast_bytes({out + at, counts[r]}, Rank(r));
    at += counts[r];
  }
}

void Communicator::gather_bytes(std::span<const std::byte> mine, Rank root, const Allocate& allocate) const {
  WEFT_EXPECTS(root.valid() && root.value() < size_);
  std::vector<std::size_t> counts(rank_ == root ? static_cast<std::size_t>(size_) : 0);
  const std::size_t count = mine.size();
  const Waiting waiting("MPI_Gather");
  detail::check_mpi(MPI_Gather(&count, sizeof(count), MPI_BYTE, counts.data(), sizeof(count), MPI_BYTE, root.value(), handle()),
                    "MPI_Gather");
  Shared::Messages messages(*shared_);
  if (rank_ != root) {
    messages.send(root.value(), mine);
  } else {
    std::byte* const out = allocate(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    std::size_t at = 0;
    for (int r = 0; r < size_; ++r) {
      const std::size_t n = counts[static_cast<std::size_t>(r)];
      if (Rank(r) == root) {
        std::copy(mine.begin(), mine.end(), out + at);
      } else {
        messages.receive(r, {out + at, n});
      }
      at += n;
    }
  }
  messages.wait();
}

void Communicator::scatter_bytes(std::span<const std::span<const std::byte>> parts, Rank root, const Allocate& allocate) const {
  WEFT_EXPECTS(root.valid() && root.value() < size_);
  std::vector<std::size_t> counts;
  if (rank_ == root) {
    WEFT_EXPECTS(parts.size() == static_cast<std::size_t>(size_));
    for (const auto part : parts) counts.push_back(part.size());
  }
  std::size_t count = 0;
  const Waiting waiting("MPI_Scatter");
  detail::check_mpi(MPI_Scatter(counts.data(), sizeof(count), MPI_BYTE, &count, sizeof(count), MPI_BYTE, root.value(), handle()),
                    "MPI_Scatter");
  std::byte* const out = allocate(count);
  Shared::Messages messages(*shared_);
  if (rank_ != root) {
    messages.receive(root.value(), {out, count});
  } else {
    for (int r = 0; r < size_; ++r) {
      const auto part = parts[static_cast<std::size_t>(r)];
      if (Rank(r) == root) {
        std::copy(part.begin(), part.end(), out);
      } else {
        messages.send(r, part);
      }
    }
  }
  messages.wait();
}

void Communicator::all_to_all_bytes(std::span<const std::span<const std::byte>> to, const AllocateFrom& allocate) const {
  WEFT_EXPECTS(to.size() == static_cast<std::size_t>(size_));
  std::vector<std::size_t> send_counts, receive_counts(to.size());
  for (const auto part : to) send_counts.push_back(part.size());
  const Waiting waiting("MPI_Alltoall");
  detail::check_mpi(MPI_Alltoall(send_counts.data(), sizeof(std::size_t), MPI_BYTE, receive_counts.data(), sizeof(std::size_t),
                                 MPI_BYTE, handle()),
                    "MPI_Alltoall");
  Shared::Messages messages(*shared_);
  const std::vector<std::byte*> out = allocate(receive_counts);
  for (std::size_t r = 0; r < to.size(); ++r) {
    if (r == rank_.index()) {
      std::copy(to[r].begin(), to[r].end(), out[r]);
    } else {
      messages.receive(static_cast<int>(r), {out[r], receive_counts[r]});
    }
  }
  for (std::size_t k = 1; k < to.size(); ++k) {  // each rank starts with its successor, so that no one is everyone's first
    const std::size_t r = (rank_.index() + k) % to.size();
    messages.send(static_cast<int>(r), to[r]);
  }
  messages.wait();
}

void Communicator::broadcast_bytes(std::span<std::byte> bytes, Rank root) const {
  WEFT_EXPECTS(root.valid() && root.value() < size_);
  const MPI_Comm comm = handle();
  for (std::size_t at = 0; at < bytes.size(); at += shared_->piece) {
    const std::size_t n = std::min(shared_->piece, bytes.size() - at);
    const Waiting waiting("MPI_Bcast");
    detail::check_mpi(MPI_Bcast(bytes.data() + at, to_count(n), MPI_BYTE, root.value(), comm), "MPI_Bcast");
  }
}

void Communicator::expect_same(std::uint64_t value) const {
#if !defined(NDEBUG) || defined(WEFT_CONTRACTS)
  std::uint64_t extremes[2] = {value, ~value};
  const Waiting waiting("MPI_Allreduce");
  detail::check_mpi(MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_UINT64_T, MPI_MAX, handle()), "MPI_Allreduce");
  WEFT_EXPECTS(extremes[0] == ~extremes[1]);
#else
  (void)value;
#endif
}

}  // namespace weft
