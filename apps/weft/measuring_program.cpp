#include "measuring_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "weft/base/error.hpp"
#include "weft/device/info.hpp"

#include "kernel_space.hpp"

namespace weft::app {
namespace {

std::string build_again(const std::filesystem::path& program) {
  return fmt::format("build the target {}, or install weft again", program.filename().string());
}

/// A child process whose standard output is read here by lines. It is ended with this object.
class ReadProcess {
 public:
  /// @throws IoError if it cannot be started.
  ReadProcess(const std::string& program, std::vector<std::string> arguments) {
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (std::string& word : arguments) words.push_back(word.data());
    words.push_back(nullptr);
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw IoError(fmt::format("cannot be started ({})", std::strerror(errno)), "end other programs", {.file = program});
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = posix_spawn(&process_, program.c_str(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = fdopen(ends[0], "r");
    if (error != 0) {
      process_ = -1;
      finish();
      throw IoError(fmt::format("cannot be started ({})", std::strerror(error)), build_again(program), {.file = program});
    }
    if (output_ == nullptr) {
      const int failed = errno;
      close(ends[0]);
      kill(process_, SIGKILL);
      finish();
      throw IoError(fmt::format("cannot be read ({})", std::strerror(failed)), "end other programs", {.file = program});
    }
  }
  ReadProcess(const ReadProcess&) = delete;
  ReadProcess& operator=(const ReadProcess&) = delete;
  ~ReadProcess() {
    if (process_ > 0) kill(process_, SIGKILL);
    finish();
    std::free(line_);
  }

  /// Reads the next line, without its end, and returns false after the last one.
  bool next(std::string& line) {
    const ssize_t length = getline(&line_, &capacity_, output_);
    if (length < 0) return false;
    line.assign(line_, static_cast<std::size_t>(length));
    if (line.ends_with('\n')) line.pop_back();
    return true;
  }

  /// Waits for the end of the process and returns its status, as of waitpid().
  int finish() {
    if (output_ != nullptr) std::fclose(output_);
    output_ = nullptr;
    int status = 0;
    while (process_ > 0 && waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

 private:
  pid_t process_ = -1;
  std::FILE* output_ = nullptr;
  char* line_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace

MeasuringProgram::MeasuringProgram(MeasuredOn machine) {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  path_ = (program.parent_path() / WEFT_LIBEXEC_FROM_PROGRAM /
           (machine == MeasuredOn::host ? "bench_kernels_host" : "bench_kernels_primitives"))
              .lexically_normal();
  if (std::filesystem::exists(path_, failed)) return;
  const CudaInfo cuda = cuda_info();
  if (machine == MeasuredOn::gpu && !cuda.missing.empty())
    throw DeviceError(fmt::format("{} ({})", kNoGpuToMeasure, cuda.missing), cuda.remedy);
  throw IoError("the program that measures kernels is not there", build_again(path_), {.file = path_.string()});
}

bool MeasuringProgram::run(std::vector<std::string> arguments, const std::function<void(const Json&)>& each) const {
  ReadProcess process(path_.string(), std::move(arguments));
  bool silent = true;
  for (std::string line; process.next(line); silent = false) {
    try {
      each(Json::parse(line));
    } catch (const Json::exception&) {
      throw IoError(fmt::format("printed a line that is no measurement (\"{}\")", line.substr(0, 60)), build_again(path_),
                    {.file = path_.string()});
    }
  }
  const int status = process.finish();
  if (WIFSIGNALED(status)) {
    throw IoError(fmt::format("was ended by a signal ({})", strsignal(WTERMSIG(status))), "run it again",
                  {.file = path_.string()});
  }
  if (WEXITSTATUS(status) != 0) return false;
  if (silent) throw IoError("printed nothing", build_again(path_), {.file = path_.string()});
  return true;
}

}  // namespace weft::app
