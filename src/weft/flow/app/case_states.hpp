#pragma once
/// States of a case: of the free stream, at the start, and at boundary zones.
#include <optional>
#include <string>
#include <vector>

#include "weft/flow/app/case.hpp"

namespace weft::flow::detail {

/// The gas of a case.
struct CaseGas : IdealGas {
  bool gas_constant_given = false;               ///< else it is 1, for a case without units
  std::vector<std::string>* warnings = nullptr;  ///< where doubts about states go
};

struct FreeStream {
  Primitive state;
  Vec3 drag_direction{1, 0, 0}, lift_direction{0, 1, 0};
};

/// density (or temperature), pressure, and velocity (or mach with alpha and beta). Keys that are absent come from `base`.
/// @param directions  if not null: also told where the flow goes.
/// @throws InputError: too little or too much is given. No communication.
[[nodiscard]] Primitive read_state(const io::Section& s, const CaseGas& gas, const std::optional<Primitive>& base,
                                   FreeStream* directions = nullptr);

/// A state as a function of place: of [initial], and of boundaries with kind = "prescribed" (there the word is `state`).
/// @param key  the word that says which function.
/// @throws InputError. No communication.
[[nodiscard]] InitialParams read_initial(const io::Section& s, const std::string& key, const CaseGas& gas,
                                         const std::optional<Primitive>& stream);

/// @throws InputError. No communication.
[[nodiscard]] ZoneCondition read_condition(const io::Section& s, const CaseGas& gas, const std::optional<Primitive>& stream,
                                           const std::vector<ScalarChoice>& scalars);

}  // namespace weft::flow::detail
