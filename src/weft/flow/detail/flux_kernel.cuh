#pragma once
/// Fluxes through the faces of each tile, one thread per face, and the update of its cells, one thread per cell.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "weft/device/parallel_for.cuh"
#include "weft/flow/detail/tile_view.cuh"

namespace weft::flow::detail {

/// Sum of `mine` over the block in a fixed order, on every thread.
__device__ inline double block_sum(double mine, double* of_warps) {
  for (int apart = 16; apart > 0; apart /= 2) mine += __shfl_down_sync(0xffffffffU, mine, static_cast<unsigned>(apart));
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = mine;
  __syncthreads();
  double sum = 0;
  for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += of_warps[w];
  return sum;
}

/// Out of line: boundary conditions take powers, which would cost every thread registers.
template <class Flux>
WEFT_HD __noinline__ Conserved boundary_face_flux(const BoundaryArgs& b, const IdealGas& gas, const Flux& flux,
                                                  const Primitive& inside, std::int32_t face) {
  const ZoneArgs& zone = b.zones[b.zone[face]];
  const Vec3 n = b.normal[face];
  return zone.prescribed ? flux(gas, inside, b.prescribed[face], n) : boundary_flux(gas, zone.params, inside, n);
}

/// Arrays of flux_kernel in shared memory. A face's flux takes the place of its geometry.
template <int Dim, class Real>
struct FluxMemory {
  Real *values, *gradients, *faces;
  std::uint32_t* topology;

  __host__ __device__ FluxMemory(SharedMemory& memory, const TileRange& range)
      : values(memory.take<Real>(kVars * range.flux_rows)),
        gradients(memory.take<Real>(kVars * Dim * range.flux_rows)),
        faces(memory.take<Real>(face_columns(Dim) * whole_units(range.faces))),
        topology(memory.take<std::uint32_t>(range.cells + 1 + range.entries + range.faces)) {}
};

/// Asks the second-level cache for lines that the block reads later.
template <class T>
__device__ void prefetch(const T* first, int count) {
  constexpr int kLine = 128 / static_cast<int>(sizeof(T));
  for (int i = static_cast<int>(threadIdx.x) * kLine; i < count; i += static_cast<int>(blockDim.x) * kLine) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(first + i));
  }
}

