#include "output_file.hpp"

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
    if (!force && std::filesystem::exists(std::filesystem::symlink_status(file, failed))) {
      throw IoError("this file is there already", "choose another name, or give --force to replace it", {.file = file});
    }
  });
}

}  // namespace weft::app
