#pragma once
/// Memory shared by processes of one machine.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace weft {

/// Memory of this process that other processes may map, or a mapping of another process's memory. It exists as long as any
/// process maps it. It has no name in a file system (Linux memfd), so that killed processes leave nothing behind and the size
/// of /dev/shm is no limit. Pages that were never touched use no memory.
class SharedMemory {
 public:
  /// Identifies the memory for other processes.
  struct Name {
    std::array<char, 64> machine{};  ///< boot id of the machine
    std::int64_t process = 0, file = -1;
    std::uint64_t key = 0, bytes = 0;
  };

  /// Constructs an empty object.
  SharedMemory() = default;
  /// Allocates zeroed memory of this process; returns an empty object if the system refuses.
  [[nodiscard]] static SharedMemory make(std::size_t bytes);
  /// Maps the memory of another process; returns an empty object if that process runs on another machine, is not accessible
  /// (a container) or has called close().
  [[nodiscard]] static SharedMemory map(const Name& name);
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;

  /// Returns the name under which memory of make() can be mapped until close().
  [[nodiscard]] const Name& name() const { return name_; }
  /// Prevents further mappings; existing mappings remain valid.
  void close() noexcept;

  [[nodiscard]] explicit operator bool() const { return base_ != nullptr; }
  /// Returns the address, a multiple of 128.
  [[nodiscard]] std::byte* data() const { return base_ == nullptr ? nullptr : base_ + kHeader; }

  /// Returns the identification of this machine as used in names.
  [[nodiscard]] static std::string machine();
  /// Makes this process identify its machine as `machine`, for tests of communication between machines.
  static void set_machine_for_tests(const std::string& machine);

 private:
  static constexpr std::size_t kHeader = 128;  ///< contains the key, which detects a wrong mapping

  std::byte* base_ = nullptr;
  std::size_t mapped_ = 0;
  Name name_;
};

}  // namespace weft
