#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/base/compensated_sum.hpp"
#include "weft/base/error.hpp"
#include "weft/base/id.hpp"
#include "weft/base/vec3.hpp"

#include "support/contracts.hpp"

namespace weft::base_test {
namespace {

struct CellTag;
struct FaceTag;
using CellId = Id<CellTag, std::int32_t>;
using FaceId = Id<FaceTag, std::int32_t>;

static_assert(!std::is_convertible_v<int, CellId> && !std::is_convertible_v<CellId, int>);
static_assert(!std::is_constructible_v<CellId, FaceId>);
static_assert(std::is_trivially_copyable_v<CellId> && sizeof(CellId) == 4);
static_assert(is_id_v<CellId> && !is_id_v<int>);

TEST(Id, is_invalid_by_default_and_ordered) {
  EXPECT_FALSE(CellId().valid());
  EXPECT_EQ(CellId(), CellId::invalid());
  EXPECT_LT(CellId(3), CellId(4));
  CellId id(6);
  EXPECT_EQ((++id).value(), 7);
  EXPECT_EQ(to_index(id), 7U);
  EXPECT_EQ(to_index(std::int64_t{5}), 5U);
  const std::unordered_set<CellId> ids{CellId(1), CellId(1), CellId(2)};
  EXPECT_EQ(ids.size(), 2U);
}

TEST(Id, range_iterates_over_its_ids) {
  std::vector<int> seen;
  for (const CellId cell : IdRange{CellId(2), CellId(5)}) seen.push_back(cell.value());
  EXPECT_EQ(seen, (std::vector<int>{2, 3, 4}));
  const IdRange range{CellId(2), CellId(5)};
  EXPECT_EQ(range.size(), 3);
  EXPECT_TRUE(range.contains(CellId(4)) && !range.contains(CellId(5)));
  EXPECT_TRUE(IdRange<CellId>().empty());
}

TEST(Id, local_ids_are_checked) {
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(checked_local(largest, "cells"), largest);
  EXPECT_THROW((void)checked_local(-1, "cells"), LimitError);
  try {
    (void)checked_local(largest + 1, "cells");
    ADD_FAILURE() << "no exception was thrown";
  } catch (const LimitError& error) {
    EXPECT_NE(std::string(error.what()).find("cells: 2147483648"), std::string::npos);
  }
}

TEST(Error, states_location_problem_and_remedy) {
  const InputError error("is negative", "choose a positive number",
                         {.file = "case.toml", .line = 3, .column = 7, .key = "flow.cfl"});
  EXPECT_STREQ(error.what(), "case.toml:3:7: flow.cfl: is negative; choose a positive number");
  EXPECT_EQ(error.kind(), Error::Kind::input);
  EXPECT_STREQ(MeshError("volume is negative", "", {.file = "a.msh", .offset = 40, .zone = "wing", .element = 12}).what(),
               "a.msh (byte 40): zone \"wing\": element 12: volume is negative");
  EXPECT_STREQ(IoError("disk is full").what(), "disk is full");
}

TEST(Error, is_reconstructed_with_its_type) {
  EXPECT_THROW(throw_error(Error::Kind::physics, "p", "", {}), PhysicsError);
  EXPECT_THROW(throw_error(Error::Kind::interrupted, "p", "", {}), InterruptedError);
  EXPECT_THROW(throw_error(static_cast<Error::Kind>(99), "p", "", {}), ContractError);
}

TEST(Error, suggests_the_closest_match) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("limtier", "limiter"), 1U);  // a transposition of neighbours
  const std::vector<std::string> words{"limiter", "flux", "cfl"};
  EXPECT_EQ(closest_match("limitr", words), "limiter");
  EXPECT_EQ(closest_match("viscosity", words), "");
}

TEST(Contracts, name_the_expression) {
  [[maybe_unused]] const int n = 3;
  EXPECT_BREACH(WEFT_EXPECTS(n < 3));
  EXPECT_NO_THROW(WEFT_ASSERT(n == 3));
  try {
    contract_failed("precondition", "n < 3", "file.cpp", 12);
  } catch (const ContractError& error) {
    EXPECT_STREQ(error.what(), "file.cpp:12: precondition failed: n < 3; this is a bug: please report it");
  }
}

TEST(Vec3, computes_products) {
  const Vec3 a{1, 2, 3}, b{-2, 0, 4};
  EXPECT_EQ(dot(a, b), 10);
  EXPECT_EQ(cross(a, b), (Vec3{8, -10, 4}));
  EXPECT_EQ(norm({3, 4, 12}), 13);
  EXPECT_EQ(2.0 * a - b / 2.0, (Vec3{3, 4, 4}));
  EXPECT_EQ(a[0] + 10 * a[1] + 100 * a[2], 321);
}

TEST(CompensatedSum, accumulates_rounding_errors) {
  EXPECT_EQ(CompensatedSum().value(), 0);
  CompensatedSum small, cancelled, tenths;
  for (const double term : {1e-17, 1.0}) small += term;
  for (int i = 0; i < 1'000'000; ++i) small += 1e-17;
  EXPECT_EQ(small.value(), 1 + 1e-11);
  for (const double term : {1.0, 1e100, 1.0, -1e100}) cancelled += term;
  EXPECT_EQ(cancelled.value(), 2);
  for (int i = 0; i < 1'000'000; ++i) tenths += 0.1;
  EXPECT_EQ(tenths.value(), 1e5);
}

TEST(CompensatedSum, adds_sums_with_their_rounding_errors) {
  CompensatedSum large(1e16), small(1), all;
  small += 1e-17;
  large += small;
  large += CompensatedSum(-1e16);
  EXPECT_EQ(large.value(), 1);
  for (int block = 0; block < 1000; ++block) {
    CompensatedSum tenths;
    for (int i = 0; i < 1000; ++i) tenths += 0.1;
    all += tenths;
  }
  EXPECT_EQ(all.value(), 1e5);
}

TEST(Stopwatch, is_monotonic) {
  Stopwatch watch;
  const double first = watch.seconds();
  EXPECT_GE(first, 0);
  EXPECT_GE(watch.seconds(), first);
}

}  // namespace
}  // namespace weft::base_test
