#include "weft/flow/detail/gpu_room.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::flow::detail {

std::optional<DeviceError> lack_of_room(std::size_t needed, std::size_t free, std::int32_t cells, int ranks) {
  if (needed <= free) return std::nullopt;
  const auto up = [](std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit; };
  const auto gigabytes = [&](std::size_t bytes) { return up(bytes, 1'000'000'000); };
  return DeviceError(
      fmt::format("the case needs {} GB on this GPU ({} bytes for each of {} cells), and {} GB are free", gigabytes(needed),
                  needed / static_cast<std::size_t>(std::max(cells, 1)), cells, gigabytes(free)),
      free == 0 ? "end what else runs on this GPU"
                : fmt::format("use a coarser mesh, or spread it over at least {} GPUs with as much free",
                              up(static_cast<std::size_t>(ranks) * needed, free)));
}

}  // namespace weft::flow::detail
