#include "weft/device/parallel_for.cuh"

#include "device/older_gpu.hpp"

namespace weft::test {
namespace {

struct NextOfMirrored {
  const int* from;
  int* to;
  int count;
  WEFT_HD void operator()(int i) const { to[i] = from[count - 1 - i] + 1; }
};

}  // namespace

void next_of_mirrored_for_older_gpus(Stream& stream, const int* from, int* to, int count) {
  parallel_for(space::cuda{}, stream, count, NextOfMirrored{from, to, count});
}

}  // namespace weft::test
