#pragma once
/// The translations of a periodic mesh, and the integers that represent their sums.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/vec3.hpp"

namespace weft::mesh::detail {

/// The lattice of the periodic translations of a mesh. An image is an integer that represents an integer combination of at
/// most three basis translations. Image 0 is no translation, and the image of a sum is the sum of the images, so that images
/// are composed by addition and inverted by negation. Multiples of each basis translation up to +-511 are distinct, more than
/// the layers of ghost cells of any mesh.
class Translations {
 public:
  Translations() = default;
  /// Computes the basis from the translations of all periodic pairs. A translation that is a small integer combination of
  /// shorter ones gets their image, so that each position has a unique image.
  /// @throws InputError if a translation is zero, or if more than three are independent.
  explicit Translations(std::span<const Vec3> pairs);

  /// Returns the image of the `pair`-th translation.
  [[nodiscard]] std::int32_t image(std::size_t pair) const { return image_[pair]; }
  /// Returns the translation of an image. shift(-i) is exactly -shift(i).
  [[nodiscard]] Vec3 shift(std::int32_t image) const;
  [[nodiscard]] bool empty() const { return basis_.empty(); }

 private:
  std::vector<Vec3> basis_;
  std::vector<std::int32_t> image_;
};

}  // namespace weft::mesh::detail
