#pragma once
/// Units of length in a CGNS file: https://cgns.github.io/CGNS_docs_current/sids/build.html#DataClass
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "weft/mesh/io/cgns_file.hpp"

namespace weft::mesh::detail {

/// Conversion of a coordinate to metres: scale * number + offset.
struct CgnsLength {
  double scale = 1, offset = 0;
  double unit = 1;   ///< m in the unit of the coordinate
  std::string note;  ///< remark for the user; may be empty
};

/// Returns the length of a LengthUnits_t in m; none for Null, UserDefined and unknown units.
[[nodiscard]] std::optional<double> cgns_length_unit(std::string_view name);

/// Reads DataClass and DimensionalUnits of a coordinate array, each from the innermost node that has one. Dimensional data,
/// and data without a class, are in the unit of length, by default metres; NormalizedByDimensional data are first converted
/// by DataConversion; nondimensional data are unchanged.
/// @param nodes  the coordinate array and its enclosing nodes, innermost first.
/// @throws MeshError for incomplete units or conversions.
[[nodiscard]] CgnsLength read_cgns_length(const CgnsFile& file, std::span<const CgnsNode> nodes);

}  // namespace weft::mesh::detail
