#include "weft/io/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "weft/base/error.hpp"
#include "weft/io/sync.hpp"

namespace weft::io {
namespace fs = std::filesystem;
namespace {

Where in(const fs::path& path) { return Where{.file = path.string()}; }

}  // namespace

std::string check_path(const fs::path& path) {
  constexpr std::size_t kMostTypos = 2;
  std::string near;
  std::size_t least = kMostTypos + 1;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(path.has_parent_path() ? path.parent_path() : ".", failed)) {
    const std::string name = entry.path().filename().string();
    const std::size_t distance = edit_distance(path.filename().string(), name);
    if (distance > least || (distance == least && name > near) || distance > kMostTypos) continue;
    least = distance;
    near = name;
  }
  return near.empty() ? "check the path" : fmt::format("did you mean {}?", (path.parent_path() / near).string());
}

std::string read_text(const fs::path& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) throw IoError("no such file", check_path(path), in(path));
  if (code) throw IoError(fmt::format("cannot access it: {}", code.message()), {}, in(path));
  if (fs::is_directory(status)) throw IoError("is a directory, not a file", "name a file in it", in(path));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(fmt::format("cannot open it: {}", std::strerror(errno)), "check its permissions", in(path));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw IoError("cannot read it", {}, in(path));
  return text;
}

void write_text(const fs::path& path, std::string_view text, Durable durable) {
  const fs::path beside = path.string() + ".part";
  errno = 0;
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  if (!file) {
    const int reason = errno;
    const bool no_directory = path.has_parent_path() && !fs::is_directory(path.parent_path());
    throw IoError(fmt::format("cannot write it: {}", no_directory ? "its directory does not exist" : std::strerror(reason)),
                  no_directory ? "make the directory first" : "check the permissions and the disk", in(path));
  }
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  std::error_code code;
  if (!file) {
    const int reason = errno;
    fs::remove(beside, code);
    throw IoError(fmt::format("cannot write all of it: {}", std::strerror(reason)), "free disk space, or write to another disk",
                  in(path));
  }
  if (durable == Durable::yes) {
    try {
      detail::sync_file(beside);
    } catch (...) {
      fs::remove(beside, code);
      throw;
    }
  }
  fs::rename(beside, path, code);
  if (code) throw IoError(fmt::format("cannot rename {} to it: {}", beside.string(), code.message()), {}, in(path));
  if (durable == Durable::yes) detail::sync_parent(path);
}

void make_directories(const fs::path& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (fs::is_directory(path)) return;
  throw IoError(fmt::format("cannot create this directory: {}", code ? code.message() : "a file of this name is in the way"),
                "choose another place", in(path));
}

}  // namespace weft::io
