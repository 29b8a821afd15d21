#pragma once
/// The parameters of a generator's spec, described once: setting them by name, checking their range and listing them all read
/// this description.
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/mesh/generate/generate_by_name.hpp"

namespace weft::mesh::detail {

/// Values allowed: from lower to upper, both included; `positive` excludes 0.
struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool positive = false;
};

/// One parameter, bound to a member of a spec.
struct Field {
  using Value = std::variant<std::int64_t*, double*, std::string*, CellMix*, Diagonal*>;

  std::string_view name;
  Value value;
  std::string_view unit;
  Range range;
  std::string_view text;
  bool flat = false;  ///< of a CellMix: the generator makes two-dimensional meshes only
};

/// The parameters of each spec, bound to `spec`.
[[nodiscard]] std::vector<Field> fields(GeneratorSpec& spec);

/// @throws InputError for the first field that is out of its range.
void check(const std::vector<Field>& fields);

/// @throws InputError where the value is of the wrong kind.
void set(const Field& field, const GeneratorValue& value);

[[nodiscard]] GeneratorParameter describe(const Field& field);

/// Name, sentence and zones of the generator that a spec belongs to.
struct Label {
  std::string_view name, text, zones;
};
[[nodiscard]] Label label(const GeneratorSpec& spec);

}  // namespace weft::mesh::detail
