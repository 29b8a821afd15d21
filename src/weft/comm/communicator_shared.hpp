#pragma once
/// The state that copies of a Communicator share, and messages in pieces. Private to comm.
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "weft/base/back_off.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/mpi_check.hpp"

namespace weft {
namespace detail {

/// One tag suffices for all collectives: MPI preserves the order of messages between two ranks with one tag.
inline constexpr int kCollectiveTag = Communicator::kTags;
inline constexpr int kProbeTag = Communicator::kTags + 1;
/// First of two alternating tags for announcements of all-to-alls: a rank may announce the next all-to-all while another rank
/// still receives announcements of this one, but not the one after the next.
inline constexpr int kAnnouncementTag = Communicator::kTags + 2;

[[nodiscard]] inline int to_count(std::size_t bytes) { return static_cast<int>(bytes); }

}  // namespace detail

struct Communicator::Shared {
  explicit Shared(MPI_Comm owned) : comm(owned) {}
  ~Shared() {
    int ended = 0;
    if (process != getpid()) return;  // a forked process must not call MPI
    if (MPI_Finalized(&ended) == MPI_SUCCESS && ended == 0) MPI_Comm_free(&comm);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  MPI_Comm comm;
  pid_t process = getpid();
  std::size_t piece = std::size_t{1} << 30;
  unsigned all_to_alls = 0;
  Traffic traffic;

  void count(std::size_t messages, std::size_t bytes) {
    traffic += {static_cast<std::int64_t>(messages), static_cast<std::int64_t>(bytes)};
  }
  /// Counts an MPI collective of `bytes` bytes in a tree.
  void count_tree(int ranks, std::size_t bytes) {
    const std::size_t rounds = std::bit_width(static_cast<unsigned>(ranks) - 1);
    count(rounds, rounds * bytes);
  }
  /// Counts an MPI collective after which each rank has received `bytes` bytes.
  void count_gather(int ranks, std::size_t bytes) { count(std::bit_width(static_cast<unsigned>(ranks) - 1), bytes); }

  /// Pending messages to and from other ranks, in pieces.
  class Messages;
  class Announcements;
};

class Communicator::Shared::Messages {
 public:
  explicit Messages(Shared& shared) : shared_(shared) {}

  void receive(int from, std::span<std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += shared_.piece) {
      const std::size_t n = std::min(shared_.piece, bytes.size() - at);
      detail::check_mpi(
          MPI_Irecv(bytes.data() + at, detail::to_count(n), MPI_BYTE, from, detail::kCollectiveTag, shared_.comm, next()),
          "MPI_Irecv");
    }
  }
  void send(int to, std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += shared_.piece) {
      const std::size_t n = std::min(shared_.piece, bytes.size() - at);
      detail::check_mpi(
          MPI_Isend(bytes.data() + at, detail::to_count(n), MPI_BYTE, to, detail::kCollectiveTag, shared_.comm, next()),
          "MPI_Isend");
      shared_.count(1, n);
    }
  }
  void wait() {
    const Waiting waiting("MPI_Waitall");
    const BlockingCall call;
    detail::check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    requests_.clear();
  }

 private:
  MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  Shared& shared_;
  std::vector<MPI_Request> requests_;
};

}  // namespace weft
