#pragma once
/// A fixed team of threads that execute loops in parallel.
#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace weft {

/// A team of threads, including the thread that constructed it, that execute a job together.
///
/// run(job) calls job(0) on the calling thread and job(1), ..., job(size() - 1) on the others, and returns when all calls have
/// returned. The caller increments a round number, for which the other threads wait, and then waits until the count of running
/// threads is zero. Writes before run() are visible to the jobs, and writes by the jobs are visible after run(). Work is not
/// stolen: the job determines the share of each thread, so that the assignment can be the same in every run.
class Team {
 public:
  /// Starts threads - 1 threads, which end with the team.
  /// @param threads  size of the team, >= 1, including the calling thread.
  /// @param polls_first  a waiting thread polls for about 0.2 ms before it blocks. With one core per thread it then responds in
  ///   less than a microsecond; with fewer cores polling takes time from the working threads.
  /// @throws LimitError where the system cannot start a thread.
  explicit Team(int threads = 1, bool polls_first = false);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(others_.size()) + 1; }

  /// Calls job(thread) once for each thread 0 ... size() - 1 and waits for all calls. @param job  takes an int and is noexcept.
  /// @pre not called from within a job.
  template <class Job>
  void run(const Job& job) {
    static_assert(std::is_nothrow_invocable_v<const Job&, int>, "a job must be noexcept: an exception cannot leave its thread");
    if (others_.empty()) {
      job(0);
    } else {
      run_all({&job, [](const void* function, int thread) noexcept { (*static_cast<const Job*>(function))(thread); }});
    }
  }

  /// Divides [first, last) into size() contiguous ranges of equal length up to one, in the order of the threads, and calls
  /// job(begin, end) with one range on each thread.
  template <class Job>
  void split(std::int32_t first, std::int32_t last, const Job& job) {
    static_assert(std::is_nothrow_invocable_v<const Job&, std::int32_t, std::int32_t>, "a job must be noexcept: see run()");
    const auto begin = [&](int t) { return first + static_cast<std::int32_t>(std::int64_t{last - first} * t / size()); };
    run([&](int thread) noexcept { job(begin(thread), begin(thread + 1)); });
  }

 private:
  struct AnyJob {
    const void* function = nullptr;
    void (*call)(const void* function, int thread) noexcept = nullptr;
  };

  void run_all(const AnyJob& job);
  void serve(int thread);
  void await_change(const std::atomic<int>& word, int old) const;
  void end_threads();

  int polls_;
  AnyJob job_;  ///< job of the current round; a null `call` ends the threads
  // Separate cache lines: the caller writes round_, the other threads write working_.
  alignas(64) std::atomic<int> round_{0};
  alignas(64) std::atomic<int> working_{0};
  std::vector<std::thread> others_;
};

}  // namespace weft
