// Failures of a step: the earliest one is kept, and its key orders failures over stages, kinds and cells.
#include "weft/flow/scheme/step_failures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flow/solver_support.hpp"

namespace weft::flow::step_failures_test {
namespace {

using ::testing::HasSubstr;

class Failures : public ::testing::Test {
 protected:
  /// Adds an owned cell whose density is its local number, among ghosts whose states are not known.
  void add(StepFailures& failures, std::int32_t cell, int stage, bool diverged) const {
    failures.add({.cell = mesh::LocalCellId(cell), .stage = stage, .diverged = diverged}, [&](mesh::LocalCellId c) {
      return c.value() < mesh.owned_cells ? std::optional(Primitive{double(c.value()), {}, -1}) : std::nullopt;
    });
  }
  [[nodiscard]] double key(std::int32_t cell, int stage, bool diverged) const {
    StepFailures failures(mesh);
    add(failures, cell, stage, diverged);
    return failures.key();
  }
  const mesh::Mesh mesh = test::generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{8}}}, {});
};

TEST_F(Failures, AreOrderedByStageThenKindThenGlobalCell) {
  ASSERT_GE(mesh.owned_cells, 2);
  const auto id = [&](std::int32_t c) { return mesh.cell_global[mesh::LocalCellId(c)].value(); };
  const std::int32_t low = id(0) < id(1) ? 0 : 1, high = 1 - low;
  const std::vector<double> ascending{key(low, 0, true),   key(high, 0, true), key(low, 0, false),
                                      key(high, 0, false), key(low, 1, true),  key(low, 2, false)};
  EXPECT_TRUE(std::is_sorted(ascending.begin(), ascending.end()));
  EXPECT_LT(ascending.back(), 0);
  for (const int stage : {0, 1, 2, 3}) {
    EXPECT_EQ(StepFailures::stage_of(key(high, stage, false)), stage);
    EXPECT_EQ(StepFailures::stage_of(key(high, stage, true)), stage);
    EXPECT_TRUE(StepFailures::diverged(key(high, stage, true)));
    EXPECT_FALSE(StepFailures::diverged(key(high, stage, false)));
  }
  EXPECT_FALSE(StepFailures::diverged(0));
}

TEST_F(Failures, KeepTheEarliestWithItsStateAndItsNeighbours) {
  StepFailures failures(mesh);
  EXPECT_FALSE(failures.any());
  add(failures, 1, 2, false);
  add(failures, 0, 1, false);
  add(failures, 1, 1, true);
  add(failures, 0, 2, true);
  EXPECT_EQ(failures.key(), key(1, 1, true));
  EXPECT_EQ(failures.cells_of_stage(1), (std::vector{mesh::LocalCellId(0), mesh::LocalCellId(1)}));
  EXPECT_EQ(failures.cells_of_stage(2), (std::vector{mesh::LocalCellId(1), mesh::LocalCellId(0)}));
  const PhysicsError error = failures.error(7, 0.25);
  EXPECT_THAT(error.what(), HasSubstr("diverged"));
  EXPECT_THAT(error.what(), HasSubstr("step 7, time 0.25"));
  EXPECT_THAT(error.what(), HasSubstr("density 1,"));
  bool has_owned_neighbour = false;  // the states of ghosts are not known here
  for (const mesh::LocalFaceId face : mesh.cell_faces.row(1)) {
    if (!mesh.face_right[face].valid()) continue;
    const std::int32_t left = mesh.face_left[face].value(), right = mesh.face_right[face].value();
    has_owned_neighbour = has_owned_neighbour || (left == 1 ? right : left) < mesh.owned_cells;
  }
  EXPECT_EQ(std::string(error.what()).find("neighbour") != std::string::npos, has_owned_neighbour);
  EXPECT_EQ(error.where().element, mesh.cell_file_id[mesh::LocalCellId(1)]);
  failures.clear();
  EXPECT_FALSE(failures.any());
  EXPECT_TRUE(failures.cells_of_stage(1).empty());
}

TEST_F(Failures, OfInputPrecedeThoseOfCells) {
  StepFailures failures(mesh);
  add(failures, 0, 0, true);
  failures.add("the value is nan", {.key = "boundary.inlet"});
  EXPECT_LT(failures.key(), key(0, 0, true));
  EXPECT_TRUE(StepFailures::diverged(failures.key()));
  EXPECT_THAT(failures.error(0, 0).what(), HasSubstr("the value is nan"));
}

}  // namespace
}  // namespace weft::flow::step_failures_test
