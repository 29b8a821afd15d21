#pragma once
// The start of the GPU examples: a GPU for each rank, or exit code 77, with which ctest counts a test as skipped.
#include <cstdio>
#include <cstdlib>

#include "weft/comm/communicator.hpp"
#include "weft/device/device.hpp"

constexpr int kSkipped = 77;

/// Makes a GPU of this machine current, shared out among its ranks; returns false on every rank where one of them finds no GPU.
inline bool take_gpu(const weft::Communicator& comm) {
  if (!comm.all(weft::device_count() > 0)) {
    if (comm.is_root()) std::printf("skipped: a rank has no GPU\n");
    return false;
  }
  weft::set_device(weft::device_of(comm.split_shared_memory().rank().value()));
  return true;
}
