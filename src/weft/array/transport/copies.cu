#include "weft/array/transport/copies.cuh"

namespace weft::detail {
namespace {

template <class Word>
__global__ void __launch_bounds__(kCopyThreads) copy_kernel(const CopyTable table) {
  trigger_dependent_launch();
  grid_dependency_sync();
  for (std::uint32_t chunk = blockIdx.x; chunk < table.chunks; chunk += gridDim.x)
    ThreadCopy<Word>(part_of(table.parts, table.count, chunk), chunk).store();
}

}  // namespace

void launch_copies(Stream& stream, const CopyTable& table) {
  const std::uint32_t blocks = table.chunks < kCopyBlocks ? table.chunks : kCopyBlocks;
  with_words(table, [&](auto word) {
    const auto kernel = copy_kernel<decltype(word)>;
    request_dynamic_shared_memory(kernel);
    launch(stream, "copies of an exchange", {.blocks = blocks, .threads = kCopyThreads}, kernel, table);
  });
}

}  // namespace weft::detail
