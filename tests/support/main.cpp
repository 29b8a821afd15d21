// The main of every test executable: starts MPI once, prints the log of rank 0 only, and fails if any rank fails.
#include <gtest/gtest.h>

#include <cstdio>

#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device.hpp"

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

}  // namespace

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
  const int failed = RUN_ALL_TESTS() != 0 || leaked() ? 1 : 0;
  return comm.max(failed);
}
