#include "weft/device/host_rates.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "weft/base/clock.hpp"

namespace weft {
namespace {

constexpr int kRepeats = 5;
constexpr std::size_t kBytes = std::size_t{32} << 20;  // size of an array: more than the caches of a core

/// Calls job(thread) on all threads and returns the shortest time of kRepeats calls.
template <class Job>
[[nodiscard]] double shortest(Team& team, const Job& job) {
  double seconds = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const Stopwatch watch;
    team.run(job);
    seconds = i == 0 ? watch.seconds() : std::min(seconds, watch.seconds());
  }
  return seconds;
}

using Four = double __attribute__((vector_size(32)));
using Eight = double __attribute__((vector_size(64)));

constexpr int kChains = 12;  // as many independent operations as hide the latency of an addition after a multiplication
constexpr int kRounds = 100'000;

/// Multiplies and adds in registers. @returns the sum, so that the compiler removes no operation.
template <class Vector>
[[gnu::always_inline]] inline double multiply_and_add() {
  Vector chains[kChains];
  const Vector factor = Vector{} + 0.999, term = Vector{} + 0.001;
#pragma GCC unroll 12
  for (int j = 0; j < kChains; ++j) chains[j] = Vector{} + static_cast<double>(j);
  for (int i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (Vector& chain : chains) chain = chain * factor + term;
  }
  Vector sum{};
#pragma GCC unroll 12
  for (const Vector& chain : chains) sum += chain;
  return sum[0] + sum[3];
}

double with_four() { return multiply_and_add<Four>(); }
#if defined(__x86_64__)
[[gnu::target("avx512f")]] double with_eight() { return multiply_and_add<Eight>(); }
[[nodiscard]] bool has_eight() { return __builtin_cpu_supports("avx512f") != 0; }
#else
double with_eight() { return with_four(); }
[[nodiscard]] bool has_eight() { return false; }
#endif

}  // namespace

HostRates measure_host_rates(Team& team) {
  struct Arrays {
    std::unique_ptr<std::byte[]> from, to;
  };
  std::vector<Arrays> arrays(static_cast<std::size_t>(team.size()));
  for (Arrays& a : arrays) {
    a.from = std::make_unique_for_overwrite<std::byte[]>(kBytes);
    a.to = std::make_unique_for_overwrite<std::byte[]>(kBytes);
  }
  team.run([&](int thread) noexcept {  // each thread touches its own arrays first
    std::memset(arrays[thread].from.get(), 1, kBytes);
    std::memset(arrays[thread].to.get(), 0, kBytes);
  });
  const double copying =
      shortest(team, [&](int thread) noexcept { std::memcpy(arrays[thread].to.get(), arrays[thread].from.get(), kBytes); });
  std::vector<double> sums(static_cast<std::size_t>(team.size()));
  const bool eight = has_eight();
  const double computing = shortest(team, [&](int thread) noexcept { sums[thread] = eight ? with_eight() : with_four(); });
  const double threads = team.size(), elements = eight ? 8 : 4;
  return {.copy = threads * 2 * static_cast<double>(kBytes) / copying,
          .flops = threads * 2 * elements * kChains * kRounds / computing};
}

}  // namespace weft
