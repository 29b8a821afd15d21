#include "weft/comm/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/mpi_check.hpp"

namespace weft {
namespace {

/// One tag suffices for all collectives: MPI preserves the order of messages between two ranks with one tag.
constexpr int kCollectiveTag = Communicator::kTags;
constexpr int kProbeTag = Communicator::kTags + 1;
/// First of two alternating tags for announcements of all-to-alls: a rank may announce the next all-to-all while another rank
/// still receives announcements of this one, but not the one after the next.
constexpr int kAnnouncementTag = Communicator::kTags + 2;
/// Maximum size of a list that is sent within its announcement, bytes.
constexpr std::size_t kShort = 4096;

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
  unsigned all_to_alls = 0;
  Traffic traffic;

  void count(std::size_t messages, std::size_t bytes) {
    traffic += {static_cast<std::int64_t>(messages), static_cast<std::int64_t>(bytes)};
  }
  /// Counts an MPI collective of `bytes` bytes in a tree.
  void count_tree(int ranks, std::size_t bytes) {
    const auto rounds = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ranks) - 1));
    count(rounds, rounds * bytes);
  }
  /// Counts an MPI collective after which each rank has received `bytes` bytes.
  void count_gather(int ranks, std::size_t bytes) { count(std::bit_width(static_cast<unsigned>(ranks) - 1), bytes); }

  /// Pending messages to and from other ranks, in pieces.
  class Messages;
};

class Communicator::Shared::Messages {
 public:
  explicit Messages(Shared& shared) : shared_(shared) {}

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
      shared_.count(1, n);
    }
  }
  void wait() {
    const Waiting waiting("MPI_Waitall");
    detail::check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    requests_.clear();
  }

 private:
  MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  Shared& shared_;
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

Traffic Communicator::traffic() const {
  WEFT_EXPECTS(valid());
  return shared_->traffic;
}

void Communicator::barrier() const {
  const Waiting waiting("MPI_Barrier");
  detail::check_mpi(MPI_Barrier(handle()), "MPI_Barrier");
  shared_->count_tree(size_, 0);
}

