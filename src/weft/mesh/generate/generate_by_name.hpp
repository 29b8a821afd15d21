#pragma once
/// The generators by name, with their parameters: what case files, `weft mesh generate` and the guide use.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/mesh/generate/generate.hpp"

namespace weft::mesh {

/// A parameter's value. Text is read as a number where the parameter is one.
using GeneratorValue = std::variant<std::int64_t, double, std::string>;
using GeneratorParameters = std::map<std::string, GeneratorValue, std::less<>>;

/// A parameter as a person reads it.
struct GeneratorParameter {
  std::string name;
  std::string unit;     ///< empty: a number without unit, or a word
  std::string initial;  ///< the value where none is given
  std::string range;    ///< "1 to 1000000", "> 0", "quads, triangles or mixed"
  std::string text;     ///< what it means
};

struct GeneratorInfo {
  std::string name;
  std::string text;   ///< what it makes, one sentence
  std::string zones;  ///< boundary zones, comma-separated
  std::vector<GeneratorParameter> parameters;
};

/// Every generator, in the order of the guide.
[[nodiscard]] const std::vector<GeneratorInfo>& generators();

/// The spec of generator `name` with the given parameters; the others keep their defaults.
/// @throws InputError: unknown generator or parameter (naming the closest one), a value of the wrong kind or out of its range.
///   Where::key is the parameter.
[[nodiscard]] GeneratorSpec generator_spec(std::string_view name, const GeneratorParameters& parameters);

/// generate() by name. Errors as those of generator_spec() and generate().
[[nodiscard]] MeshBlock generate(const Communicator& comm, std::string_view name, const GeneratorParameters& parameters);

}  // namespace weft::mesh
