#include "weft/comm/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <utility>

namespace weft {
namespace {

std::string& machine_name() {
  static std::string name = [] {
    std::string boot;  // differs between machines and between boots
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    return boot;
  }();
  return name;
}

std::byte* map_file(int file, std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

}  // namespace

SharedMemory SharedMemory::make(std::size_t bytes) {
  SharedMemory memory;
  const int file = memfd_create("weft", MFD_CLOEXEC);
  if (file < 0) return memory;
  memory.name_.file = file;
  memory.mapped_ = kHeader + bytes;
  if (ftruncate(file, static_cast<off_t>(memory.mapped_)) != 0) return {};
  memory.base_ = map_file(file, memory.mapped_);
  if (memory.base_ == nullptr) return {};
  const std::string here = machine_name();
  std::copy_n(here.begin(), std::min(here.size(), memory.name_.machine.size() - 1), memory.name_.machine.begin());
  std::random_device random;
  memory.name_.process = getpid();
  memory.name_.key = (std::uint64_t{random()} << 32U) | random();
  memory.name_.bytes = bytes;
  std::memcpy(memory.base_, &memory.name_.key, sizeof(memory.name_.key));
  return memory;
}

SharedMemory SharedMemory::map(const Name& name) {
  SharedMemory memory;
  if (name.file < 0 || machine_name().empty() || machine_name() != name.machine.data()) return memory;
  const std::string path = "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return memory;
  // In another process-id namespace the numbers may refer to a different file: the size is checked before the file is mapped,
  // and the key afterwards.
  const std::size_t bytes = kHeader + name.bytes;
  if (lseek(file, 0, SEEK_END) == static_cast<off_t>(bytes)) memory.base_ = map_file(file, bytes);
  ::close(file);
  if (memory.base_ == nullptr) return memory;
  memory.mapped_ = bytes;
  std::uint64_t key = 0;
  std::memcpy(&key, memory.base_, sizeof(key));
  if (key != name.key) return {};
  return memory;
}

SharedMemory::~SharedMemory() {
  close();
  if (base_ != nullptr) munmap(base_, mapped_);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), mapped_(other.mapped_), name_(std::exchange(other.name_, {})) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(mapped_, other.mapped_);
  std::swap(name_, other.name_);
  return *this;
}

void SharedMemory::close() noexcept {
  if (name_.file >= 0) ::close(static_cast<int>(std::exchange(name_.file, -1)));
}

std::string SharedMemory::machine() { return machine_name(); }

void SharedMemory::set_machine_for_tests(const std::string& machine) { machine_name() = machine; }

}  // namespace weft