template <int Dim, class Flux, class Real, class State>
__global__ void __launch_bounds__(kTileThreads)
    flux_kernel(const __grid_constant__ TileRange range, const __grid_constant__ FluxArgs<Real, State> a, const Flux flux) {
  extern __shared__ unsigned char memory[];
  const TileArrays<Real>& t = a.tiles;
  const Tile tile = t.tile[range.first + static_cast<std::int32_t>(blockIdx.x)];
  SharedMemory shared(memory);
  const FluxMemory<Dim, Real> m(shared, range);
  const int fs = tile.face_stride();
  constexpr int kLanes = Dim == 2 ? 16 : 32;
  static_assert(kVars + kVars * Dim <= kLanes);
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  Column<Real> column;
  offer(column, lane, 0, kVars, a.values, m.values);
  offer(column, lane, kVars, kVars * Dim, a.gradients, m.gradients);
  const auto first = static_cast<std::int64_t>(tile.first_cell);
  const StepClock step = *a.clock;
  Fetch fetch;
  fetch.begin();
  fetch.run(a.values + first * kVars, m.values, tile.cells * kVars);
  fetch.run(a.gradients + first * (kVars * Dim), m.gradients, tile.cells * kVars * Dim);
  fetch.run(t.geometry + std::int64_t{tile.first_face} * face_columns(Dim), m.faces, face_columns(Dim) * fs);
  fetch.run(t.topology + tile.topology, m.topology, tile.topology_size());
  fetch.rows<kLanes>(t.halo_row + tile.halo, tile.flux_rows - tile.cells, tile.cells, column);
  prefetch(a.start + first * kVars, tile.cells * kVars);
  prefetch(a.conserved + first * kVars, tile.cells * kVars);
  prefetch(t.inverse_volume + tile.first_cell, tile.cells);
  fetch.end();
  if (step.halted) return;
  const TileView<Dim, Real> view{.t = t,
                                 .tile = tile,
                                 .values = m.values,
                                 .gradients = m.gradients,
                                 .centroids = nullptr,
                                 .faces = m.faces,
                                 .topology = m.topology,
                                 .slopes = nullptr,
                                 .gas = as<Real>(a.gas),
                                 .scale = {},
                                 .reference_length = 1,
                                 .order = 1,
                                 .axisymmetric = false};
  Real* const fluxes = m.faces;
  const int threads = static_cast<int>(blockDim.x);
  const auto keep = [&](int f, const BasicConserved<Real>& through) {
    for (int k = 0; k < kVars; ++k) fluxes[k * fs + f] = through[k];
  };
  for (int f = static_cast<int>(threadIdx.x); f < tile.cell_faces; f += threads) keep(f, flux_of_face<Dim>(view, flux, f));
  for (int f = tile.cell_faces + static_cast<int>(threadIdx.x); f < tile.faces; f += threads) {
    const Primitive inside = as<double>(reconstruct<Dim>(view, view.left(f), view.left_arm(f)));
    const std::int32_t face = row_of(t, tile, view.right(f)) - t.cells;
    keep(f, view.face_area(f) * as<Real>(boundary_face_flux(a.boundary, a.gas, flux, inside, face)));
  }
  __syncthreads();

  // Update; what is written goes through the shared memory of the rows, which nobody reads any more.
  static_assert(sizeof(State) <= Dim * sizeof(Real));
  Real* const new_values = m.values;
  State* const new_conserved = reinterpret_cast<State*>(m.gradients);
  const BasicIdealGas<State> gas = as<State>(a.gas);
  const auto share = static_cast<State>(a.keep);
  double rate_squared[kVars] = {};
  double stable = INFINITY;
  for (int c = static_cast<int>(threadIdx.x); c < tile.cells; c += threads) {
    const std::int32_t cell = tile.first_cell + c;
    State rate[kVars] = {};
    if (a.source != nullptr) {
      for (int k = 0; k < kVars; ++k) rate[k] = static_cast<State>(a.source[static_cast<std::int64_t>(cell) * kVars + k]);
    }
    for (std::int32_t s = view.face_begin(c); s < view.face_end(c); ++s) {
      const std::int32_t f = view.cell_face(s);
      const State sign = view.is_left(c, s) ? -1 : 1;
      for (int k = 0; k < kVars; ++k) rate[k] += sign * fluxes[k * fs + f];
    }
    const auto inverse_volume = static_cast<State>(t.inverse_volume[cell]);
    const auto dt = static_cast<State>(step.local_cfl > 0 ? lesser(step.dt, step.local_cfl * a.local_dt[cell]) : step.dt);
    BasicConserved<State> u;
    for (int k = 0; k < kVars; ++k) {
      const std::int64_t i = static_cast<std::int64_t>(cell) * kVars + k;
      const State slope = rate[k] * inverse_volume;
      rate_squared[k] += slope * rate[k];
      u[k] = share * a.start[i] + (1 - share) * (a.conserved[i] + dt * slope);
    }
    const BasicPrimitive<State> w = gas.primitive(u);
    if (!gas.physical(w)) {
      a.status->bad = 1;
      if (a.bad[cell] == 0) a.bad[cell] = 1 + a.stage;
    } else if (a.last) {
      const double own = stable_dt_of_cell(gas, w, as<State>(t.projected_area[cell]), inverse_volume);
      if (a.local_dt != nullptr) a.local_dt[cell] = own;
      stable = lesser(stable, own);
    }
    for (int k = 0; k < kVars; ++k) {
      new_conserved[c * kVars + k] = u[k];
      new_values[c * kVars + k] = static_cast<Real>(w[k]);
    }
  }
  __syncthreads();
  put(new_conserved, a.new_conserved + first * kVars, tile.cells * kVars);
  put(new_values, a.new_values + first * kVars, tile.cells * kVars);
  if (a.outflows != nullptr) {
    double* const outflows = a.outflows + a.cell_face_offset[tile.first_cell];
    for (int s = static_cast<int>(threadIdx.x); s < tile.entries; s += threads) {
      const auto through = static_cast<double>(fluxes[view.cell_face(s)]);
      outflows[s] = view.is_left(0, s) ? through : -through;
    }
  }

  __shared__ double of_warps[kTileThreads / 32];
  if (a.rate_squared != nullptr) {
    const auto number = static_cast<std::int64_t>(range.first) + blockIdx.x;
    for (int k = 0; k < kVars; ++k) {
      const double sum = block_sum(rate_squared[k], of_warps);
      if (threadIdx.x == 0) a.rate_squared[number * kVars + k] = sum;
    }
  }
  if (a.last) {
    // The order of positive numbers is that of their bits, and the least of many does not depend on who comes first.
    for (int apart = 16; apart > 0; apart /= 2) {
      stable = lesser(stable, __shfl_down_sync(0xffffffffU, stable, static_cast<unsigned>(apart)));
    }
    if (threadIdx.x % 32 == 0) atomicMin(&a.status->stable_dt, static_cast<unsigned long long>(__double_as_longlong(stable)));
  }
}

template <int Dim, class Flux, class Real, class State>
struct BoundaryFluxLoop {
  FluxArgs<Real, State> a;
  Flux flux;
  Conserved* fluxes;
  WEFT_HD void operator()(std::int32_t face) const {
    const RowView<Real> rows{a.values, a.gradients};
    const Primitive inside = reconstruct<Dim>(rows, a.boundary.left[face], a.boundary.arm[face]);
    fluxes[face] = boundary_face_flux(a.boundary, a.gas, flux, inside, face);
  }
};

template <int Dim, class Real>
std::size_t flux_memory(const TileRange& range) {
  SharedMemory memory;
  (void)FluxMemory<Dim, Real>(memory, range);
  return memory.bytes();
}

template <int Dim, class Real, class State>
void launch_fluxes(Stream& stream, const TileRange& range, const FluxChoice& flux, const FluxArgs<Real, State>& args) {
  std::visit(
      [&](const auto& chosen) {
        using Flux = std::decay_t<decltype(chosen)>;
        launch_tiles(stream, range, kTileThreads, flux_memory<Dim, Real>(range), "fluxes", flux_kernel<Dim, Flux, Real, State>,
                     args, chosen);
      },
      flux);
}

template <int Dim, class Real, class State>
void launch_boundary_fluxes(Stream& stream, const FluxChoice& flux, const FluxArgs<Real, State>& args, Conserved* fluxes) {
  std::visit(
      [&](const auto& chosen) {
        using Flux = std::decay_t<decltype(chosen)>;
        parallel_for(space::cuda{}, stream, args.boundary.faces, BoundaryFluxLoop<Dim, Flux, Real, State>{args, chosen, fluxes});
      },
      flux);
}

}  // namespace weft::flow::detail
