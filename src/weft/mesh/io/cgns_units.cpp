#include "weft/mesh/io/cgns_units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace weft::mesh::detail {
namespace {

/// Returns the first child with this label of the innermost node that has one.
std::optional<CgnsNode> innermost(const CgnsFile& file, std::span<const CgnsNode> nodes, std::string_view label) {
  for (const CgnsNode& node : nodes) {
    std::vector<CgnsNode> found = file.children(node, label);
    if (!found.empty()) return std::move(found.front());
  }
  return std::nullopt;
}

/// Returns the second of the five words of 32 characters; empty without units.
std::string length_unit_name(const CgnsFile& file, std::span<const CgnsNode> nodes) {
  constexpr std::size_t kWord = 32;
  const auto units = innermost(file, nodes, "DimensionalUnits_t");
  if (!units) return {};
  const std::string words = file.text(*units);
  if (words.size() <= kWord) file.fail("DimensionalUnits names no unit of length", kTruncated);
  std::string name = words.substr(kWord, kWord);
  name.resize(name.find_last_not_of(std::string_view(" \0", 2)) + 1);
  return name;
}

}  // namespace

std::optional<double> cgns_length_unit(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"Meter", 1}, {"Centimeter", 0.01}, {"Millimeter", 0.001}, {"Foot", 0.3048}, {"Inch", 0.0254}}};
  for (const auto& [unit, metres] : kUnits) {
    if (unit == name) return metres;
  }
  return std::nullopt;
}

CgnsLength read_cgns_length(const CgnsFile& file, std::span<const CgnsNode> nodes) {
  CgnsLength length;
  const auto data_class = innermost(file, nodes, "DataClass_t");
  const std::string kind = data_class ? file.text(*data_class) : std::string();
  for (const char* nondimensional : {"NormalizedByUnknownDimensional", "NondimensionalParameter", "DimensionlessConstant"}) {
    if (kind == nondimensional) return length;
  }
  if (kind == "NormalizedByDimensional") {
    const auto conversion = innermost(file, nodes.first(1), "DataConversion_t");
    const std::vector<double> numbers = conversion ? file.reals(*conversion) : std::vector<double>{1, 0};
    if (numbers.size() != 2 || !std::isfinite(numbers[0]) || !(numbers[0] != 0) || !std::isfinite(numbers[1]))
      file.fail("DataConversion is not a finite scale and offset", kTruncated);
    length.scale = numbers[0];
    length.offset = numbers[1];
  }
  const std::string name = length_unit_name(file, nodes);
  if (const std::optional<double> unit = cgns_length_unit(name)) {
    length.unit = *unit;
    length.scale *= *unit;
    length.offset *= *unit;
    if (*unit != 1) length.note = fmt::format("the coordinates of the file are in {}: multiplied by {} to metres", name, *unit);
  } else if (!name.empty() && name != "Null") {
    length.note =
        fmt::format("the unit of length of the file, \"{}\", is unknown: taken for metres, which mesh.scale changes", name);
  } else if (kind == "Dimensional") {
    length.note = "the coordinates of the file are dimensional, of no unit: taken for metres, which mesh.scale changes";
  }
  return length;
}

}  // namespace weft::mesh::detail
