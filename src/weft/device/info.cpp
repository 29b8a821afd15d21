#include "weft/device/info.hpp"

#include <unistd.h>

#include <fstream>
#include <thread>

namespace weft {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      const auto start = line.find_first_not_of(" \t", line.find(':') + 1);
      if (start != std::string::npos) return line.substr(start);
    }
  }
  return "unknown";
}

}  // namespace

HostInfo host_info() {
  HostInfo info;
  info.cpu = cpu_model();
  info.threads = static_cast<int>(std::thread::hardware_concurrency());
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) info.memory_bytes = static_cast<std::int64_t>(pages) * page_bytes;
#if defined(__clang__)
  info.compiler = "clang " __clang_version__;
#else
  info.compiler = "gcc " __VERSION__;
#endif
  return info;
}

}  // namespace weft
