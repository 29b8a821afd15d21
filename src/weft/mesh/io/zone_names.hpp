#pragma once
/// Text encoding of the names of zones.
#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::detail {

/// Converts the names of zones that are not UTF-8 from ISO 8859-1 (Latin-1), which older programs write, and adds a note for
/// each: cases, field files and Python take UTF-8 alone. No communication.
void convert_names_to_utf8(MeshBlock& block);

}  // namespace weft::mesh::detail
