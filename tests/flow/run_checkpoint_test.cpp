// Checkpoints that are written while the steps of a run go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/io/checkpoint.hpp"

#include "flow/run_support.hpp"
#include "flow/solver_support.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::run_checkpoint_test {
namespace {

using test::common_error;
using test::WholeRun;
using ::testing::HasSubstr;

class RunCheckpoint : public WholeRun {
 protected:
  [[nodiscard]] std::int64_t step_of(const char* name) const { return io::CheckpointReader(comm, file(name)).info().step; }
  [[nodiscard]] bool exists(const std::string& name) const {
    return comm.broadcast(comm.is_root() && std::filesystem::exists(file(name)));
  }
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return scratch / "results" / name; }
  [[nodiscard]] std::ptrdiff_t written(const std::string& name) const {
    return std::count(told.files.begin(), told.files.end(), name);
  }

  /// Runs on 1536 cells, whose checkpoints have about 80 kB and whose fields 200 kB, until a file cannot be written: from the
  /// moment on in which a file called `first` was written, the last rank can write no byte at `limit` or beyond. A file that is
  /// being written then may still succeed. Returns the error.
  std::string error_of_limited_run(std::vector<std::string> keys, const char* first, rlim_t limit) {
    keys.insert(keys.end(), {"mesh.nx=48", "mesh.ny=32", "stop.steps=1000000"});
    const auto former = std::signal(SIGXFSZ, SIG_IGN);  // makes writing beyond the limit fail
    rlimit unlimited{};
    getrlimit(RLIMIT_FSIZE, &unlimited);
    const auto set_limit = [&] {
      rlimit limited = unlimited;
      limited.rlim_cur = limit;
      if (written(first) > 0 && comm.rank().value() == comm.size() - 1) setrlimit(RLIMIT_FSIZE, &limited);
      return false;
    };
    std::string error = common_error<IoError>(comm, [&] { (void)run_wedge(keys, Existing::refuse, set_limit); });
    setrlimit(RLIMIT_FSIZE, &unlimited);
    std::signal(SIGXFSZ, former);
    comm.barrier();
    return error;
  }
  /// Returns the step in the name of a file of fields in a text; -1 without one.
  [[nodiscard]] static std::int64_t step_of_fields(const std::string& text) {
    const std::string prefix = "/fields_";
    const std::size_t at = text.find(prefix);
    return at == std::string::npos ? -1 : std::stoll(text.substr(at + prefix.size(), 8));
  }
};

TEST_F(RunCheckpoint, HasItsNameAfterTheFieldsOfItsStepAndOfThoseBefore) {
  (void)run_wedge({"output.field_steps=2", "output.checkpoint_steps=4"});
  EXPECT_EQ(written("checkpoint.h5"), 3);
  auto next = told.files.begin();
  for (const char* fields : {"fields_00000004.hdf", "fields_00000008.hdf", "fields_00000012.hdf"}) {
    next = std::find(next, told.files.end(), "checkpoint.h5");
    EXPECT_NE(std::find(told.files.begin(), next, fields), next) << fields;
    if (next != told.files.end()) ++next;
  }
  EXPECT_EQ(step_of("checkpoint.h5"), 12);
  EXPECT_EQ(step_of("checkpoint_previous.h5"), 8);
  EXPECT_FALSE(exists("checkpoint.h5.part"));
}

TEST_F(RunCheckpoint, IsWrittenInEveryStepOneAfterTheOther) {
  (void)run_wedge({"output.checkpoint_steps=1"});
  EXPECT_EQ(written("checkpoint.h5"), 12);
  EXPECT_EQ(step_of("checkpoint.h5"), 12);
  EXPECT_EQ(step_of("checkpoint_previous.h5"), 11);
}

TEST_F(RunCheckpoint, IsWrittenByTheClock) {
  (void)run_wedge({"output.checkpoint_seconds=1e-9"});
  EXPECT_GE(written("checkpoint.h5"), 2);
  EXPECT_EQ(step_of("checkpoint.h5"), 12);
}

