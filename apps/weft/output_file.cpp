#include "output_file.hpp"

#include <filesystem>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::app {

void expect_new_file(const Communicator& comm, const std::string& file, bool force) {
  agreed(comm, [&] {
    std::error_code failed;
    if (comm.is_root() && !force && std::filesystem::exists(std::filesystem::symlink_status(file, failed))) {
      throw IoError("this file is there already", "choose another name, or give --force to replace it", {.file = file});
    }
  });
}

}  // namespace weft::app
