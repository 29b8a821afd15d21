#pragma once
/// Units of length in a CGNS file: https://cgns.github.io/CGNS_docs_current/sids/build.html#DataClass
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "weft/mesh/io/cgns_file.hpp"

namespace weft::mesh::detail {

/// How the numbers of a coordinate become metres: scale * number + offset.
struct CgnsLength {
  double scale = 1, offset = 0;
  double unit = 1;   ///< m in the unit of the coordinate
  std::string note;  ///< what a user should know of it; empty: nothing
};

/// Returns the length of one of LengthUnits_t in m; none for Null, UserDefined and what the standard does not know.
[[nodiscard]] std::optional<double> cgns_length_unit(std::string_view name);

/// Reads DataClass and DimensionalUnits for a coordinate array. Each is that of the innermost node that has one. Dimensional
/// data, and data without a class, are in the unit of length, and taken for metres where there is none; NormalizedByDimensional
/// data are first converted by DataConversion; nondimensional data stay as they are.
/// @param nodes  the coordinate array and the nodes around it, from inside to outside.
/// @throws MeshError for units or a conversion that hold too little.
[[nodiscard]] CgnsLength read_cgns_length(const CgnsFile& file, std::span<const CgnsNode> nodes);

}  // namespace weft::mesh::detail
