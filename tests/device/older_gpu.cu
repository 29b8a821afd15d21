#include "weft/device/parallel_for.cuh"

#include "device/older_gpu.hpp"

namespace weft::test {
namespace {

struct ReverseAndIncrement {
  const int* from;
  int* to;
  int count;
  WEFT_HD void operator()(int i) const { to[i] = from[count - 1 - i] + 1; }
};

}  // namespace

void reverse_and_increment_for_older_gpus(Stream& stream, const int* from, int* to, int count) {
  parallel_for(space::cuda{}, stream, count, ReverseAndIncrement{from, to, count});
}

}  // namespace weft::test
