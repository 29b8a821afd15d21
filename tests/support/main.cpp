// The main of every test executable: starts MPI once, prints the log of rank 0 only, and fails if any rank fails.
#include <gtest/gtest.h>

#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  const weft::Communicator comm = weft::Communicator::world();
  if (comm.rank().value() != 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    // Other ranks still print their failures, not their progress.
    class FailuresOnly final : public ::testing::EmptyTestEventListener {
      void OnTestPartResult(const ::testing::TestPartResult& result) override {
        if (result.failed()) {
          std::fprintf(stderr, "%s:%d: %s\n", result.file_name() ? result.file_name() : "?", result.line_number(),
                       result.message());
        }
      }
    };
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly);
  }
  const int failed = RUN_ALL_TESTS();
  return comm.max(failed);
}
