// TeamUpload: copies of long lists to a device through page-locked memory by the threads of a team.
#include "weft/device/team_upload.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "weft/base/vec3.hpp"

#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::team_upload_test {
namespace {

class TeamUploadTest : public test::BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, TeamUploadTest, ::testing::Values(Backend::host, Backend::mirror, Backend::cuda),
                         test::backend_name);

/// Numbers that single precision represents.
std::vector<double> counting(std::size_t size) {
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

template <class T>
std::vector<T> elements_of(const DeviceVector<T>& vector) {
  std::vector<T> elements(vector.size());
  vector.get(0, elements, After());
  return elements;
}

TEST_P(TeamUploadTest, copies_lists_of_several_pieces) {
  // Two pieces and a part of a third, so that a buffer is written again while the GPU may still read the other one.
  const std::vector<double> in = counting(2 * TeamUpload::kPiece / sizeof(double) + 12'345);
  for (const int threads : {1, 3}) {
    Team team(threads);
    DeviceVector<double> same(GetParam(), in.size());
    DeviceVector<float> converted(GetParam(), in.size());
    TeamUpload upload(team);
    upload.put(same, std::span(in));
    upload.put(converted, std::span(in));
    upload.finish();
    EXPECT_EQ(elements_of(same), in) << threads;
    EXPECT_EQ(elements_of(converted), std::vector<float>(in.begin(), in.end())) << threads;
  }
}

TEST_P(TeamUploadTest, values_may_be_changed_after_put) {
  Team team(2);
  std::vector<std::int32_t> in(100'000, 7);
  std::vector<Vec3> vectors(1000, Vec3{1, 2, 3});
  DeviceVector<std::int32_t> x(GetParam(), in.size());
  DeviceVector<Vec3> v(GetParam(), vectors.size());
  {
    TeamUpload upload(team);
    upload.put(x, std::span<const std::int32_t>(in));
    in.assign(in.size(), -1);
    upload.put(v, std::span<const Vec3>(vectors));
    std::vector<Vec3>().swap(vectors);
  }  // waits
  EXPECT_EQ(elements_of(x), std::vector<std::int32_t>(100'000, 7));
  EXPECT_EQ(elements_of(v), std::vector<Vec3>(1000, Vec3{1, 2, 3}));
}

TEST_P(TeamUploadTest, copies_to_the_first_elements) {
  Team team;
  DeviceVector<double> x(GetParam(), std::vector<double>{1, 2, 3});
  TeamUpload upload(team);
  upload.put(x, std::span<const double>());
  upload.put(x, std::span<const double>(std::vector<double>{5, 6}));
  upload.finish();
  EXPECT_EQ(elements_of(x), (std::vector<double>{5, 6, 3}));
}

TEST_P(TeamUploadTest, refuses_more_values_than_elements) {
  Team team;
  DeviceVector<double> x(GetParam(), 2);
  TeamUpload upload(team);
  EXPECT_BREACH(upload.put(x, std::span<const double>(std::vector<double>{1, 2, 3})));
}

}  // namespace
}  // namespace weft::team_upload_test
