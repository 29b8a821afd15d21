#pragma once
/// Descriptions of the parameters of each generator's spec, from which assignment by name, range checks and lists derive.
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/mesh/generate/generate_by_name.hpp"

namespace weft::mesh::detail {

/// Allowed values: from lower to upper, inclusive; `positive` excludes 0.
struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool positive = false;
};

/// A parameter, bound to a member of a spec.
struct Field {
  using Value = std::variant<std::int64_t*, double*, std::string*, CellMix*, Diagonal*>;

  std::string_view name;
  Value value;
  std::string_view unit;
  Range range;
  std::string_view text;
  bool flat = false;  ///< for a CellMix: the generator creates 2-D meshes only
};

/// Returns the parameters of each spec, bound to `spec`.
[[nodiscard]] std::vector<Field> fields(GeneratorSpec& spec);

/// Checks the ranges. @throws InputError for the first field that is out of range.
void check(const std::vector<Field>& fields);

/// Sets a field. @throws InputError if the value has the wrong type.
void set(const Field& field, const GeneratorValue& value);

[[nodiscard]] GeneratorParameter describe(const Field& field);

/// Name, description and zones of the generator of a spec.
struct Label {
  std::string_view name, text, zones;
};
[[nodiscard]] Label label(const GeneratorSpec& spec);

}  // namespace weft::mesh::detail
