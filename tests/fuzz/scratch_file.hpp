#pragma once
/// A file of this process alone, for readers that need a file. Removed at the end.
#include <unistd.h>

#include <filesystem>
#include <string>

namespace weft::test {

struct ScratchFile {
  explicit ScratchFile(const std::string& name)
      : path(std::filesystem::temp_directory_path() / ("weft-fuzz-" + std::to_string(::getpid()) + "-" + name)) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }

  std::string path;
};

}  // namespace weft::test
