// The main of every test executable: starts MPI once, prints the log of rank 0 only, and fails if any rank fails or if a test
// takes longer than its own limit (time_limit.hpp) or the seconds in WEFT_TEST_LIMIT.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "weft/base/waiting.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device.hpp"

#include "support/time_limit.hpp"

#if defined(WEFT_LEAK_CHECK)
#include <sanitizer/lsan_interface.h>
#endif

namespace {

#if defined(WEFT_LEAK_CHECK)
/// Starts MPI. Memory that it allocates at its start belongs to MPI, which does not free all of it.
weft::MpiEnvironment start_mpi(int& argc, char**& argv) {
  const __lsan::ScopedDisabler not_ours;
  return {argc, argv};
}
/// Returns whether memory leaked. Called before MPI is finalised: afterwards Open MPI has unloaded its plugins, and the owner of
/// a remaining block is unknown.
bool leaked() { return __lsan_do_recoverable_leak_check() != 0; }
#else
weft::MpiEnvironment start_mpi(int& argc, char**& argv) { return {argc, argv}; }
bool leaked() { return false; }
#endif

/// Prints the failures of ranks above 0, but not their progress.
class FailuresOnly final : public ::testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : rank_(rank) {}

 private:
  void OnTestStart(const ::testing::TestInfo& test) override { test_ = &test; }
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const auto* const test = test_;  // UnitTest would wait for a lock that the caller holds
    std::fprintf(stderr, "rank %d, %s.%s: %s:%d: %s\n", rank_, test != nullptr ? test->test_suite_name() : "?",
                 test != nullptr ? test->name() : "?", result.file_name() != nullptr ? result.file_name() : "?",
                 result.line_number(), result.message());
  }

  int rank_;
  const ::testing::TestInfo* test_ = nullptr;
};

/// Ends the process when a test takes longer than a limit, after printing its name: a test that hangs is then known before the
/// time limit of the executable, and the launcher ends the other ranks.
class TimeLimit final : public ::testing::EmptyTestEventListener {
 public:
  /// @param limit  of tests without one of their own; 0: none.
  TimeLimit(int rank, std::chrono::duration<double> limit) : rank_(rank), limit_(limit), thread_([this] { watch(); }) {}
  ~TimeLimit() override {
    change([this] { ended_ = true; });
    thread_.join();
  }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  void limit_present_test(std::chrono::duration<double> limit) {
    change([&] { of_test_ = limit, ++number_; });
  }

 private:
  void OnTestStart(const ::testing::TestInfo& test) override {
    change([&] { name_ = std::string(test.test_suite_name()) + "." + test.name(), of_test_ = limit_, ++number_; });
  }
  void OnTestEnd(const ::testing::TestInfo& /*test*/) override {
    change([this] { name_.clear(), ++number_; });
  }

  template <class Change>
  void change(const Change& apply) {
    {
      const std::lock_guard lock(mutex_);
      apply();
    }
    changed_.notify_one();
  }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!ended_) {
      const auto next = [this, before = number_] { return ended_ || number_ != before; };
      if (name_.empty() || of_test_.count() <= 0) {
        changed_.wait(lock, next);
        continue;
      }
      if (changed_.wait_for(lock, of_test_, next)) continue;
      std::fprintf(stderr, "rank %d: the test %s has not ended in %g s\n", rank_, name_.c_str(), of_test_.count());
      std::_Exit(weft::Watchdog::kExitCode);
    }
  }

  int rank_;
  std::chrono::duration<double> limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::duration<double> of_test_{};  ///< limit of the present test
  std::string name_;                         ///< name of the present test; empty between tests
  long number_ = 0;                          ///< number of starts, ends and changes of the limit
  bool ended_ = false;
  std::thread thread_;
};

TimeLimit* g_time_limit = nullptr;  // belongs to GoogleTest

}  // namespace

void weft::test::limit_present_test(double seconds) { g_time_limit->limit_present_test(std::chrono::duration<double>(seconds)); }

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi = start_mpi(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  if (weft::device_count() > 0) weft::set_device(weft::device_of(comm.rank().value()));
  if (!comm.is_root()) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly(comm.rank().value()));
  }
  const char* const limit = std::getenv("WEFT_TEST_LIMIT");
  g_time_limit = new TimeLimit(comm.rank().value(), std::chrono::duration<double>(limit == nullptr ? 0 : std::atof(limit)));
  ::testing::UnitTest::GetInstance()->listeners().Append(g_time_limit);  // GoogleTest deletes it
  const int failed = RUN_ALL_TESTS() != 0 || leaked() ? 1 : 0;
  return comm.max(failed);
}
