#pragma once
/// XML files of VTK that name other files as the blocks of one data set (.vtm, vtkMultiBlockDataSet).
#include <filesystem>
#include <span>
#include <string>

namespace weft::io {

/// A block of a .vtm file.
struct VtmBlock {
  std::string name;
  std::string file;  ///< from the folder of the .vtm file
};

/// Writes a data set of the block `whole` and a group `group_name` of the blocks `group`. Called by one rank.
///
///     write_vtm("a.vtm", {"cells", "a.vtu"}, "boundary", {{"wall", "a_wall.vtu"}, {"inlet", "a_inlet.vtu"}});
///
/// is block 0 "cells", and block 1 "boundary" with its own blocks 0 "wall" and 1 "inlet".  @throws IoError
void write_vtm(const std::filesystem::path& path, const VtmBlock& whole, const std::string& group_name,
               std::span<const VtmBlock> group);

}  // namespace weft::io
