// Collectives of Communicator in trees: sums, broadcasts, gathers and scatters.
#include <algorithm>
#include <bit>
#include <numeric>

#include "weft/base/contracts.hpp"
#include "weft/comm/communicator_shared.hpp"

namespace weft {

using detail::to_count;

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
    const BlockingCall call;
    detail::check_mpi(MPI_Exscan(MPI_IN_PLACE, part.data(), to_count(part.size()), MPI_INT64_T, MPI_SUM, handle()), "MPI_Exscan");
    shared_->count_tree(size_, part.size_bytes());
    if (is_root()) std::fill(part.begin(), part.end(), 0);
  }
}

void Communicator::reduce_max(std::span<std::uint64_t> keys) const {
  expect_same(keys.size());
  const std::size_t piece = std::max<std::size_t>(1, shared_->piece / sizeof(std::uint64_t));
  for (std::size_t at = 0; at < keys.size(); at += piece) {
    const std::size_t n = std::min(piece, keys.size() - at);
    const Waiting waiting("MPI_Allreduce");
    const BlockingCall call;
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

void Communicator::broadcast_bytes(std::span<std::byte> bytes, Rank root) const {
  WEFT_EXPECTS(root.valid() && root.value() < size_);
  const MPI_Comm comm = handle();
  for (std::size_t at = 0; at < bytes.size(); at += shared_->piece) {
    const std::size_t n = std::min(shared_->piece, bytes.size() - at);
    const Waiting waiting("MPI_Bcast");
    const BlockingCall call;
    detail::check_mpi(MPI_Bcast(bytes.data() + at, to_count(n), MPI_BYTE, root.value(), comm), "MPI_Bcast");
    shared_->count_gather(size_, n);
  }
}

void Communicator::all_gather_equal(const void* mine, std::size_t bytes, void* all) const {
  const MPI_Comm comm = handle();
  if (bytes * size_ <= shared_->piece) {
    const Waiting waiting("MPI_Allgather");
    const BlockingCall call;
    detail::check_mpi(MPI_Allgather(mine, to_count(bytes), MPI_BYTE, all, to_count(bytes), MPI_BYTE, comm), "MPI_Allgather");
    shared_->count_gather(size_, bytes * (size_ - 1));
    return;
  }
  std::byte* const out = static_cast<std::byte*>(all);
  std::copy_n(static_cast<const std::byte*>(mine), bytes, out + rank_.index() * bytes);
  for (int r = 0; r < size_; ++r) broadcast_bytes({out + r * bytes, bytes}, Rank(r));
}

void Communicator::all_gather_bytes(std::span<const std::byte> mine, const Allocate& allocate) const {
  std::vector<std::size_t> counts(size_);
  const std::size_t count = mine.size();
  all_gather_equal(&count, sizeof(count), counts.data());
  const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  std::byte* const out = allocate(total);
  if (total <= shared_->piece) {
    std::vector<int> sizes(counts.begin(), counts.end());
    std::vector<int> offsets(sizes.size());
    std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
    const Waiting waiting("MPI_Allgatherv");
    const BlockingCall call;
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
  std::vector<std::size_t> counts(rank_ == root ? size_ : 0);
  const std::size_t count = mine.size();
  const Waiting waiting("MPI_Gather");
  const BlockingCall call;
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
      const std::size_t n = counts[r];
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
  const BlockingCall call;
  detail::check_mpi(MPI_Scatter(counts.data(), sizeof(count), MPI_BYTE, &count, sizeof(count), MPI_BYTE, root.value(), handle()),
                    "MPI_Scatter");
  shared_->count_gather(size_, sizeof(count));
  std::byte* const out = allocate(count);
  Shared::Messages messages(*shared_);
  if (rank_ != root) {
    messages.receive(root.value(), {out, count});
  } else {
    for (int r = 0; r < size_; ++r) {
      const auto part = parts[r];
      if (Rank(r) == root) {
        std::copy(part.begin(), part.end(), out);
      } else {
        messages.send(r, part);
      }
    }
  }
  messages.wait();
}

}  // namespace weft
