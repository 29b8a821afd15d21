#pragma once
/// Rows written directly to the memory of other GPUs, with flags for synchronisation.
///
/// Exchanges of a transport are numbered by epochs, 1, 2, ... The kernel of epoch e first sets credit = e at every neighbour,
/// which permits it to write the ghost rows of this rank (stream order guarantees that earlier reads have completed). It
/// waits for the credit of each neighbour, writes, adds the number of written chunks to the neighbour's `arrived`, and ends
/// when its own `arrived` counts are e times the chunks of an exchange. Each block counts epochs in device memory, so that a
/// Graph can replay the kernel and blocks only wait for neighbours.
///
/// A kernel that waits ends when the number `stop` is not 0 any more (stop_flag.hpp): a neighbour has failed. Its blocks that
/// wait for a credit write no rows then.
#include <cstdint>

#include "weft/array/transport/copies.hpp"
#include "weft/device/device.hpp"

namespace weft::detail {

/// Flags written by a neighbour, each in a cache line of its own.
struct alignas(128) PeerFlags {
  std::uint32_t credit;
  alignas(64) std::uint32_t arrived;  ///< number of chunks since the start
};

/// One neighbour. `there` points to its memory.
struct PeerLink {
  const PeerFlags* here;
  PeerFlags* there;
  std::uint32_t arriving;  ///< chunks received from it in each exchange
};

/// Maximum number of blocks of the kernel: one for each multiprocessor of an H100. Fewer lose bandwidth of NVLink; more leave
/// fewer resources of the multiprocessors to the kernels that run while these blocks wait for a neighbour.
inline constexpr std::uint32_t kPutBlocks = 132;

/// Maximum number of copies and neighbours whose description is passed as a kernel argument; reading it from memory takes a
/// microsecond.
inline constexpr std::int32_t kSmallPut = 16;

/// Arguments of the kernel. The groups of the copies are the indices of links; -1: within this GPU.
struct PutArgs {
  CopyTable table;
  const PeerLink* links;
  std::int32_t link_count;
  std::uint32_t* epochs;           ///< kPutBlocks numbers of completed exchanges
  const std::uint32_t* stop;       ///< page-locked memory of the host; not 0 once the exchange is stopped
  CopyPart parts_here[kSmallPut];  ///< used for at most kSmallPut of each
  PeerLink links_here[kSmallPut];
};

void launch_put(Stream& stream, const PutArgs& args);

/// Returns the reason why kernels of the current GPU cannot write to the memory of another, or perform atomics there; null if
/// they can.
[[nodiscard]] const char* peer_write_obstacle(const GpuId& other);

}  // namespace weft::detail
