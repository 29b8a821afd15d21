#include "weft/array/transport/combine.hpp"
#include "weft/device/parallel_for.cuh"

namespace weft::detail {

void launch_combine(Stream& stream, const CombinePart& part, Element element, Reduce op) {
  with_combination(part, element, op, [&](const auto& loop) { parallel_for(space::cuda{}, stream, part.entries, loop); });
}

}  // namespace weft::detail
