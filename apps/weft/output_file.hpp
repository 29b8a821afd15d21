#pragma once
/// Checks of output files whose names the user specifies.
#include <string>

#include "weft/comm/communicator.hpp"

namespace weft::app {

/// Checks an output file before the work of writing it. @param force  permits to replace it.
/// @throws IoError on every rank: the file exists without `force`, or is not a regular file.  @collective
void expect_new_file(const Communicator& comm, const std::string& file, bool force);

}  // namespace weft::app
