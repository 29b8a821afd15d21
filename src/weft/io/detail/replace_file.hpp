#pragma once
/// The last step of writing a file safely: it was written under another name, and now takes its own.
#include <filesystem>

#include "weft/comm/communicator.hpp"

namespace weft::io::detail {

/// The name under which a file is written until it is whole.
[[nodiscard]] std::filesystem::path part_name(const std::filesystem::path& path);

/// Rank 0 waits until part_name(path) is on the disk and renames it to `path`, so that `path` is either the old file or the whole
/// new one, whatever happens. @throws IoError on every rank. @collective
void replace_file(const Communicator& comm, const std::filesystem::path& path);

}  // namespace weft::io::detail
