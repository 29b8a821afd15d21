#pragma once
// Runs with results in a folder.
#include "weft/io/case/case_file.hpp"

#include "bindings.hpp"

namespace weft::python {

/// Runs a case with its results in a folder, as `weft run`.
/// @param initial, boundary, source  as of Functions.  @param observer  called with the name of an event and its text or values.
/// @collective
nb::dict run_case(const Communicator& comm, const io::CaseFile& file, bool overwrite, bool resume, bool accept_changes,
                  nb::object initial, nb::dict boundary, nb::object source, nb::object observer);

}  // namespace weft::python
