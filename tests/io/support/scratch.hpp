#pragma once
// Support for the io tests: a directory for the whole job, and the text of an error.
#include <unistd.h>

#include <filesystem>
#include <string>

#include "weft/base/error.hpp"
#include "weft/comm/communicator.hpp"

namespace weft::io {

// A directory shared by all ranks, created by rank 0 and removed with the object. @collective
class Scratch {
 public:
  explicit Scratch(const Communicator& comm) : comm_(comm) {
    std::string name;
    if (comm.is_root()) {
      std::string pattern = (std::filesystem::temp_directory_path() / "weft-io-XXXXXX").string();
      if (mkdtemp(pattern.data()) != nullptr) name = pattern;
    }
    comm.broadcast(name);
    directory_ = name;
  }
  ~Scratch() {
    comm_.barrier();
    std::error_code ignored;
    if (comm_.is_root()) std::filesystem::remove_all(directory_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return directory_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return directory_; }

 private:
  Communicator comm_;
  std::filesystem::path directory_;
};

// Returns what() of the error of type E that `work` throws, "" if it throws nothing; passes on other errors.
template <class E, class Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

}  // namespace weft::io
