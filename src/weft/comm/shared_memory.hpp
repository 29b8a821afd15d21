#pragma once
/// Memory that the processes of one machine share.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace weft {

/// Memory of this process that others may map, or a mapping of such memory of another process. It lives as long as anybody has it
/// mapped, and needs nobody to clean up after processes that are killed: it has no name in any file system (Linux's memfd), so
/// that the size of /dev/shm does not matter either. Pages that were never touched cost nothing.
class SharedMemory {
 public:
  /// By which other processes find it.
  struct Name {
    std::array<char, 64> machine{};  ///< that runs the process, and since when
    std::int64_t process = 0, file = -1;
    std::uint64_t key = 0, bytes = 0;
  };

  /// None.
  SharedMemory() = default;
  /// Memory of this process, all zero; none where the system has none to give.
  [[nodiscard]] static SharedMemory make(std::size_t bytes);
  /// The memory of another process; none where it is on another machine or cannot be reached (behind the walls of a container,
  /// or no longer open()).
  [[nodiscard]] static SharedMemory map(const Name& name);
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;

  /// Of make()'s memory: by which it is found, until close().
  [[nodiscard]] const Name& name() const { return name_; }
  /// Nobody may map it from now on. What is mapped stays.
  void close() noexcept;

  [[nodiscard]] explicit operator bool() const { return base_ != nullptr; }
  /// At an address that is a multiple of 128.
  [[nodiscard]] std::byte* data() const { return base_ == nullptr ? nullptr : base_ + kHeader; }

  /// The machine that this process runs on, as names say it.
  [[nodiscard]] static std::string machine();
  /// From now on this process says that it runs on another machine. For tests of what happens between machines.
  static void pretend_machine(const std::string& machine);

 private:
  static constexpr std::size_t kHeader = 128;  ///< holds the key: who maps memory by mistake finds another

  std::byte* base_ = nullptr;
  std::size_t mapped_ = 0;
  Name name_;
};

}  // namespace weft
