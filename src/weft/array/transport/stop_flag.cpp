#include "weft/array/transport/stop_flag.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstddef>

#include "weft/array/transport.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

namespace weft::detail {
namespace {

constexpr std::size_t kBytes = sizeof(std::uint32_t);

[[nodiscard]] std::atomic_ref<std::uint32_t> number_in(const SharedMemory& memory) {
  return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(memory.data()));
}

[[noreturn]] void throw_unshared() {
  throw DeviceError("memory of the host cannot be shared with another rank of this machine",
                    fmt::format("start the ranks in one container, or use the transport \"{}\" or \"{}\"",
                                name_of(Transport::nccl), name_of(Transport::staged)));
}

}  // namespace

StopFlag::StopFlag(const Communicator& comm, std::span<const Rank> neighbours, Backend backend) {
  agreed(comm, [&] {
    own_ = SharedMemory::make(kBytes);
    if (!own_) throw_unshared();
    if (backend == Backend::cuda) {
      locked_.emplace(std::span(own_.data(), kBytes));
      on_gpu_.emplace(*locked_, Backend::cuda_mapped, "stop flag");
    }
    number_ = reinterpret_cast<const std::uint32_t*>(own_.data());
  });
  const std::vector<std::vector<SharedMemory::Name>> names =
      comm.exchange(neighbours, std::vector<std::vector<SharedMemory::Name>>(neighbours.size(), {own_.name()}));
  agreed(comm, [&] {
    for (const std::vector<SharedMemory::Name>& name : names) {
      of_neighbours_.push_back(SharedMemory::map(name.at(0)));
      if (!of_neighbours_.back()) throw_unshared();
    }
  });
  own_.close();  // all neighbours have mapped it
}

void StopFlag::raise() noexcept {
  number_in(own_).store(1, std::memory_order_release);
  for (const SharedMemory& memory : of_neighbours_) number_in(memory).store(1, std::memory_order_release);
}

bool StopFlag::raised() const noexcept { return number_in(own_).load(std::memory_order_acquire) != 0; }

}  // namespace weft::detail
