#pragma once
/// Kernels compiled for GPUs before Hopper, in which grid_dependency_sync() has no effect. Programs that use Weft may contain
/// such kernels.
#include "weft/device/stream.hpp"

namespace weft::test {

/// Computes to[i] = from[count - 1 - i] + 1 for i < count in stream order.
void reverse_and_increment_for_older_gpus(Stream& stream, const int* from, int* to, int count);

}  // namespace weft::test
