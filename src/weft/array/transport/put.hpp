#pragma once
/// Rows written straight into the memory of other GPUs, with flags that say when.
///
/// Exchanges of one transport are numbered by epochs, 1, 2, ... The kernel of epoch e first tells every neighbour that its ghost
/// rows here may be written (credit = e: by the order of its stream, who read them before has finished), waits for the same word
/// of each neighbour, writes, adds to the neighbour's count of chunks that have arrived, and ends when its own counts are e times
/// what an exchange brings. Each block counts epochs by itself in device memory, so that the kernel can be replayed by a Graph
/// and blocks wait for neighbours alone.
#include <cstdint>

#include "weft/array/transport/copies.hpp"
#include "weft/device/device.hpp"

namespace weft::detail {

/// Words that neighbours write to; each on a line of its own.
struct alignas(128) PeerFlags {
  std::uint32_t credit;
  alignas(64) std::uint32_t arrived;  ///< chunks since the beginning
};

/// One neighbour. Pointers `there` are of its memory.
struct PeerLink {
  const PeerFlags* here;
  PeerFlags* there;
  std::uint32_t arriving;  ///< chunks that it writes here in each exchange
};

/// Blocks of the kernel at most: few, so that kernels which are to run meanwhile find room while these wait for a neighbour;
/// enough for NVLink.
inline constexpr std::uint32_t kPutBlocks = 264;

/// Of so few copies and neighbours the description travels with the launch: looking it up would take a microsecond.
inline constexpr std::int32_t kSmallPut = 16;

/// The groups of the table's copies are the numbers of links; -1: within this GPU.
struct PutArgs {
  CopyTable table;
  const PeerLink* links;
  std::int32_t link_count;
  std::uint32_t* epochs;           ///< kPutBlocks; how many exchanges each block has done
  CopyPart parts_here[kSmallPut];  ///< where they are not more
  PeerLink links_here[kSmallPut];
};

void launch_put(Stream& stream, const PutArgs& args);

/// Why kernels of the current GPU cannot write to that one's memory, or not do atomics there; null where they can.
[[nodiscard]] const char* peer_write_obstacle(const GpuId& other);

}  // namespace weft::detail
