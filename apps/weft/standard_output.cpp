#include "standard_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "command.hpp"

namespace weft::app {
namespace {

int g_problem = 0;  ///< errno of the first failure

void note_problem() {
  if (g_problem == 0) g_problem = errno != 0 ? errno : EIO;
}

}  // namespace

void print_out(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) note_problem();
}

void print_error(std::string_view text) {
  (void)!std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

void pass_on(const char* bytes, std::size_t size) {
  while (size > 0 && g_problem == 0) {
    errno = 0;
    const ssize_t written = write(STDOUT_FILENO, bytes, size);
    if (written > 0) {
      bytes += written;
      size -= written;
    } else if (errno != EINTR) {
      note_problem();
    }
  }
}

bool is_output_error(const std::exception& error) {
  const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
  if (of_system == nullptr || std::ferror(stdout) == 0) return false;
  errno = of_system->code().value();
  note_problem();
  return true;
}

int end_output(int code) {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) note_problem();
  if (g_problem == 0) return code;
  print_error(fmt::format("weft: error: standard output: cannot be written ({}); what was printed is not complete\n",
                          std::strerror(g_problem)));
  return code == 0 ? static_cast<int>(Exit::failed) : code;
}

}  // namespace weft::app
