// Communicator::all_to_all_bytes and exchange_bytes: messages between pairs of ranks.
#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/base/back_off.hpp"
#include "weft/base/contracts.hpp"
#include "weft/comm/communicator_shared.hpp"

namespace weft {

using detail::to_count;

namespace {

/// Maximum size of a list that is sent within its announcement, bytes.
constexpr std::size_t kShort = 4096;

}  // namespace

/// The announcements of an all-to-all: each contains the size of a list, and the list itself if it is short.
class Communicator::Shared::Announcements {
 public:
  struct Announced {
    Arrival arrival;
    std::vector<std::byte> message;  ///< size, followed by the values of a short list
  };

  Announcements(Shared& shared, int ranks) : shared_(shared), ranks_(ranks) {
    tag_ = detail::kAnnouncementTag + static_cast<int>(shared.all_to_alls++ % 2);
  }

  void send(const Part& part, bool with_values) {
    const std::size_t bytes = part.bytes.size();
    std::vector<std::byte>& a = messages_.emplace_back(sizeof(bytes) + (with_values ? bytes : 0));
    std::memcpy(a.data(), &bytes, sizeof(bytes));
    if (with_values) std::copy(part.bytes.begin(), part.bytes.end(), a.begin() + sizeof(bytes));
    detail::check_mpi(MPI_Issend(a.data(), to_count(a.size()), MPI_BYTE, part.rank.value(), tag_, shared_.comm,
                                 &sends_.emplace_back(MPI_REQUEST_NULL)),
                      "MPI_Issend");
    shared_.count(1, a.size());
  }

  /// Appends the announcements of other ranks to `announced` until all ranks have received all. Non-blocking consensus
  /// (Hoefler, Siebert, Lumsdaine 2010): announcements are synchronous sends, which complete when they are received. A rank
  /// whose announcements have completed enters a barrier, and receives announcements until all ranks have entered it.
  void receive(std::vector<Announced>& announced) {
    MPI_Request barrier = MPI_REQUEST_NULL;
    shared_.count_tree(ranks_, 0);
    BackOff back_off;
    for (int done = ranks_ == 1 ? 1 : 0, polls = 0; done == 0;) {
      int found = 0;
      MPI_Status status;
      detail::check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag_, shared_.comm, &found, &status), "MPI_Iprobe");
      if (found != 0) {
        int length = 0;
        detail::check_mpi(MPI_Get_count(&status, MPI_BYTE, &length), "MPI_Get_count");
        std::vector<std::byte> a(length);
        detail::check_mpi(MPI_Recv(a.data(), length, MPI_BYTE, status.MPI_SOURCE, tag_, shared_.comm, MPI_STATUS_IGNORE),
                          "MPI_Recv");
        std::size_t bytes = 0;
        std::memcpy(&bytes, a.data(), sizeof(bytes));
        announced.push_back({{Rank(status.MPI_SOURCE), bytes}, std::move(a)});
        polls = 0;
        back_off.restart();
        continue;
      }
      if (barrier != MPI_REQUEST_NULL) {
        detail::check_mpi(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test");
      } else {
        int sent = 0;
        detail::check_mpi(MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &sent, MPI_STATUSES_IGNORE), "MPI_Testall");
        if (sent != 0) {
          detail::check_mpi(MPI_Ibarrier(shared_.comm, &barrier), "MPI_Ibarrier");
          back_off.restart();
        }
      }
      if (++polls > 1000) back_off.leave_core();
    }
  }

 private:
  Shared& shared_;
  int ranks_, tag_;
  std::vector<std::vector<std::byte>> messages_;
  std::vector<MPI_Request> sends_;
};

void Communicator::all_to_all_bytes(std::span<const Part> to, const AllocateArrivals& allocate) const {
  WEFT_EXPECTS(valid());
  const Waiting waiting("all-to-all");
  const std::size_t most = std::min(kShort, shared_->piece - std::min(shared_->piece, sizeof(std::size_t)));
  const auto is_short = [&](std::size_t bytes) { return bytes <= most; };
  const std::size_t successor =
      std::upper_bound(to.begin(), to.end(), rank_, [](Rank rank, const Part& part) { return rank < part.rank; }) - to.begin();
  // Starts with the successor of this rank, so that the ranks address different ranks first.
  const auto for_each_other = [&](const auto& f) {
    for (std::size_t k = 0; k < to.size(); ++k) {
      const Part& part = to[(successor + k) % to.size()];
      if (part.rank != rank_) f(part);
    }
  };
  using Announced = Shared::Announcements::Announced;
  Shared::Announcements announcements(*shared_, size_);
  for_each_other([&](const Part& part) { announcements.send(part, is_short(part.bytes.size())); });
  std::vector<Announced> announced;
  for (const Part& part : to) {
    if (part.rank == rank_) announced.push_back({{rank_, part.bytes.size()}, {}});
  }
  announcements.receive(announced);
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

}  // namespace weft
