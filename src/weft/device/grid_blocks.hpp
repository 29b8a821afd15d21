#pragma once
/// The limits of a kernel launch.
#include <cstdint>
#include <string>

#include "weft/base/error.hpp"

namespace weft::detail {

/// Maximum number of blocks along x (CUDA C++ Programming Guide, technical specifications per compute capability).
inline constexpr std::int64_t kMostGridBlocks = (std::int64_t{1} << 31) - 1;

/// Returns the number of blocks as the type that CUDA expects. @param name  of the kernel, for the message.
/// @throws LimitError where it is outside 1 ... kMostGridBlocks.
[[nodiscard]] inline unsigned grid_blocks(std::int64_t blocks, const char* name) {
  if (blocks >= 1 && blocks <= kMostGridBlocks) [[likely]]
    return static_cast<unsigned>(blocks);
  throw LimitError("the kernel \"" + std::string(name) + "\" cannot be launched with " + std::to_string(blocks) +
                       " blocks (a launch has 1 to " + std::to_string(kMostGridBlocks) + ")",
                   blocks < 1 ? "do not launch a kernel without work" : "distribute the work over more GPUs");
}

}  // namespace weft::detail
