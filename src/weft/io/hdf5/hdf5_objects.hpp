#pragma once
/// Objects of an HDF5 file that others may have made. HDF5 lets a file name any other file of the machine (external links,
/// external storage, virtual datasets) and reads it in silence; these functions stay inside the file at hand. Soft links within
/// the file are followed: CGNS uses them.
#include <cstdint>
#include <string>

#include "weft/io/hdf5/hdf5_handle.hpp"

namespace weft::io::detail {

/// Returns the size of an open file in bytes.
[[nodiscard]] std::uint64_t file_bytes(Hdf5Id file, const std::string& file_name);

/// Returns a link access list with which HDF5 refuses every external link on the way to an object.
[[nodiscard]] Hdf5Handle inside_file(const std::string& file_name);

/// Opens a group or dataset. @throws IoError: it does not exist, or lies behind an external link, which the message names.
[[nodiscard]] Hdf5Handle open_object(Hdf5Id file, const std::string& file_name, const std::string& object);

/// Opens a dataset whose values lie in this file. @throws IoError as open_object(), and for external storage and virtual
/// datasets.
[[nodiscard]] Hdf5Handle open_dataset(Hdf5Id file, const std::string& file_name, const std::string& dataset);

/// Returns whether a link of this path exists; groups on the way may be missing. @throws IoError: an external link is on the way.
[[nodiscard]] bool has_link(Hdf5Id file, const std::string& file_name, const std::string& path);

/// Returns whether an object has an attribute; false where there is no such object.
/// @throws IoError: an external link is on the way.
[[nodiscard]] bool has_attribute(Hdf5Id file, const std::string& file_name, const std::string& object, const std::string& name);

}  // namespace weft::io::detail
