#pragma once
/// Objects of HDF5 files from other programs. An HDF5 file can refer to any other file of the machine (external links,
/// external storage, virtual datasets), which HDF5 reads without notice; these functions reject such references. Soft links
/// within the file are followed, because CGNS uses them.
#include <cstdint>
#include <string>

#include "weft/io/hdf5/hdf5_handle.hpp"

namespace weft::io::detail {

/// Returns the size of an open file in bytes.
[[nodiscard]] std::uint64_t file_bytes(Hdf5Id file, const std::string& file_name);

/// Returns a link access list with which HDF5 rejects every external link on the path to an object.
[[nodiscard]] Hdf5Handle inside_file(const std::string& file_name);

/// Opens a group or dataset. @throws IoError: it does not exist, or is behind an external link, which the message names.
[[nodiscard]] Hdf5Handle open_object(Hdf5Id file, const std::string& file_name, const std::string& object);

/// Opens a dataset whose values are in this file. @throws IoError as open_object(), and for external storage and virtual
/// datasets.
[[nodiscard]] Hdf5Handle open_dataset(Hdf5Id file, const std::string& file_name, const std::string& dataset);

/// Returns true if a link of this path exists; groups on the path may be missing. @throws IoError: an external link on the
/// path.
[[nodiscard]] bool has_link(Hdf5Id file, const std::string& file_name, const std::string& path);

/// Returns true if an object exists and has an attribute.
/// @throws IoError: an external link on the path.
[[nodiscard]] bool has_attribute(Hdf5Id file, const std::string& file_name, const std::string& object, const std::string& name);

}  // namespace weft::io::detail
