#pragma once
/// Threads that compute one thing together.
#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace weft {

/// Threads of this process, the one that made the team among them, which share loops.
///
/// run(job) calls job(0) on the calling thread and job(1) ... on the others, and returns when all have returned: each round is a
/// number that the caller raises and the others wait for, and a count of those that are not done that it waits for. Whatever was
/// written before run() is seen by the jobs, and what they write by who comes after. No work moves between threads: who computes
/// what is the job's business, so that it can be the same in every run.
class Team {
 public:
  /// @param threads  >= 1; the others than this one start now, and end with the team.
  /// @param looks_first  whether a thread looks out for the next round for some 0.2 ms before it sleeps: where every thread has a
  ///   core, that answers in less than a microsecond, and elsewhere it takes the core from who works.
  /// @throws LimitError where the system has no more threads.
  explicit Team(int threads = 1, bool looks_first = false);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(others_.size()) + 1; }

  /// @param job  of int, 0 ... size() - 1; throws nothing.  @pre not called from a job.
  template <class Job>
  void run(const Job& job) {
    static_assert(std::is_nothrow_invocable_v<const Job&, int>, "nobody could take an exception of another thread");
    if (others_.empty()) {
      job(0);
    } else {
      run_all({&job, [](const void* of, int thread) noexcept { (*static_cast<const Job*>(of))(thread); }});
    }
  }

  /// Calls job(a, b) once on every thread, with a <= i < b its share of the numbers from first to last, as many for each, in
  /// order.
  template <class Job>
  void split(std::int32_t first, std::int32_t last, const Job& job) {
    static_assert(std::is_nothrow_invocable_v<const Job&, std::int32_t, std::int32_t>, "as of run()");
    const auto from = [&](int t) { return first + static_cast<std::int32_t>(std::int64_t{last - first} * t / size()); };
    run([&](int thread) noexcept { job(from(thread), from(thread + 1)); });
  }

 private:
  struct AnyJob {
    const void* of = nullptr;
    void (*call)(const void* of, int thread) noexcept = nullptr;
  };

  void run_all(const AnyJob& job);
  void work(int thread);
  void await_other(const std::atomic<int>& word, int old) const;
  void dismiss();

  int looks_;
  AnyJob job_;  ///< of the present round; without a call: go home
  // A cache line each: one is written by the caller, the other by all others.
  alignas(64) std::atomic<int> round_{0};
  alignas(64) std::atomic<int> working_{0};
  std::vector<std::thread> others_;
};

}  // namespace weft
