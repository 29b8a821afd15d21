#pragma once
/// run.log: the printed output of a run, stored with its results.
#include <filesystem>
#include <fstream>
#include <string>

namespace weft::app {

/// Stores lines until the results folder may be written to, and from then on writes each line at once. A log that cannot be
/// written does not end the run.
class RunLog {
 public:
  static constexpr const char* kFirstWord = "weft ";
  /// @param resumes  the log of the earlier run is kept, and this one is appended.
  RunLog(std::filesystem::path file, bool resumes) : file_(std::move(file)), resumes_(resumes) {}
  void add(const std::string& text) {
    if (out_.is_open()) {
      out_ << text << std::flush;
    } else {
      waiting_ += text;
    }
  }
  /// Opens the log when the run has begun and the folder is locked. Further calls do nothing.
  void begin() {
    if (out_.is_open()) return;
    std::error_code ignored;
    // Removed rather than truncated: a run that still has the earlier file open writes to the removed one.
    if (!resumes_ && was_written_by_a_run()) std::filesystem::remove(file_, ignored);
    out_.open(file_, std::ios::binary | std::ios::app);
    add(waiting_);
    waiting_.clear();
  }

 private:
  /// Returns whether the file begins with the version of the program, as every log does. Other files of the user with this name
  /// are kept, and the log is appended.
  [[nodiscard]] bool was_written_by_a_run() const {
    std::string line;
    std::getline(std::ifstream(file_, std::ios::binary), line);
    return line.starts_with(kFirstWord);
  }

  std::filesystem::path file_;
  bool resumes_;
  std::string waiting_;
  std::ofstream out_;
};

}  // namespace weft::app
