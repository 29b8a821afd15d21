#pragma once
/// The scalars in the gas that enters through the boundary.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/scheme/scheme.hpp"

namespace weft::flow {

/// Values of the scalars at the boundary faces, evaluated on the host for host and GPU steppers. Empty without scalars.
class BoundaryScalars {
 public:
  /// @param scheme  outlives this object.
  explicit BoundaryScalars(const Scheme& scheme);

  [[nodiscard]] int count() const { return static_cast<int>(scheme_.scalars().size()); }
  /// Returns whether gas that enters through a zone has values of its own.
  [[nodiscard]] bool brings(mesh::BoundaryZoneId zone) const;
  /// Returns whether any of these values depends on time; equal on every rank.
  [[nodiscard]] bool varies() const;
  /// Returns the values of each boundary face: boundary faces x count(), 0 where the zone brings nothing.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// Evaluates values() at `time`, s, except for those that do not depend on time and are known.
  void prescribe(double time);

  struct BadValue {
    std::string problem;
    Where where;
  };
  /// Returns a value that is not finite, if prescribe() has found one on this rank since the last call.
  [[nodiscard]] std::optional<BadValue> take_bad() { return std::exchange(bad_, std::nullopt); }

 private:
  const Scheme& scheme_;
  std::vector<double> values_;
  std::optional<BadValue> bad_;
  bool prescribed_ = false;  ///< values that do not depend on time are known
};

}  // namespace weft::flow
