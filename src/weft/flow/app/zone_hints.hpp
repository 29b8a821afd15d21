#pragma once
/// Conditions that the names of boundary zones indicate.
#include <cstddef>
#include <string>

namespace weft::flow::detail {

enum class Hint { none, wall, symmetry, far_field, inlet, outlet, periodic, axis };

/// Returns what the words in the name of a zone say about it.
[[nodiscard]] Hint hint_of(const std::string& name);

/// How many characters two names have in common at both ends: periodic_0_l and periodic_0_r have more than _0_l and _1_r.
[[nodiscard]] std::size_t similarity(const std::string& a, const std::string& b);

}  // namespace weft::flow::detail
