#include "weft/base/id_vector.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/contracts.hpp"

namespace weft::id_vector_test {
namespace {

struct CellTag;
struct FaceTag;
using CellId = Id<CellTag, std::int32_t>;
using FaceId = Id<FaceTag, std::int32_t>;
using SmallId = Id<CellTag, std::int8_t>;

template <class Container, class Index>
concept Subscriptable = requires(Container& container, Index index) { container[index]; };

using Volumes = IdVector<CellId, double>;
static_assert(Subscriptable<Volumes, CellId> && Subscriptable<const Volumes, CellId>);
static_assert(!Subscriptable<Volumes, FaceId>, "a face does not subscript a vector by cells");
static_assert(!Subscriptable<Volumes, int> && !Subscriptable<Volumes, std::size_t>, "an integer is no cell");
static_assert(!Subscriptable<IdSpan<CellId, double>, FaceId> && !Subscriptable<IdSpan<CellId, double>, int>);
static_assert(!std::is_convertible_v<std::vector<double>, Volumes> && !std::is_convertible_v<Volumes, IdVector<FaceId, double>>);
static_assert(!std::is_constructible_v<IdVector<FaceId, double>, Volumes>);
static_assert(std::is_same_v<decltype(std::declval<const Volumes&>()[CellId(0)]), const double&>);
static_assert(std::is_convertible_v<IdSpan<CellId, double>, IdSpan<CellId, const double>>);
static_assert(!std::is_convertible_v<IdSpan<CellId, const double>, IdSpan<CellId, double>>);
static_assert(std::is_trivially_copyable_v<IdSpan<CellId, double>>);

template <class I, class T>
concept HasIdVector = requires { typename IdVector<I, T>; };
static_assert(HasIdVector<CellId, char> && !HasIdVector<CellId, bool> && !HasIdVector<int, double>);

TEST(IdVector, is_subscripted_by_its_ids) {
  Volumes volume(3, 1.0);
  volume[CellId(2)] = 0.5;
  EXPECT_EQ(volume.push_back(0.25), CellId(3));
  EXPECT_EQ(volume.size(), 4U);
  EXPECT_EQ(volume.count(), 4);
  EXPECT_EQ(volume.back(), 0.25);
  double sum = 0;
  for (const CellId cell : volume.ids()) sum += volume[cell];
  EXPECT_EQ(sum, 2.75);
  EXPECT_EQ(std::accumulate(volume.begin(), volume.end(), 0.0), sum);
  EXPECT_EQ(volume, (Volumes{1.0, 1.0, 0.5, 0.25}));
  volume.resize(5, 7.0);
  EXPECT_EQ(volume[CellId(4)], 7.0);
  EXPECT_EQ(volume, (Volumes{1.0, 1.0, 0.5, 0.25, 7.0}));
  volume.resize(7);
  EXPECT_EQ(volume[CellId(6)], 0.0);
  EXPECT_EQ(Volumes(Volumes::Elements{2, 3})[CellId(1)], 3.0);
  EXPECT_EQ((IdVector<CellId, std::string>(2, "a")[CellId(1)]), "a");  // an element that is not trivially copyable
}

TEST(IdVector, without_elements_has_no_ids) {
  Volumes volume;
  EXPECT_TRUE(volume.empty() && volume.ids().empty());
  volume.reserve(8);
  EXPECT_EQ(volume.size(), 0U);
  volume.push_back(1);
  volume.clear();
  EXPECT_TRUE(volume.empty());
}

TEST(IdVector, views_refer_to_its_elements) {
  Volumes volume{1, 2, 3};
  const IdSpan<CellId, double> view = volume.span();
  view[CellId(1)] = 20;
  EXPECT_EQ(volume[CellId(1)], 20);
  const IdSpan<CellId, const double> reading = view;
  EXPECT_EQ(reading[CellId(1)], 20);
  EXPECT_EQ(reading.data(), volume.data());
  EXPECT_EQ(reading.ids().last(), CellId(3));
  EXPECT_EQ(reading.count(), 3);
  EXPECT_EQ(std::accumulate(reading.begin(), reading.end(), 0.0), 24);
  EXPECT_TRUE((IdSpan<CellId, double>().empty()));
  EXPECT_EQ(std::span<const double>(volume).size(), 3U);
}

TEST(IdVector, subscripts_are_checked) {
  Volumes volume{1, 2, 3};
  EXPECT_BREACH((void)volume[CellId(3)]);
  EXPECT_BREACH((void)std::as_const(volume)[CellId::invalid()]);
  EXPECT_BREACH((void)volume.span()[CellId(3)]);
  EXPECT_BREACH((void)CellId::invalid().index());
  IdVector<SmallId, char> small(127);
  EXPECT_BREACH((void)small.push_back('a'));
  EXPECT_BREACH((IdVector<SmallId, char>(128)));
}

}  // namespace
}  // namespace weft::id_vector_test
