#include "weft/mesh/build/translations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "weft/base/error.hpp"

namespace weft::mesh::detail {
namespace {

constexpr std::int32_t kBase = 1024;  ///< each multiple is in -kBase/2 ... kBase/2 - 1
constexpr int kSearched = 3;          ///< range of multiples of shorter translations tried for a longer one
constexpr double kSame = 1e-6;        ///< relative difference of translations that count as equal

constexpr std::array<std::int32_t, 3> kStride{1, kBase, kBase* kBase};

}  // namespace

Translations::Translations(std::span<const Vec3> pairs) : image_(pairs.size(), 0) {
  std::vector<std::size_t> by_length(pairs.size());
  std::iota(by_length.begin(), by_length.end(), std::size_t{0});
  std::stable_sort(by_length.begin(), by_length.end(),
                   [&](std::size_t a, std::size_t b) { return norm(pairs[a]) < norm(pairs[b]); });
  for (const std::size_t pair : by_length) {
    const Vec3 t = pairs[pair];
    const auto where = [pair] { return Where{.key = fmt::format("mesh.periodic.{}", pair)}; };
    if (norm(t) == 0) throw InputError("the translation is zero", "give the vector from one zone to the other", where());
    std::array<int, 3> reach{};
    for (std::size_t k = 0; k < basis_.size(); ++k) reach[k] = kSearched;
    for (int c = -reach[2]; c <= reach[2]; ++c) {
      for (int b = -reach[1]; b <= reach[1]; ++b) {
        for (int a = -reach[0]; a <= reach[0]; ++a) {
          const std::int32_t candidate = a * kStride[0] + b * kStride[1] + c * kStride[2];
          if (candidate != 0 && norm(shift(candidate) - t) < kSame * norm(t)) image_[pair] = candidate;
        }
      }
    }
    if (image_[pair] != 0) continue;
    if (basis_.size() == 3) {
      throw InputError(
          fmt::format("the translation ({:.6g}, {:.6g}, {:.6g}) is no sum of multiples of three shorter ones", t.x, t.y, t.z),
          "choose translations of which at most three are independent", where());
    }
    image_[pair] = kStride[basis_.size()];
    basis_.push_back(t);
  }
}

Vec3 Translations::shift(std::int32_t image) const {
  Vec3 sum;
  for (const Vec3& t : basis_) {
    const std::int32_t multiple = ((image % kBase + kBase + kBase / 2) % kBase) - kBase / 2;
    sum += static_cast<double>(multiple) * t;
    image = (image - multiple) / kBase;
  }
  return sum;
}

}  // namespace weft::mesh::detail
