// The main of every test executable: starts MPI once, prints the log of rank 0 only, and fails if any rank fails.
#include <gtest/gtest.h>

#include <cstdio>

#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"

namespace {

/// What the ranks above 0 print: their failures, not their progress.
class FailuresOnly final : public ::testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : rank_(rank) {}

 private:
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::fprintf(stderr, "rank %d, %s.%s: %s:%d: %s\n", rank_, test != nullptr ? test->test_suite_name() : "?",
                 test != nullptr ? test->name() : "?", result.file_name() != nullptr ? result.file_name() : "?",
                 result.line_number(), result.message());
  }

  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  if (!comm.is_root()) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly(comm.rank().value()));
  }
  const int failed = RUN_ALL_TESTS();
  return comm.max(failed);
}
