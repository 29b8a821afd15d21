#pragma once
/// The translations of a periodic mesh, and the integers that stand for their sums.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/vec3.hpp"

namespace weft::mesh::detail {

/// The lattice that the periodic translations of a mesh span. An image is an integer that stands for a whole-number combination
/// of at most three basis translations; 0 is no translation, and the image of a sum is the sum of the images, so that images are
/// composed by adding and turned back by negating. Combinations of +-511 of each basis translation can be told apart: more layers
/// of ghosts than any mesh has.
class Translations {
 public:
  Translations() = default;
  /// From the translations of all periodic pairs. One that is a small whole-number combination of shorter ones gets their image,
  /// so that one place has one image however it is reached.
  /// @throws InputError if a translation is zero, or if more than three are independent.
  explicit Translations(std::span<const Vec3> pairs);

  /// The image that stands for the `pair`-th translation given.
  [[nodiscard]] std::int32_t image(std::size_t pair) const { return image_[pair]; }
  /// The translation of an image. shift(-i) is exactly -shift(i).
  [[nodiscard]] Vec3 shift(std::int32_t image) const;
  [[nodiscard]] bool empty() const { return basis_.empty(); }

 private:
  std::vector<Vec3> basis_;
  std::vector<std::int32_t> image_;
};

}  // namespace weft::mesh::detail
