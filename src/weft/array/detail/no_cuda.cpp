// What kernels do, in a build without CUDA: no array has memory of a GPU there, so none of this is reached.
#include "weft/array/detail/combine.hpp"
#include "weft/array/detail/copies.hpp"
#include "weft/array/detail/put.hpp"
#include "weft/base/error.hpp"

namespace weft::detail {
namespace {
[[noreturn]] void throw_no_cuda() {
  throw DeviceError("this build has no CUDA", "configure with nvcc on the PATH, or use arrays of the host");
}
}  // namespace

void launch_copies(Stream& /*stream*/, const CopyTable& /*table*/) { throw_no_cuda(); }
void launch_combine(Stream& /*stream*/, const CombinePart& /*part*/, Element /*element*/, Reduce /*op*/) { throw_no_cuda(); }
void launch_put(Stream& /*stream*/, const PutArgs& /*args*/) { throw_no_cuda(); }
GpuName current_gpu() { throw_no_cuda(); }
const char* obstacle_to(const GpuName& /*other*/) { throw_no_cuda(); }

}  // namespace weft::detail
