#pragma once
/// run.log: what a run printed, kept with its results.
#include <filesystem>
#include <fstream>
#include <string>

namespace weft::app {

/// Keeps lines until the results folder may be written to, and from then on writes each line at once. A log that cannot be
/// written ends no run.
class RunLog {
 public:
  /// @param resumes  the log of the earlier run is kept, and this one's follows it.
  RunLog(std::filesystem::path file, bool resumes) : file_(std::move(file)), resumes_(resumes) {}
  void add(const std::string& text) {
    if (out_.is_open()) {
      out_ << text << std::flush;
    } else {
      waiting_ += text;
    }
  }
  /// To be called when the run has begun, so that the folder is its own. Further calls do nothing.
  void begin() {
    if (out_.is_open()) return;
    out_.open(file_, std::ios::binary | (resumes_ ? std::ios::app : std::ios::trunc));
    add(waiting_);
    waiting_.clear();
  }

 private:
  std::filesystem::path file_;
  bool resumes_;
  std::string waiting_;
  std::ofstream out_;
};

}  // namespace weft::app
