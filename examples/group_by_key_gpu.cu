// Particles grouped by the cell that contains them, on a GPU: a stable sort by key, runs of equal keys and sums by segments of
// weft::kernels after a user's kernel, all in one stream. The groups are those of the host, and the sums have its bits.
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
#include "weft/kernels/primitives/reduce.cuh"
#include "weft/kernels/primitives/select.cuh"
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

/// Sets the velocity of the particle at position i of the groups.
struct Velocity {
  const std::int32_t* particle;
  double* velocity;
  WEFT_HD void operator()(std::int32_t i) const { velocity[i] = 0.1 * (particle[i] % 7); }
};

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  if (!take_gpu(weft::Communicator::world())) return kSkipped;
  constexpr std::int32_t kParticles = 1'000'000;
  const weft::space::cuda gpu;
  weft::Stream stream;
  weft::DeviceVector<std::uint32_t> cell(stream, kParticles), cell_of_group(stream, kParticles);
  weft::DeviceVector<std::int32_t> particle(stream, kParticles);
  weft::DeviceVector<std::int64_t> offset(stream, kParticles + 1), groups(stream, 1);
  weft::DeviceVector<double> velocity(stream, kParticles), sum(stream, kCells);

  parallel_for(gpu, stream, kParticles, Place{cell.data(), particle.data()});
  weft::kernels::stable_sort_by_key(gpu, stream, cell.span(), particle.span());
  weft::kernels::run_length_encode(gpu, stream, std::span<const std::uint32_t>(cell.span()), cell_of_group.span(), offset.span(),
                                   groups.data());
  parallel_for(gpu, stream, kParticles, Velocity{particle.data(), velocity.data()});
  // Every cell has particles: there are kCells groups. Otherwise the number would have to be copied to the host first.
  weft::kernels::segmented_sum(gpu, stream, std::span<const double>(velocity.span()),
                               std::span<const std::int64_t>(offset.span()).first(kCells + 1), sum.span());

  std::vector<std::int32_t> found(kParticles);
  std::vector<std::int64_t> offsets(kCells + 1), count(1);
  std::vector<double> sums(kCells);
  particle.get(0, found, after(stream));
  offset.get(0, offsets, after(stream));
  groups.get(0, count, after(stream));
  sum.get(0, sums, after(stream));

  // Groups and sums of the host.
  std::vector<std::uint32_t> expected_cell(kParticles);
  std::vector<std::int32_t> expected(kParticles);
  for (std::int32_t i = 0; i < kParticles; ++i) Place{expected_cell.data(), expected.data()}(i);
  weft::kernels::stable_sort_by_key(std::span(expected_cell), std::span(expected));
  const std::vector<std::int64_t> expected_offsets = weft::kernels::run_offsets(std::span<const std::uint32_t>(expected_cell));
  std::vector<double> expected_velocity(kParticles), expected_sums(kCells);
  for (std::int32_t i = 0; i < kParticles; ++i) Velocity{expected.data(), expected_velocity.data()}(i);
  weft::kernels::segmented_sum(std::span<const double>(expected_velocity), std::span(expected_offsets), std::span(expected_sums));
  const bool same = count[0] == kCells && found == expected && offsets == expected_offsets && sums == expected_sums;
  std::printf("%d particles in %d cells: %s as on the host\n", kParticles, static_cast<int>(count[0]),
              same ? "grouped" : "NOT grouped");
  return same ? 0 : 1;
}
