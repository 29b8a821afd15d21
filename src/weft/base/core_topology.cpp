#include "weft/base/core_topology.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

#include "weft/base/contracts.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;

/// Returns the NUMA node of a hardware thread: the number N of the entry nodeN in its folder; 0 without one.
[[nodiscard]] int node_of(const fs::path& folder) {
  constexpr std::string_view kNode = "node";
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    int node = 0;
    if (!name.starts_with(kNode)) continue;
    const auto [end, error] = std::from_chars(name.data() + kNode.size(), name.data() + name.size(), node);
    if (error == std::errc() && end == name.data() + name.size()) return node;
  }
  return 0;
}

struct Range {
  int first = 0, last = 0;
};

/// Returns part i of `parts` of a range; sizes differ by at most one.
[[nodiscard]] Range part(Range whole, int parts, int i) {
  const std::int64_t size = whole.last - whole.first;
  return {whole.first + static_cast<int>(size * i / parts), whole.first + static_cast<int>(size * (i + 1) / parts)};
}

/// Returns the range of the cores of a rank within the nodes, of which each has one entry, the range of its cores.
[[nodiscard]] Range by_node(std::span<const Range> nodes, int ranks, int rank) {
  const auto count = static_cast<int>(nodes.size());
  if (ranks <= count) {
    const Range own = part({0, count}, ranks, rank);
    return {nodes[own.first].first, nodes[own.last - 1].last};
  }
  const auto node_of_rank = [&](int r) { return static_cast<int>(std::int64_t{r} * count / ranks); };
  const int node = node_of_rank(rank);
  Range of_node{rank, rank + 1};  // the ranks of this node
  while (of_node.first > 0 && node_of_rank(of_node.first - 1) == node) --of_node.first;
  while (of_node.last < ranks && node_of_rank(of_node.last) == node) ++of_node.last;
  return part(nodes[node], of_node.last - of_node.first, rank - of_node.first);
}

}  // namespace

std::vector<int> affinity() {
  // The system rejects a set smaller than its own (EINVAL) and does not report the size, so the set is doubled until it fits.
  for (std::size_t sets = 1; sets <= 64; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    const std::size_t bytes = sets * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) == 0) {
      std::vector<int> cpus;
      for (int cpu = 0; cpu < static_cast<int>(8 * bytes); ++cpu) {
        if (CPU_ISSET_S(cpu, bytes, mask.data())) cpus.push_back(cpu);
      }
      return cpus;
    }
    if (errno != EINVAL) break;
  }
  return {};
}

bool set_affinity(std::span<const int> cpus) noexcept {
  if (cpus.empty()) return false;
  const std::size_t sets = static_cast<std::size_t>(*std::ranges::max_element(cpus)) / (8 * sizeof(cpu_set_t)) + 1;
  const std::size_t bytes = sets * sizeof(cpu_set_t);
  std::vector<cpu_set_t> mask(sets);
  for (const int cpu : cpus) CPU_SET_S(cpu, bytes, mask.data());
  return sched_setaffinity(0, bytes, mask.data()) == 0;
}

std::vector<Core> cores_of(std::span<const int> cpus, const fs::path& system) {
  std::map<std::pair<int, std::string>, Core> cores;  // by node and list of the hardware threads of the core
  for (const int cpu : cpus) {
    const fs::path folder = system / "cpu" / fmt::format("cpu{}", cpu);
    std::string siblings;
    std::getline(std::ifstream(folder / "topology" / "thread_siblings_list"), siblings);
    if (siblings.empty()) siblings = fmt::format("{}", cpu);
    const int node = node_of(folder);
    Core& core = cores[{node, siblings}];
    core.node = node;
    core.cpus.push_back(cpu);
  }
  std::vector<Core> list;
  for (auto& [key, core] : cores) {
    std::ranges::sort(core.cpus);
    list.push_back(std::move(core));
  }
  std::ranges::sort(list, {}, [](const Core& core) { return std::pair(core.node, core.cpus.front()); });
  return list;
}

std::vector<Core> share_of_rank(std::span<const Core> cores, int ranks, int rank, int threads) {
  WEFT_EXPECTS(0 <= rank && rank < ranks && threads >= 1);
  const std::int64_t needed = std::int64_t{ranks} * threads;
  std::vector<Core> units(cores.begin(), cores.end());
  if (std::ssize(units) < needed) {
    units.clear();
    for (const Core& core : cores) {
      for (const int cpu : core.cpus) units.push_back({core.node, {cpu}});
    }
  }
  const auto count = static_cast<int>(units.size());
  if (count < needed) return {};
  std::vector<Range> nodes;
  for (int i = 0; i < count; ++i) {
    if (i == 0 || units[i].node != units[i - 1].node) nodes.push_back({i, i});
    nodes.back().last = i + 1;
  }
  Range own = by_node(nodes, ranks, rank);
  for (int r = 0; r < ranks; ++r) {
    const Range of = by_node(nodes, ranks, r);
    if (of.last - of.first < threads) own = part({0, count}, ranks, rank);
  }
  return {units.begin() + own.first, units.begin() + own.last};
}

std::vector<int> cpus_of(std::span<const Core> cores) {
  std::vector<int> cpus;
  for (const Core& core : cores) cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
  std::ranges::sort(cpus);
  return cpus;
}

std::string number_ranges(std::span<const int> ascending) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < ascending.size(); first = last) {
    for (last = first + 1; last < ascending.size() && ascending[last] == ascending[last - 1] + 1;) ++last;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", ascending[first]);
    if (last > first + 1) text += fmt::format("-{}", ascending[last - 1]);
  }
  return text;
}

}  // namespace weft
