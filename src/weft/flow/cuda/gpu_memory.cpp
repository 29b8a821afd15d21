#include "weft/flow/cuda/gpu_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "weft/comm/agreement.hpp"

namespace weft::flow::detail {

std::optional<DeviceError> gpu_memory_shortage(const GpuDemand& demand, std::size_t of_case) {
  if (demand.needed <= demand.free) return std::nullopt;
  const auto up = [](std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit; };
  constexpr std::size_t kGigabyte = 1'000'000'000;
  const bool shared = demand.ranks > 1;
  std::string advice;
  if (demand.needed <= demand.total) advice += "stop other programs on this GPU, ";
  if (shared && of_case > demand.needed) advice += "give it fewer ranks, ";
  advice += advice.empty() ? "use a coarser mesh" : "or use a coarser mesh";
  if (of_case > demand.total) {
    advice += fmt::format(", or at least {} GPUs of {} GB for all of it", up(of_case, std::max<std::size_t>(demand.total, 1)),
                          demand.total / kGigabyte);
  }
  return DeviceError(
      fmt::format("the case needs {} GB on GPU {}{} ({} bytes for each of {} cells), and {} GB are free",
                  up(demand.needed, kGigabyte), demand.gpu.bus, shared ? fmt::format(", which {} ranks share", demand.ranks) : "",
                  demand.needed / static_cast<std::size_t>(std::max<std::int64_t>(demand.cells, 1)), demand.cells,
                  demand.free / kGigabyte),
      advice);
}

void require_gpu_memory(const Communicator& comm, const GpuDemand& of_rank) {
  GpuDemand demand{.gpu = of_rank.gpu, .free = of_rank.free, .total = of_rank.total, .ranks = 0};
  for (const GpuDemand& other : comm.split_shared_memory().all_gather(of_rank)) {
    if (other.gpu != of_rank.gpu) continue;
    demand.needed += other.needed;
    demand.free = std::min(demand.free, other.free);
    demand.cells += other.cells;
    demand.ranks += other.ranks;
  }
  const std::size_t of_case = comm.sum(of_rank.needed);
  agreed(comm, [&] {
    if (const auto error = gpu_memory_shortage(demand, of_case)) throw *error;
  });
}

}  // namespace weft::flow::detail
