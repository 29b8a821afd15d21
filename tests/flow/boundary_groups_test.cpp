// Groups of boundary faces for blocks of GPU threads: each face once, and the rows of its extrapolation.
#include "weft/flow/cuda/boundary_groups.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "weft/flow/scheme/solver.hpp"

#include "flow/solver_settings.hpp"

namespace weft::flow {
namespace {

using detail::BoundaryGroup;
using detail::BoundaryGroups;
using test::Setting;

class GroupsOf : public ::testing::TestWithParam<Setting> {};

TEST_P(GroupsOf, HoldEveryFaceOnceAndTheRowsOfItsExtrapolation) {
  const mesh::Mesh m = GetParam().mesh();
  const Solver solver(m, {.boundary = GetParam().boundary(m), .stencil = GetParam().options.ghosts});
  const Discretization& d = solver.scheme().discretization();
  const Extrapolations& e = d.boundary_extrapolation;
  const BoundaryGroups groups(m, d);

  EXPECT_EQ(std::set<std::int32_t>(groups.order.begin(), groups.order.end()).size(), e.offset.size() - 1);
  ASSERT_EQ(groups.order.size(), e.offset.size() - 1);
  ASSERT_EQ(groups.entry.size(), e.row.size());
  std::int32_t next_face = 0, next_row = 0, most = 0;
  for (std::size_t g = 0; g < groups.group.size(); ++g) {
    const BoundaryGroup& group = groups.group[g];
    EXPECT_EQ(group.first_face, next_face);
    EXPECT_EQ(group.first_row, next_row);
    EXPECT_GE(group.faces, 1);
    EXPECT_LE(group.faces, detail::kGroupFaces);
    next_face += group.faces;
    next_row += group.rows;
    most = std::max(most, group.rows);
    const auto first = groups.row.begin() + group.first_row;
    EXPECT_EQ(std::set<std::int32_t>(first, first + group.rows).size(), static_cast<std::size_t>(group.rows));
    for (std::int32_t i = group.first_face; i < next_face; ++i) {
      const std::int32_t face = groups.order[i];
      const bool inner = m.face_left[mesh::LocalFaceId(d.first_boundary_face + face)].value() < m.inner_cells;
      EXPECT_EQ(inner, static_cast<std::int32_t>(g) < groups.inner);
      for (std::int32_t s = e.offset[face]; s < e.offset[face + 1]; ++s) {
        ASSERT_LT(groups.entry[s], group.rows);
        EXPECT_EQ(first[groups.entry[s]], e.row[s]);
      }
    }
  }
  EXPECT_EQ(next_face, static_cast<std::int32_t>(groups.order.size()));
  EXPECT_EQ(next_row, static_cast<std::int32_t>(groups.row.size()));
  EXPECT_EQ(most, groups.most_rows);
}

INSTANTIATE_TEST_SUITE_P(Flow, GroupsOf, ::testing::ValuesIn(test::surrounded_settings()),
                         [](const auto& setting) { return setting.param.name; });

// A box of 40 x 1 quads has 82 boundary faces: on one rank groups of 32, 32 and 18.
TEST(BoundaryGroups, AreFullButTheLast) {
  const mesh::Mesh m = test::generated("box", {{"nx", std::int64_t{40}}, {"ny", std::int64_t{1}}}, {}, Communicator::self());
  const Solver solver(m, {.boundary = test::everywhere(m, {.kind = BoundaryKind::slip_wall})});
  const BoundaryGroups groups(m, solver.scheme().discretization());
  ASSERT_EQ(groups.group.size(), 3U);
  EXPECT_EQ(groups.group[0].faces, 32);
  EXPECT_EQ(groups.group[1].faces, 32);
  EXPECT_EQ(groups.group[2].faces, 18);
  EXPECT_EQ(groups.inner, 3);
}

TEST(BoundaryGroups, OfAPeriodicBoxAreNone) {
  const mesh::Mesh m = test::generated("box", {{"nx", std::int64_t{6}}, {"ny", std::int64_t{6}}}, test::periodic_box(2, 1));
  const Solver solver(m, {});
  const BoundaryGroups groups(m, solver.scheme().discretization());
  EXPECT_TRUE(groups.group.empty());
  EXPECT_EQ(groups.inner, 0);
  EXPECT_EQ(groups.most_rows, 0);
}

}  // namespace
}  // namespace weft::flow
