#pragma once
/// The generators by name, with their parameters, for case files, `weft mesh generate` and the guide.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/mesh/generate/generate.hpp"

namespace weft::mesh {

/// Value of a parameter. Text is converted to a number if the parameter is one.
using GeneratorValue = std::variant<std::int64_t, double, std::string>;
using GeneratorParameters = std::map<std::string, GeneratorValue, std::less<>>;

/// Description of a parameter.
struct GeneratorParameter {
  std::string name;
  std::string unit;     ///< empty: a number without unit, or a word
  std::string initial;  ///< default value
  std::string range;    ///< "1 to 1000000", "> 0", "quads, triangles or mixed"
  std::string text;     ///< meaning
};

struct GeneratorInfo {
  std::string name;
  std::string text;   ///< description in one sentence
  std::string zones;  ///< boundary zones, comma-separated
  std::vector<GeneratorParameter> parameters;
};

/// Returns all generators in the order of the guide.
[[nodiscard]] const std::vector<GeneratorInfo>& generators();

/// Returns the spec of generator `name` with the given parameters; the others have their defaults.
/// @throws InputError: unknown generator or parameter (with the closest name), a value of the wrong type or out of range.
/// Where::key is the parameter.
[[nodiscard]] GeneratorSpec generator_spec(std::string_view name, const GeneratorParameters& parameters);

/// Calls generate() by name. Errors as those of generator_spec() and generate().
[[nodiscard]] MeshBlock generate(const Communicator& comm, std::string_view name, const GeneratorParameters& parameters,
                                 Team& team = kernels::calling_thread());

}  // namespace weft::mesh
