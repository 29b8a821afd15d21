// Particles grouped by the cell that contains them, on a GPU: a stable sort by key and a scan of weft::kernels, with a user's
// kernels in between, all in one stream. The groups are those of the host, entry by entry.
//
//   group_by_key_gpu
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/scan.cuh"
#include "weft/kernels/primitives/select.hpp"
#include "weft/kernels/primitives/sort.cuh"

#include "gpu.hpp"

namespace {

constexpr std::uint32_t kCells = 4096;

/// Sets the cell and the number of a particle.
struct Place {
  std::uint32_t* cell;
  std::int32_t* particle;
  WEFT_HD void operator()(std::int32_t i) const {
    cell[i] = weft::mix_bits(static_cast<std::uint64_t>(i)) % kCells;
    particle[i] = i;
  }
};

/// Marks the first particle of each group.
struct MarkFirst {
  const std::uint32_t* cell;  ///< sorted
  std::int32_t* first;
  WEFT_HD void operator()(std::int32_t i) const { first[i] = i == 0 || cell[i] != cell[i - 1] ? 1 : 0; }
};

/// Stores the position of the first particle of each group.
struct StoreOffset {
  const std::int32_t *first, *group;
  std::int32_t* offset;
  WEFT_HD void operator()(std::int32_t i) const {
    if (first[i] != 0) offset[group[i]] = i;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  if (!take_gpu(weft::Communicator::world())) return kSkipped;
  constexpr std::int32_t kParticles = 1'000'000;
  const weft::space::cuda gpu;
  weft::Stream stream;
  weft::DeviceVector<std::uint32_t> cell(stream, kParticles);
  weft::DeviceVector<std::int32_t> particle(stream, kParticles), first(stream, kParticles), group(stream, kParticles),
      offset(stream, kCells), groups(stream, 1);

  parallel_for(gpu, stream, kParticles, Place{cell.data(), particle.data()});
  weft::kernels::stable_sort_by_key(gpu, stream, cell.span(), particle.span());
  parallel_for(gpu, stream, kParticles, MarkFirst{cell.data(), first.data()});
  weft::kernels::exclusive_scan(gpu, stream, std::span<const std::int32_t>(first.span()), group.span(), groups.data());
  parallel_for(gpu, stream, kParticles, StoreOffset{first.data(), group.data(), offset.data()});

  std::vector<std::int32_t> found(kParticles), offsets(kCells), count(1);
  particle.get(0, found, after(stream));
  offset.get(0, offsets, after(stream));
  groups.get(0, count, after(stream));

  // Groups of the host.
  std::vector<std::uint32_t> expected_cell(kParticles);
  std::vector<std::int32_t> expected(kParticles);
  for (std::int32_t i = 0; i < kParticles; ++i) Place{expected_cell.data(), expected.data()}(i);
  weft::kernels::stable_sort_by_key(std::span(expected_cell), std::span(expected));
  const std::vector<std::int64_t> expected_offsets = weft::kernels::run_offsets(std::span<const std::uint32_t>(expected_cell));
  bool same = found == expected && count[0] + 1 == std::ssize(expected_offsets);
  for (std::int32_t g = 0; same && g < count[0]; ++g) same = offsets[g] == expected_offsets[g];
  std::printf("%d particles in %d cells: %s as on the host\n", kParticles, count[0], same ? "grouped" : "NOT grouped");
  return same ? 0 : 1;
}
