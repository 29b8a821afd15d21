#pragma once
/// How a thread that polls for other ranks leaves its core to others between the polls.
#include <cstdint>

namespace weft {

/// Yields or sleeps between the polls of a wait. Polling is needed, because the completion of a message does not wake a thread.
///
/// At first each poll yields the core, which takes less than 1 us where no other thread is ready. After 5000 yields, about 2 ms
/// on an idle core, or after 20 ms it sleeps: for a 64th of the time waited, at most 0.2 ms, to which Linux adds about 50 us.
///
/// Another process that computes on the core keeps it for a whole time slice after each yield, and the message may arrive
/// meanwhile: ranks that exchange every ms then take several times as long. A yield of 2.5 ms or more is assumed to be due to
/// such a process. For the next 5 ms this thread does not yield: in the first 30 us of a wait leave_core() returns at once, and
/// after that each call sleeps for 20 us (70 us with what Linux adds). After a sleep Linux usually runs the thread at once if it
/// has used less processor time than the other process. If a yield within 5 ms after the end of such a period is long, too, the
/// next period is twice as long, up to 80 ms.
///
/// Only programs that replace sched_yield() by yield_in_call() have such periods: in others MPI yields between the polls anyway.
class BackOff {
 public:
  /// Leaves the core. Called after each poll that finds nothing; begins a wait at the first call, and after restart().
  void leave_core() noexcept;
  /// Ends the wait: what happens next is waited for from the beginning.
  void restart() noexcept { yields_ = begin_ns_ = 0; }

 private:
  std::int64_t yields_ = 0;
  std::int64_t begin_ns_ = 0;  ///< steady clock; 0: no call yet
};

/// While it exists, this thread is in a blocking function of a library that polls and calls sched_yield() between the polls, as
/// those of Open MPI do. The weft program and the tests replace sched_yield() by yield_in_call().
class BlockingCall {
 public:
  BlockingCall() noexcept;
  ~BlockingCall();
  BlockingCall(const BlockingCall&) = delete;
  BlockingCall& operator=(const BlockingCall&) = delete;

 private:
  BackOff back_off_;
  BackOff* outer_;
};

/// In a BlockingCall of this thread, leaves the core as its BackOff does. Elsewhere yields, or returns at once in a period
/// without yields. It never sleeps there, so that functions that only test, as MPI_Test does, stay fast.
void yield_in_call() noexcept;

}  // namespace weft
