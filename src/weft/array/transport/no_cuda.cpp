// Replaces the kernels in a build without CUDA, where no array is in GPU memory, so that no function is reached.
#include "weft/array/transport/combine.hpp"
#include "weft/array/transport/copies.hpp"
#include "weft/array/transport/put.hpp"
#include "weft/device/device.hpp"

namespace weft::detail {

void launch_copies(Stream& /*stream*/, const CopyTable& /*table*/) { throw no_gpu(); }
void launch_combine(Stream& /*stream*/, const CombinePart& /*part*/, Element /*element*/, Reduce /*op*/) { throw no_gpu(); }
void launch_put(Stream& /*stream*/, const PutArgs& /*args*/) { throw no_gpu(); }
const char* peer_write_obstacle(const GpuId& /*other*/) { throw no_gpu(); }

}  // namespace weft::detail