TEST_F(RunCheckpoint, HoldsTheStateOfItsStepWhileLaterStepsAreComputed) {
  (void)run_wedge({"stop.steps=12"});
  const auto state_of = [&](const char* name) {
    const io::CheckpointReader reader(comm, file(name));
    io::CheckpointReader rows(comm, file(name));
    std::vector<std::int64_t> keys(static_cast<std::size_t>(reader.info().global_cells));
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int64_t>(i);
    rows.choose_rows(keys);
    return rows.read("conserved", Solver::kVars);
  };
  const std::vector<double> expected = state_of("checkpoint.h5");
  for (const char* threads : {"threads=1", "threads=3"}) {
    (void)run_wedge({"output.checkpoint_steps=12", "stop.steps=20", threads}, Existing::overwrite);
    EXPECT_EQ(step_of("checkpoint_previous.h5"), 12);
    EXPECT_EQ(state_of("checkpoint_previous.h5"), expected) << threads;
    EXPECT_NE(state_of("checkpoint.h5"), expected);
  }
}

TEST_F(RunCheckpoint, IsFinishedBeforeAnErrorOfAllRanks) {
  const auto fail = [&]() -> bool {
    if (told.last.step >= 2) throw InputError("no input");
    return false;
  };
  EXPECT_THROW((void)run_wedge({"output.checkpoint_steps=1"}, Existing::refuse, fail), InputError);
  EXPECT_EQ(step_of("checkpoint.h5"), 1);
  EXPECT_EQ(written("checkpoint.h5"), 1);
  EXPECT_EQ(told.files.front(), "fields_00000000.hdf");
  EXPECT_FALSE(exists("checkpoint.h5.part"));
}

TEST_F(RunCheckpoint, ThatCannotBeWrittenLeavesTheOneBeforeIt) {
  if (kSanitized && comm.size() == 1) GTEST_SKIP() << "H5Fclose fails on rank 0, and HDF5 then leaks memory";
  EXPECT_THAT(error_of_limited_run({"output.checkpoint_steps=4"}, "checkpoint.h5", 30'000), HasSubstr("checkpoint.h5"));
  const std::int64_t last = step_of("checkpoint.h5");
  EXPECT_GE(last, 4);
  EXPECT_EQ(last, 4 * written("checkpoint.h5"));
  EXPECT_FALSE(exists("checkpoint.h5.part"));
  const RunSummary resumed = run_wedge(
      {"mesh.nx=48", "mesh.ny=32", "output.checkpoint_steps=4", "stop.steps=" + std::to_string(last + 6)}, Existing::resume);
  EXPECT_EQ(resumed.first_step, last);
  EXPECT_EQ(step_of("checkpoint.h5"), last + 6);
  EXPECT_EQ(step_of("checkpoint_previous.h5"), last + 4);
}

TEST_F(RunCheckpoint, IsGivenUpWithFieldsOfItsStep) {
  if (kSanitized && comm.size() == 1) GTEST_SKIP() << "H5Fclose fails on rank 0, and HDF5 then leaks memory";
  const std::string error =
      error_of_limited_run({"output.checkpoint_steps=4", "output.field_steps=4"}, "fields_00000000.hdf", 100'000);
  const std::int64_t failed = step_of_fields(error);
  ASSERT_GE(failed, 4) << error;
  EXPECT_EQ(written("checkpoint.h5"), failed / 4 - 1);
  EXPECT_EQ(std::ssize(told.files), 2 * (failed / 4) - 1);
  EXPECT_EQ(exists("checkpoint.h5") ? step_of("checkpoint.h5") : 0, failed - 4);
  EXPECT_FALSE(exists("checkpoint.h5.part"));
}

TEST_F(RunCheckpoint, IsFinishedWhereFieldsOfALaterStepFail) {
  if (kSanitized && comm.size() == 1) GTEST_SKIP() << "H5Fclose fails on rank 0, and HDF5 then leaks memory";
  const std::string error =
      error_of_limited_run({"output.checkpoint_steps=4", "output.field_steps=5"}, "fields_00000000.hdf", 100'000);
  const std::int64_t failed = step_of_fields(error);
  ASSERT_GE(failed, 5) << error;
  EXPECT_EQ(step_of("checkpoint.h5"), (failed - 1) / 4 * 4);
}

}  // namespace
}  // namespace weft::flow::run_checkpoint_test
