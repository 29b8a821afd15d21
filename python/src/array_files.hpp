#pragma once
// Files of arrays of Python.
#include <optional>
#include <string>

#include "array.hpp"

namespace weft::python {

/// Writes the owned rows of {name: array} to a new HDF5 file.  @collective
void write_arrays(const std::string& path, const nb::dict& arrays);
/// Reads an array with the arguments of weft.read_array.  @collective
[[nodiscard]] PyArray read(const std::string& path, const std::string& name, const std::optional<PyGhostPlan>& plan,
                           nb::handle comm, bool padded, const std::string& layout, const std::string& backend);

}  // namespace weft::python