void Communicator::progress() const {
  int found = 0;  // no message has this tag; the probe drives MPI
  detail::check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, kProbeTag, handle(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

std::int64_t Communicator::exclusive_sum(std::int64_t value) const {
  exclusive_sum(std::span(&value, 1));
  return value;
}

void Communicator::exclusive_sum(std::span<std::int64_t> values) const {
  expect_same(values.size());
  const std::size_t piece = std::max<std::size_t>(1, shared_->piece / sizeof(std::int64_t));
  for (std::size_t at = 0; at < values.size(); at += piece) {
    const std::span<std::int64_t> part = values.subspan(at, std::min(piece, values.size() - at));
    const Waiting waiting("MPI_Exscan");
    detail::check_mpi(MPI_Exscan(MPI_IN_PLACE, part.data(), to_count(part.size()), MPI_INT64_T, MPI_SUM, handle()), "MPI_Exscan");
    shared_->count_tree(size_, part.size_bytes());
    if (is_root()) std::fill(part.begin(), part.end(), 0);
  }
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
    shared_->count_tree(size_, n * sizeof(std::uint64_t));
  }
}

void Communicator::sum_in_tree(std::span<std::byte> values, const Add& add) const {
  // Recursive doubling (Thakur, Rabenseifner, Gropp 2005). Ranks beyond a power of two first combine with their neighbours,
  // so that every partial sum covers consecutive ranks; both ranks of a pair add the same two numbers in the same order.
  WEFT_EXPECTS(valid());
  const auto ranks = static_cast<unsigned>(size_), me = static_cast<unsigned>(rank_.value());
  const unsigned power = std::bit_floor(ranks), joined = 2 * (ranks - power);
  Shared::Messages messages(*shared_);
  std::vector<std::byte> other(values.size());
  const auto send = [&](unsigned to) {
    messages.send(static_cast<int>(to), values);
    messages.wait();
  };
  const auto receive = [&](unsigned from, std::span<std::byte> into) {
    messages.receive(static_cast<int>(from), into);
    messages.wait();
  };
  if (me < joined && me % 2 == 1) {
    send(me - 1);
    receive(me - 1, values);
    return;
  }
  if (me < joined) {
    receive(me + 1, other);
    add(values.data(), other.data(), values.data());
  }
  const unsigned place = me < joined ? me / 2 : me - joined / 2;
  for (unsigned step = 1; step < power; step *= 2) {
    const unsigned partner = place ^ step, rank = partner < joined / 2 ? 2 * partner : partner + joined / 2;
    messages.receive(static_cast<int>(rank), other);
    messages.send(static_cast<int>(rank), values);
    messages.wait();
    rank < me ? add(other.data(), values.data(), values.data()) : add(values.data(), other.data(), values.data());
  }
  if (me < joined) send(me + 1);
}

void Communicator::all_gather_equal(const void* mine, std::size_t bytes, void* all) const {
  const MPI_Comm comm = handle();
  if (bytes * static_cast<std::size_t>(size_) <= shared_->piece) {
    const Waiting waiting("MPI_Allgather");
    detail::check_mpi(MPI_Allgather(mine, to_count(bytes), MPI_BYTE, all, to_count(bytes), MPI_BYTE, comm), "MPI_Allgather");
    shared_->count_gather(size_, bytes * static_cast<std::size_t>(size_ - 1));
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
    shared_->count_gather(size_, total - count);
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
  shared_->count_gather(size_, sizeof(count));
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
  shared_->count_gather(size_, sizeof(count));
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

void Communicator::all_to_all_bytes(std::span<const Part> to, const AllocateArrivals& allocate) const {
  // Non-blocking consensus (Hoefler, Siebert, Lumsdaine 2010): announcements are synchronous sends, which complete when they
  // are received. A rank whose announcements have completed enters a barrier, and receives announcements until all ranks have
  // entered it.
  WEFT_EXPECTS(valid());
  const Waiting waiting("all-to-all");
  const MPI_Comm comm = handle();
  const int tag = kAnnouncementTag + static_cast<int>(shared_->all_to_alls++ % 2);
  const std::size_t most = std::min(kShort, shared_->piece - std::min(shared_->piece, sizeof(std::size_t)));
  const auto is_short = [&](std::size_t bytes) { return bytes <= most; };
  const auto successor = static_cast<std::size_t>(
      std::upper_bound(to.begin(), to.end(), rank_, [](Rank rank, const Part& part) { return rank < part.rank; }) - to.begin());
  // Starts with the successor of this rank, so that the ranks address different ranks first.
  const auto for_each_other = [&](const auto& f) {
    for (std::size_t k = 0; k < to.size(); ++k) {
      const Part& part = to[(successor + k) % to.size()];
      if (part.rank != rank_) f(part);
    }
  };
  std::vector<std::vector<std::byte>> announcements;
  std::vector<MPI_Request> sends;
  for_each_other([&](const Part& part) {
    const std::size_t bytes = part.bytes.size();
    std::vector<std::byte>& a = announcements.emplace_back(sizeof(bytes) + (is_short(bytes) ? bytes : 0));
    std::memcpy(a.data(), &bytes, sizeof(bytes));
    if (is_short(bytes)) std::copy(part.bytes.begin(), part.bytes.end(), a.begin() + sizeof(bytes));
    detail::check_mpi(
        MPI_Issend(a.data(), to_count(a.size()), MPI_BYTE, part.rank.value(), tag, comm, &sends.emplace_back(MPI_REQUEST_NULL)),
        "MPI_Issend");
    shared_->count(1, a.size());
  });
  struct Announced {
    Arrival arrival;
    std::vector<std::byte> message;  // size, followed by the values of a short list
  };
  std::vector<Announced> announced;
  for (const Part& part : to) {
    if (part.rank == rank_) announced.push_back({{rank_, part.bytes.size()}, {}});
  }
  MPI_Request barrier = MPI_REQUEST_NULL;
  shared_->count_tree(size_, 0);
  for (int done = size_ == 1 ? 1 : 0, polls = 0; done == 0;) {
    int found = 0;
    MPI_Status status;
    detail::check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &found, &status), "MPI_Iprobe");
    if (found != 0) {
      int length = 0;
      detail::check_mpi(MPI_Get_count(&status, MPI_BYTE, &length), "MPI_Get_count");
      std::vector<std::byte> a(static_cast<std::size_t>(length));
      detail::check_mpi(MPI_Recv(a.data(), length, MPI_BYTE, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
      std::size_t bytes = 0;
      std::memcpy(&bytes, a.data(), sizeof(bytes));
      announced.push_back({{Rank(status.MPI_SOURCE), bytes}, std::move(a)});
      polls = 0;
      continue;
    }
    if (barrier != MPI_REQUEST_NULL) {
      detail::check_mpi(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test");
    } else {
      int sent = 0;
      detail::check_mpi(MPI_Testall(static_cast<int>(sends.size()), sends.data(), &sent, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (sent != 0) detail::check_mpi(MPI_Ibarrier(comm, &barrier), "MPI_Ibarrier");
    }
    if (++polls > 1000) std::this_thread::yield();
  }
  std::sort(announced.begin(), announced.end(),
            [](const Announced& a, const Announced& b) { return a.arrival.rank < b.arrival.rank; });
  std::vector<Arrival> arrivals;
  arrivals.reserve(announced.size());
  for (const Announced& a : announced) arrivals.push_back(a.arrival);
  const std::vector<std::byte*> out = allocate(arrivals);
  Shared::Messages messages(*shared_);
  for (std::size_t i = 0; i < announced.size(); ++i) {
    const auto& [arrival, message] = announced[i];
    if (arrival.rank == rank_) {
      const std::span<const std::byte> own = to[successor - 1].bytes;  // this rank's own list, the last one with a rank <= rank_
      std::copy(own.begin(), own.end(), out[i]);
    } else if (is_short(arrival.bytes)) {
      std::copy(message.begin() + sizeof(std::size_t), message.end(), out[i]);
    } else {
      messages.receive(arrival.rank.value(), {out[i], arrival.bytes});
    }
  }
  for_each_other([&](const Part& part) {
    if (!is_short(part.bytes.size())) messages.send(part.rank.value(), part.bytes);
  });
  messages.wait();
}

void Communicator::exchange_bytes(std::span<const Rank> ranks, std::span<const std::span<const std::byte>> to,
                                  const AllocateFrom& allocate) const {
  WEFT_EXPECTS(to.size() == ranks.size());
  std::vector<std::size_t> sizes, counts(to.size());
  for (const auto part : to) sizes.push_back(part.size());
  Shared::Messages messages(*shared_);
  const auto each = [&](const auto& received, const auto& sent) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] != rank_) {
        messages.receive(ranks[i].value(), received(i));
      } else {
        std::copy(sent(i).begin(), sent(i).end(), received(i).begin());
      }
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] != rank_) messages.send(ranks[i].value(), sent(i));
    }
    messages.wait();
  };
  each([&](std::size_t i) { return std::as_writable_bytes(std::span(&counts[i], 1)); },
       [&](std::size_t i) { return std::as_bytes(std::span(&sizes[i], 1)); });
  const std::vector<std::byte*> out = allocate(counts);
  each([&](std::size_t i) { return std::span(out[i], counts[i]); }, [&](std::size_t i) { return to[i]; });
}

void Communicator::broadcast_bytes(std::span<std::byte> bytes, Rank root) const {
  WEFT_EXPECTS(root.valid() && root.value() < size_);
  const MPI_Comm comm = handle();
  for (std::size_t at = 0; at < bytes.size(); at += shared_->piece) {
    const std::size_t n = std::min(shared_->piece, bytes.size() - at);
    const Waiting waiting("MPI_Bcast");
    detail::check_mpi(MPI_Bcast(bytes.data() + at, to_count(n), MPI_BYTE, root.value(), comm), "MPI_Bcast");
    shared_->count_gather(size_, n);
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
