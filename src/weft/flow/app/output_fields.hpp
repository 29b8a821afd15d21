#pragma once
/// Quantities of the flow that field files, lines and sections hold, chosen by name (output.fields).
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/flow/physics/cell_gradient.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/scheme/names.hpp"

namespace weft::flow {

/// In the order of kFieldInfos.
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

template <>
[[nodiscard]] std::span<const std::string_view> names<FieldKind>();
template <>
inline constexpr const char* detail::kWhat<FieldKind> = "field";

/// The formula of every field with its unit, as one text for the reference of keys.
[[nodiscard]] std::string describe_fields();

/// Returns the number of values per cell: 3 of velocity; of vorticity 3, in 2-D 1, the component along z.
[[nodiscard]] int components(FieldKind field, int dim);
/// Returns whether a field is made from gradients.
[[nodiscard]] bool needs_gradient(FieldKind field);

/// What values are made relative to.
struct FieldReference {
  IdealGas gas{};
  std::optional<Primitive> free_stream{};  ///< of cp, for which it must move, and of entropy
};

/// Appends the components(field, dim) values of a field in one place to `values`.
/// @param gradient  of the cell; read where needs_gradient(field).
void append_field(FieldKind field, const FieldReference& reference, int dim, const Primitive& state, const CellGradient& gradient,
                  std::vector<double>& values);

}  // namespace weft::flow
