#include "weft/array/transport/link_group.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "weft/base/back_off.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/environment.hpp"

namespace weft::detail {
namespace {

/// Number of polls before a rank leaves its core: about 1 ms, because the thread that gets the core may use it for several ms.
/// Few polls if ranks share cores or MPI yields when idle.
constexpr std::uint64_t kPolls = 50000, kPollsWhenOversubscribed = 50;

/// A poll of shared memory takes about 30 ns, one of MPI 100 ns: MPI is polled at every n-th poll, often if links of this
/// exchange use MPI, because a long message makes progress only while both sides poll, and rarely for other exchanges.
constexpr std::uint64_t kPollsPerProgress = 16, kPollsPerProgressOfOthers = 1024;

inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void LinkGroup::add(Rank rank, std::unique_ptr<Link> link) {
  ranks_.push_back(rank);
  links_.push_back(std::move(link));
  done_.push_back(0);
  std::ptrdiff_t by_mpi = 0, on_machine = 1;  // counts neighbours on this machine only, which suffices for a hint
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i]->by_mpi()) ++by_mpi;
    if (!links_[i]->by_mpi() && ranks_[i] != comm_.rank()) ++on_machine;
  }
  polls_per_progress_ = by_mpi > 0 ? kPollsPerProgress : kPollsPerProgressOfOthers;
  const bool oversubscribed = on_machine > sysconf(_SC_NPROCESSORS_ONLN) || MpiEnvironment::yields_when_idle();
  polls_before_yielding_ = oversubscribed ? kPollsWhenOversubscribed : kPolls;
}

void LinkGroup::start() {
  for (const auto& link : links_) link->expect();
  for (const auto& link : links_) link->send(!in_order_ || link == links_.front());
}

bool LinkGroup::arrived() {
  bool all = true;
  for (const auto& link : links_) {
    if (!all && in_order_) break;
    all = link->receive() && all;
  }
  for (const auto& link : links_) all = link->sent() && all;
  return all;
}

std::vector<Rank> LinkGroup::missing() {
  std::vector<Rank> ranks;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (in_order_ && !ranks.empty()) break;
    if (!links_[i]->receive() || !links_[i]->sent()) ranks.push_back(ranks_[i]);
  }
  return ranks;
}

void LinkGroup::wait() {
  wait_for_all(&Link::receive, in_order_);
  wait_for_all(&Link::sent, /*in_order=*/false);
}

void LinkGroup::wait_for_all(bool (Link::*done)(), bool in_order) {
  std::fill(done_.begin(), done_.end(), char{0});
  for (std::size_t first = 0; first < links_.size(); ++first) {
    if (done_[first] != 0) continue;
    const Waiting waiting("ghost rows", ranks_[first].value());
    BackOff back_off;
    for (std::uint64_t polls = 0;; ++polls) {
      const bool asks_mpi = polls % polls_per_progress_ == polls_per_progress_ - 1;
      for (std::size_t i = first; i < links_.size(); ++i) {
        const bool later = !in_order && i != first && links_[i]->by_mpi() && !asks_mpi;
        if (done_[i] != 0 || later) continue;
        done_[i] = ((*links_[i]).*done)() ? 1 : 0;
        if (in_order && done_[i] == 0) break;
      }
      if (done_[first] != 0) break;
      if (asks_mpi || polls >= polls_before_yielding_) comm_.progress();
      polls < polls_before_yielding_ ? pause_core() : back_off.leave_core();
    }
  }
}

void LinkGroup::abandon() noexcept {
  for (const auto& link : links_) link->abandon();
}

}  // namespace weft::detail
