#pragma once
/// The limits of a kernel launch.
#include <cstdint>
#include <string>

#include "weft/base/error.hpp"

namespace weft::detail {

/// Most blocks of a launch along x: CUDA C++ Programming Guide, technical specifications per compute capability.
inline constexpr std::int64_t kMostGridBlocks = (std::int64_t{1} << 31) - 1;

/// Returns the number of blocks as CUDA takes it. @param name  of the kernel, for the message.
/// @throws LimitError where a launch cannot have so many, or would have none.
[[nodiscard]] inline unsigned grid_blocks(std::int64_t blocks, const char* name) {
  if (blocks >= 1 && blocks <= kMostGridBlocks) [[likely]]
    return static_cast<unsigned>(blocks);
  throw LimitError("the kernel \"" + std::string(name) + "\" was to be launched with " + std::to_string(blocks) +
                       " blocks, and a launch has 1 to " + std::to_string(kMostGridBlocks),
                   blocks < 1 ? "launch nothing where there is nothing to do" : "share the work between more GPUs");
}

}  // namespace weft::detail
