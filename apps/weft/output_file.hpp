#pragma once
/// Files that a command writes where the user says.
#include <string>

#include "weft/comm/communicator.hpp"

namespace weft::app {

/// Refuses to replace a file, before the work of writing it. @param force  replace it all the same.
/// @throws IoError on every rank: the file is there and `force` is not given, or it is no regular file.  @collective
void expect_new_file(const Communicator& comm, const std::string& file, bool force);

}  // namespace weft::app
