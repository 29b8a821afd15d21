#include "weft/io/replace_file.hpp"

#include <fmt/format.h>

#include "weft/comm/agreement.hpp"
#include "weft/io/sync.hpp"

namespace weft::io {
namespace fs = std::filesystem;
namespace {

/// Gives the file a second name; `path` exists at all times.
void keep_as(const fs::path& path, const fs::path& previous) {
  std::error_code code;
  if (!fs::exists(path, code)) return;
  const fs::path part = part_name(previous);
  fs::remove(part, code);
  fs::create_hard_link(path, part, code);
  if (code) {  // file systems without hard links
    code.clear();
    fs::copy_file(path, part, code);
    if (!code) detail::sync_file(part);
  }
  if (!code) fs::rename(part, previous, code);
  std::error_code ignored;
  fs::remove(part, ignored);  // still exists if both were names of one file
  if (code) {
    throw IoError(fmt::format("cannot keep it as {}: {}", previous.string(), code.message()), "check permissions and free space",
                  Where{.file = path.string()});
  }
}

}  // namespace

fs::path part_name(const fs::path& path) { return path.string() + ".part"; }

void replace_file(const Communicator& comm, const fs::path& path, const fs::path& previous) {
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    if (!previous.empty()) keep_as(path, previous);
    std::error_code code;
    fs::rename(part_name(path), path, code);
    if (code) {
      throw IoError(fmt::format("cannot rename {} to it: {}", part_name(path).string(), code.message()), {},
                    Where{.file = path.string()});
    }
    detail::sync_parent(path);
  });
}

}  // namespace weft::io
