#pragma once
// Construction of arrays of Python.
#include <cstdint>
#include <optional>
#include <string>

#include "array.hpp"

namespace weft::python {

/// Returns an array of zeros with the arguments of weft.Array.  @throws InputError, DeviceError; nb::python_error with
/// MemoryError, which states the bytes.
[[nodiscard]] PyArray make(const PyGhostPlan& plan, nb::handle dtype, std::optional<std::int64_t> width,
                           std::optional<std::int64_t> most, const std::string& kind, const std::string& layout,
                           const std::string& backend, const std::string& first, std::int64_t boundary, const std::string& name);

/// Changes the entries per row of an array.  @throws as make(); ContractError for CSR rows.
void resize_width(PyArray& array, std::int64_t width);

/// Returns an array of the memory of `source`.
[[nodiscard]] PyArray from_dlpack(nb::handle source, const std::optional<PyGhostPlan>& plan, nb::handle comm,
                                  const std::string& backend, const std::string& side);

/// Returns an array of CSR rows: row i is values[offsets[i]:offsets[i + 1]].  @collective
[[nodiscard]] PyArray csr(const PyGhostPlan& plan, nb::handle offsets, nb::handle values, nb::handle dtype,
                          const std::string& backend);

/// Changes the number of rows of an array without ghost rows.  @collective
void resize(PyArray& array, std::int64_t rows);

}  // namespace weft::python
