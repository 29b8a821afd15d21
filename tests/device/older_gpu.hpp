#pragma once
/// Kernels that are compiled for GPUs before Hopper, which have no wait_for_earlier_kernels(), as those of a program may be that
/// uses Weft.
#include "weft/device/stream.hpp"

namespace weft::test {

/// to[i] = from[count - 1 - i] + 1.
void next_of_mirrored_for_older_gpus(Stream& stream, const int* from, int* to, int count);

}  // namespace weft::test
