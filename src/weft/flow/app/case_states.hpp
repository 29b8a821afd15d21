#pragma once
/// States of a case: free stream, initial state, and boundary zones.
#include <optional>
#include <string>
#include <vector>

#include "weft/flow/app/case.hpp"

namespace weft::flow::detail {

/// The gas of a case.
struct CaseGas : IdealGas {
  bool gas_constant_given = false;                 ///< otherwise it is 1, for a case without units
  std::vector<std::string>* warnings = nullptr;    ///< receives warnings about states
  std::vector<VelocityAlongZ>* along_z = nullptr;  ///< receives velocities with a z component
};

struct FreeStream {
  Primitive state;
  Vec3 drag_direction{1, 0, 0}, lift_direction{0, 1, 0};
};

/// Reads density (or temperature), pressure, and velocity (or mach with alpha and beta). Keys that are absent are those of
/// `base`.
/// @param directions  if not null: receives the direction of the flow.
/// @throws InputError: too few or too many keys. No communication.
[[nodiscard]] Primitive read_state(const io::Section& s, const CaseGas& gas, const std::optional<Primitive>& base,
                                   FreeStream* directions = nullptr);

/// Reads a state as a function of position: of [initial], and of boundaries with kind = kPrescribed (whose key is `state`).
/// @param key  the key that selects the function.
/// @throws InputError. No communication.
[[nodiscard]] InitialParams read_initial(const io::Section& s, const std::string& key, const CaseGas& gas,
                                         const std::optional<Primitive>& stream);

/// Reads the condition of a zone. @throws InputError. No communication.
[[nodiscard]] ZoneCondition read_condition(const io::Section& s, const CaseGas& gas, const std::optional<Primitive>& stream,
                                           const std::vector<ScalarChoice>& scalars);

}  // namespace weft::flow::detail
