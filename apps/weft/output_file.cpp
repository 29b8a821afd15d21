#include "output_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::app {

void expect_new_file(const Communicator& comm, const std::string& file, bool force) {
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    std::error_code failed;
    const std::filesystem::file_status linked = std::filesystem::status(file, failed);
    if (std::filesystem::exists(linked) && !std::filesystem::is_regular_file(linked)) {
      throw IoError("this is not a regular file, and is not replaced", "give the name of a file", {.file = file});
    }
    if (force && std::filesystem::is_symlink(std::filesystem::symlink_status(file, failed))) {
      throw IoError(fmt::format("this is a symbolic link to {}, which would be replaced by a file",
                                std::filesystem::read_symlink(file, failed).string()),
                    "give the name of the file itself", {.file = file});
    }
    if (!force && std::filesystem::exists(std::filesystem::symlink_status(file, failed))) {
      throw IoError("this file is there already", "choose another name, or give --force to replace it", {.file = file});
    }
  });
}

}  // namespace weft::app
