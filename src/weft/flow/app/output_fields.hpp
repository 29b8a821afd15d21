#pragma once
/// Quantities of the flow that field files, lines and sections hold, chosen by name (output.fields).
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/registry.hpp"
#include "weft/flow/physics/cell_gradient.hpp"
#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

enum class FieldKind : int {
  density,
  velocity,
  pressure,
  mach,
  temperature,
  total_temperature,
  total_pressure,
  entropy,
  cp,
  vorticity,
  schlieren
};

struct FieldRow {
  FieldKind value;
  std::string_view name;
  std::string_view doc;  ///< the formula with its unit
  bool of_gradient = false;
};

inline constexpr Registry kFields{
    "field",
    std::array{FieldRow{FieldKind::density, "density", "rho, kg/m^3"},
               FieldRow{FieldKind::velocity, "velocity", "u, 3 components, m/s"},
               FieldRow{FieldKind::pressure, "pressure", "p, Pa"},
               FieldRow{FieldKind::mach, "mach", "Mach number M = |u| / a, a = sqrt(gamma p / rho)"},
               FieldRow{FieldKind::temperature, "temperature", "T = p / (rho R), K"},
               FieldRow{FieldKind::total_temperature, "total_temperature", "T (1 + (gamma - 1) M^2 / 2), K"},
               FieldRow{FieldKind::total_pressure, "total_pressure", "p (1 + (gamma - 1) M^2 / 2)^(gamma / (gamma - 1)), Pa"},
               FieldRow{FieldKind::entropy, "entropy",
                        "R / (gamma - 1) ln(p / rho^gamma), less that of the free stream where there is one, J/(kg K)"},
               FieldRow{FieldKind::cp, "cp",
                        "pressure coefficient (p - p_inf) / (rho_inf u_inf^2 / 2), which needs a free stream that moves"},
               FieldRow{FieldKind::vorticity, "vorticity", "curl u, 3 components, 1/s; in 2-D its component along z", true},
               FieldRow{FieldKind::schlieren, "schlieren", "|grad rho|, kg/m^4", true}}};
[[nodiscard]] constexpr const auto& registry_of(FieldKind /*tag*/) { return kFields; }
static_assert(is_complete<FieldKind>());

/// Returns the number of values per cell: 3 of velocity; of vorticity 3, in 2-D 1, the component along z.
[[nodiscard]] int components(FieldKind field, int dim);
/// Returns whether a field is made from gradients.
[[nodiscard]] bool needs_gradient(FieldKind field);

/// Reference values of fields.
struct FieldReference {
  IdealGas gas{};
  std::optional<Primitive> free_stream{};  ///< for cp, for which it must move, and for entropy
};

/// Returns the value of a field at one point, in the first components(field, dim) entries.
/// @param gradient  of the cell; read if needs_gradient(field).
[[nodiscard]] std::array<double, 3> field_value(FieldKind field, const FieldReference& reference, int dim, const Primitive& state,
                                                const CellGradient& gradient);
/// Appends the components(field, dim) values of a field at one point to `values`.
void append_field(FieldKind field, const FieldReference& reference, int dim, const Primitive& state, const CellGradient& gradient,
                  std::vector<double>& values);

}  // namespace weft::flow
