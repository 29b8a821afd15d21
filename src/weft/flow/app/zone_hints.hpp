#pragma once
/// Conditions that the names of boundary zones indicate.
#include <cstddef>
#include <string>

namespace weft::flow::detail {

enum class Hint { none, wall, symmetry, far_field, inlet, outlet, periodic, axis };

/// Returns the kind of zone that the words of a name indicate.
[[nodiscard]] Hint hint_of(const std::string& name);

/// Returns the length of the common ends of two names: that of periodic_0_l and periodic_0_r is larger than that of _0_l and
/// _1_r.
[[nodiscard]] std::size_t similarity(const std::string& a, const std::string& b);

}  // namespace weft::flow::detail
