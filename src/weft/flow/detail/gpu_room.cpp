#include "weft/flow/detail/gpu_room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace weft::flow::detail {

std::optional<DeviceError> lack_of_room(std::size_t needed, std::size_t free, std::size_t total, std::int32_t cells, int ranks) {
  if (needed <= free) return std::nullopt;
  const auto up = [](std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit; };
  const auto gigabytes = [&](std::size_t bytes) { return up(bytes, 1'000'000'000); };
  const std::string more =
      fmt::format("a coarser mesh, or at least {} GPUs of {} GB for all of it",
                  up(static_cast<std::size_t>(ranks) * needed, std::max(total, std::size_t{1})), gigabytes(total));
  return DeviceError(
      fmt::format("the case needs {} GB on this GPU ({} bytes for each of {} cells), and {} GB are free", gigabytes(needed),
                  needed / static_cast<std::size_t>(std::max(cells, 1)), cells, gigabytes(free)),
      needed <= total ? fmt::format("end what else runs on this GPU, give it fewer ranks, or use {}", more) : "use " + more);
}

}  // namespace weft::flow::detail
