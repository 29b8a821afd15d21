#pragma once
/// Definition of simd_update, included only by the .cpp files that instantiate it.
#include <cstring>
#include <limits>

#include "weft/flow/host/simd_loops.hpp"
#include "weft/flow/host/simd_vector.hpp"
#include "weft/flow/physics/runge_kutta.hpp"

namespace weft::flow::detail {

/// Cells that are updated together, independent of N, so that sums do not depend on it.
inline constexpr int kUpdateBlock = 8;

/// Loads N rows of Width numbers.
template <int Width, int N>
WEFT_FORCE_INLINE void load_rows(const double* from, SimdVector<N> (&registers)[Width]) {
  for (int j = 0; j < Width; ++j) registers[j] = SimdVector<N>::load(from + j * N);
}

template <int N>
struct UpdateSums {
  SimdVector<N> rate_squared[kVars];
  SimdVector<N> stable_dt;
};

/// Updates N cells from the first of the View on. @returns whether all are within the limits.
template <int N>
WEFT_FORCE_INLINE bool update_cells(const UpdateView& v, UpdateSums<N>& sums) {
  const SimdVector<N> inverse_volume = SimdVector<N>::load(v.inverse_volumes);
  SimdVector<N> per_volume[kVars], step[kVars], u[kVars];
  repeat(inverse_volume, per_volume);
  repeat(v.local_dt == nullptr ? SimdVector<N>(v.dt) : lesser(v.local_cfl * SimdVector<N>::load(v.local_dt), v.dt), step);
#pragma GCC unroll 5
  for (int j = 0; j < kVars; ++j) {
    const SimdVector<N> now = SimdVector<N>::load(v.conserved + j * N), rate = SimdVector<N>::load(v.rates + j * N);
    const SimdVector<N> slope = rate * per_volume[j];
    if (v.first) {
      now.store(v.start + j * N);
      sums.rate_squared[j] += slope * rate;
    }
    u[j] = runge_kutta_value(SimdVector<N>(v.start_weight), SimdVector<N>::load(v.start + j * N), now + step[j] * slope);
    u[j].store(v.conserved + j * N);
    SimdVector<N>(0.0).store(v.rates + j * N);
  }
  deinterleave(u);
  const BasicPrimitive<SimdVector<N>> w = v.gas.primitive(BasicConserved<SimdVector<N>>{u[0], {u[1], u[2], u[3]}, u[4]});
  if (v.last) {
    SimdVector<N> area[3];
    load_rows(&v.projected_areas->x, area);
    deinterleave(area);
    const SimdVector<N> dt = stable_dt_of_cell(v.gas, w, {area[0], area[1], area[2]}, inverse_volume);
    if (v.local_dt != nullptr) dt.store(v.local_dt);
    sums.stable_dt = lesser(dt, sums.stable_dt);
  }
  SimdVector<N> values[kVars] = {w.density, w.velocity.x, w.velocity.y, w.velocity.z, w.pressure};
  interleave(values);
#pragma GCC unroll 5
  for (int j = 0; j < kVars; ++j) values[j].store(v.values + j * N);
  return all(v.limits.hold(w));
}

template <int N>
WEFT_FORCE_INLINE bool update_block(const UpdateView& v, UpdateSums<N> (&sums)[kUpdateBlock / N]) {
  bool physical = true;
  for (int i = 0; i < kUpdateBlock / N; ++i) physical &= update_cells<N>(v.from(i * N), sums[i]);
  return physical;
}

template <int N>
UpdateReport simd_update(const UpdateView& v, std::int32_t cells) {
  UpdateSums<N> sums[kUpdateBlock / N];
  for (UpdateSums<N>& part : sums) {
    for (SimdVector<N>& sum : part.rate_squared) sum = SimdVector<N>(0.0);
    part.stable_dt = SimdVector<N>(std::numeric_limits<double>::infinity());
  }
  UpdateReport report;
  std::int32_t c = 0;
  for (; c + kUpdateBlock <= cells; c += kUpdateBlock) report.physical &= update_block<N>(v.from(c), sums);
  if (c < cells) {
    // The last cells are copied to arrays that are filled up with copies of the first of them, without rates and without faces,
    // which do not change sums or the stable step.
    double conserved[kUpdateBlock * kVars], start[kUpdateBlock * kVars], rates[kUpdateBlock * kVars],
        values[kUpdateBlock * kVars], local_dt[kUpdateBlock], inverse_volumes[kUpdateBlock];
    Vec3 projected_areas[kUpdateBlock];
    const UpdateView rest = v.from(c);
    const int count = cells - c;
    for (int i = 0; i < kUpdateBlock; ++i) {
      const int from = i < count ? i : 0;
      for (int k = 0; k < kVars; ++k) {
        conserved[i * kVars + k] = rest.conserved[from * kVars + k];
        start[i * kVars + k] = rest.start[from * kVars + k];
        rates[i * kVars + k] = i < count ? rest.rates[from * kVars + k] : 0;
      }
      local_dt[i] = v.local_dt != nullptr ? rest.local_dt[from] : 0;
      inverse_volumes[i] = rest.inverse_volumes[from];
      projected_areas[i] = i < count ? rest.projected_areas[i] : Vec3{};
    }
    UpdateView block = v;
    block.conserved = conserved, block.start = start, block.rates = rates, block.values = values;
    if (v.local_dt != nullptr) block.local_dt = local_dt;
    block.inverse_volumes = inverse_volumes, block.projected_areas = projected_areas;
    report.physical &= update_block<N>(block, sums);
    const std::size_t bytes = count * sizeof(double);
    std::memcpy(rest.conserved, conserved, bytes * kVars);
    std::memcpy(rest.start, start, bytes * kVars);
    std::memcpy(rest.rates, rates, bytes * kVars);
    std::memcpy(rest.values, values, bytes * kVars);
    if (v.local_dt != nullptr) std::memcpy(rest.local_dt, local_dt, bytes);
  }
  report.stable_dt = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kUpdateBlock * kVars; ++i) {
    const int part = i / (N * kVars), vector = i % (N * kVars) / N;
    report.rate_squared[i % kVars] += sums[part].rate_squared[vector][i % N];
  }
  for (int i = 0; i < kUpdateBlock; ++i) report.stable_dt = lesser(sums[i / N].stable_dt[i % N], report.stable_dt);
  return report;
}

}  // namespace weft::flow::detail
