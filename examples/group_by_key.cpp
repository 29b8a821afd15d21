// Particles grouped by the cell that contains them, and the mean velocity in each cell: the primitives of weft::kernels on the
// host. As group_by_key_gpu.cu, which does the same on a GPU.
//
//   group_by_key
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/kernels/primitives/gather.hpp"
#include "weft/kernels/primitives/reduce.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/kernels/primitives/sort.hpp"

int main() {
  using namespace weft::kernels;
  constexpr std::uint32_t kParticles = 100'000, kCells = 64;
  std::vector<std::uint32_t> cell(kParticles);
  std::vector<double> velocity(kParticles);
  for (std::uint32_t i = 0; i < kParticles; ++i) {
    cell[i] = weft::mix_bits(i) % kCells;
    velocity[i] = cell[i] + 1e-3 * (i % 7);
  }

  // order[k] is the particle at position k of the groups; equal cells retain the order of their particles.
  const std::vector<std::int32_t> order = stable_order(std::span<const std::uint32_t>(cell));
  std::vector<std::uint32_t> sorted_cell(kParticles);
  std::vector<double> sorted_velocity(kParticles);
  gather(std::span(cell), std::span(order), std::span(sorted_cell));
  gather(std::span(velocity), std::span(order), std::span(sorted_velocity));

  // Group g is [offsets[g], offsets[g + 1]); the order of the additions in a group depends on its size alone.
  const std::vector<std::int64_t> offsets = run_offsets(std::span<const std::uint32_t>(sorted_cell));
  std::vector<double> sums(offsets.size() - 1);
  segmented_sum(std::span<const double>(sorted_velocity), std::span(offsets), std::span(sums));

  bool right = sums.size() == kCells;
  for (std::size_t g = 0; g < sums.size(); ++g) {
    const double mean = sums[g] / static_cast<double>(offsets[g + 1] - offsets[g]);
    const double cell_of_group = sorted_cell[offsets[g]];
    right = right && mean >= cell_of_group && mean <= cell_of_group + 6e-3;
  }
  std::printf("%u particles in %zu cells, %lld in cell %u\n", kParticles, sums.size(),
              static_cast<long long>(offsets[1] - offsets[0]), sorted_cell[0]);
  return right ? 0 : 1;
}
