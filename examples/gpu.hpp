#pragma once
// The start of the GPU examples: a GPU for each rank, or exit code 77, which ctest counts as a skipped test.
#include <cstdio>
#include <cstdlib>

#include "weft/comm/communicator.hpp"
#include "weft/device/device.hpp"

constexpr int kSkipped = 77;

/// Makes a GPU of this machine current, assigned to its ranks in turn; returns false on every rank if one of them finds no GPU.
inline bool take_gpu(const weft::Communicator& comm) {
  if (!comm.all(weft::device_count() > 0)) {
    if (comm.is_root()) std::printf("skipped: a rank has no GPU\n");
    return false;
  }
  weft::set_device(weft::device_of(comm.split_shared_memory().rank().value()));
  return true;
}
