#pragma once
/// What the machine is, for reports and benchmark tables.
#include <cstdint>
#include <string>

namespace weft {

struct HostInfo {
  std::string cpu;                ///< model name, or "unknown"
  int threads = 1;                ///< hardware threads
  std::int64_t memory_bytes = 0;  ///< 0: not known
  std::string compiler;           ///< name and version
};

[[nodiscard]] HostInfo host_info();

}  // namespace weft
