#pragma once
/// Fluxes through the faces of each tile, one thread per face, and the update of its cells, one thread per cell.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>

#include "weft/device/parallel_for.cuh"
#include "weft/flow/cuda/tile_view.cuh"
#include "weft/flow/physics/jump_damping.hpp"
#include "weft/flow/physics/runge_kutta.hpp"

namespace weft::flow::detail {

/// Writes the sums of each thread's numbers over the block, in a fixed order. Called once in a kernel.
__device__ inline void put_block_sums(const double (&mine)[kVars], double* sums) {
  __shared__ double of_warps[kTileThreads / 32][kVars];
  for (int k = 0; k < kVars; ++k) {
    double sum = mine[k];
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_down_sync(0xffffffffU, sum, static_cast<unsigned>(apart));
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32][k] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= kVars) return;
  double sum = 0;
  for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += of_warps[w][threadIdx.x];
  sums[threadIdx.x] = sum;
}

/// Computes the flux through a boundary face in the calling function.
template <class Flux>
WEFT_HD WEFT_FORCE_INLINE Conserved inlined_boundary_face_flux(const BoundaryArgs& b, const IdealGas& gas, const Flux& flux,
                                                               const Primitive& inside, std::int32_t face) {
  const ZoneArgs& zone = b.zones[b.zone[face]];
  const Vec3 n = b.normal[face];
  const Primitive& outside = b.outside[face];
  return zone.prescribed ? flux(gas, inside, outside, n) : boundary_flux(gas, zone.params, outside, inside, n);
}

/// Computes the flux through a boundary face. Not inlined: boundary conditions evaluate powers, which would cost every thread
/// registers.
template <class Flux>
WEFT_HD __noinline__ Conserved boundary_face_flux(const BoundaryArgs& b, const IdealGas& gas, const Flux& flux,
                                                  const Primitive& inside, std::int32_t face) {
  return inlined_boundary_face_flux(b, gas, flux, inside, face);
}

/// Arrays of flux_kernel in shared memory. new_conserved occupies the memory of conserved.
template <class Real, class State>
struct FluxMemory {
  Real *fluxes, *new_values;
  State *start, *conserved;
  double* inverse_volume;
  std::uint16_t* topology;

  __host__ __device__ FluxMemory(SharedArrays& memory, const TileRange& range)
      : fluxes(memory.take<Real>(kVars * kFaceBlock * face_blocks(range.faces))),
        new_values(memory.take<Real>(kVars * range.cells)),
        start(memory.take<State>(kVars * range.cells)),
        conserved(memory.take<State>(kVars * range.cells)),
        inverse_volume(memory.take<double>(range.cells)),
        topology(memory.take<std::uint16_t>(round_up_to_eight(range.cells + 1 + range.entries))) {}
};

template <class Real>
struct FaceArea {
  BasicVec3<Real> normal;  ///< zero where the area is
  Real area;

  __device__ explicit FaceArea(BasicVec3<Real> vector) {
    Real scale = 1;
    if constexpr (std::is_same_v<Real,
                                 float>) {  // scaled by a power of two, because squares of areas may exceed the range
      const float most =
          fmaxf(fmaxf(fabsf(vector.x), fabsf(vector.y)), fmaxf(fabsf(vector.z), std::numeric_limits<float>::min()));
      const int exponent = __float_as_int(most) & 0x7f800000;
      scale = __int_as_float(exponent);
      vector = __int_as_float(0x7f000000 - exponent) * vector;
    }
    const Real squared = dot(vector, vector), inverse = inverse_root(greater(squared, std::numeric_limits<Real>::min()));
    normal = inverse * vector;
    area = scale * (squared * inverse);
  }
};

/// Loads the normals and areas of a tile's faces.
template <int Dim, class Real>
struct FaceAreas {
  const Real* vectors;
  __device__ FaceArea<Real> operator()(int f) const {
    return FaceArea<Real>(column_vector<Dim>(vectors + in_face_blocks(static_cast<unsigned>(f), area_columns(Dim))));
  }
};

/// A state on a side of a face. @tparam kSigned  the sign of its density may indicate a sensor, see kStateColumns.
template <bool kSigned, class Real>
struct SideState {
  BasicPrimitive<Real> w;
  bool has_sensor = false;  ///< the sensor is above 0

  __device__ SideState(const Real* states, std::int32_t slot, bool right) {
    const Real* const first = states + state_slot(slot, right);
    for (int k = 0; k < kVars; ++k) w[k] = first[k * kFaceBlock];
    if constexpr (kSigned) {
      has_sensor = w.density < 0;
      w.density = absolute(w.density);
    }
  }
};

/// The slots of the states on both sides of a tile's face between two cells.
struct FaceSlots {
  std::int32_t left, right;
};

/// Computes the fluxes through the faces of a tile, one thread per face, and stores area times flux, out of the left cell, in
/// shared memory. Its functions are parts of flux_kernel.
template <int Dim, class Flux, class Real, class State>
class TileFluxes {
 public:
  __device__ __forceinline__ TileFluxes(const FluxArgs<Real, State>& a, const Flux& flux, const Tile& tile, Real* fluxes)
      : a_(a),
        flux_(flux),
        tile_(tile),
        fluxes_(fluxes),
        gas_(as<Real>(a.gas)),
        areas_{a.tiles.areas + std::int64_t{tile.first_face} * area_columns(Dim)} {}

  __device__ __forceinline__ void put_all() const {
    if (a_.jump_damping != 0) {
      put_all_between(std::true_type{});
    } else {
      put_all_between(std::false_type{});
    }
    put_all_at_boundary();
  }

 private:
  static constexpr bool kSensor = kTakesSensor<Flux>;

  __device__ __forceinline__ void put(int f, Real area, const BasicConserved<Real>& through) const {
    Real* const to = fluxes_ + in_face_blocks(static_cast<unsigned>(f), kVars);
    for (int k = 0; k < kVars; ++k) to[k * kFaceBlock] = area * through[k];
  }
  __device__ __forceinline__ std::int32_t opposite_slot(int f) const {
    return f >= tile_.inner_faces && f < tile_.cell_faces ? a_.tiles.opposite_slot[tile_.first_face + f] : tile_.first_face + f;
  }
  __device__ __forceinline__ FaceSlots slots(int f, std::int32_t opposite) const {
    const std::int32_t own = tile_.first_face + f;
    return f >= tile_.left_faces ? FaceSlots{opposite, own} : FaceSlots{own, opposite};
  }

  /// Returns the flux, in space with that of the exchange between damped states.
  template <class Damped>
  __device__ __forceinline__ BasicConserved<Real> with_exchange(Damped, const Real& share, const BasicPrimitive<Real>& left,
                                                                const BasicPrimitive<Real>& right,
                                                                const BasicConserved<Real>& flux) const {
    if constexpr (Dim == 3 && Damped::value) return flux + exchange_flux(gas_, share, left, right);
    return flux;
  }

  /// Stores the flux through a face between two cells, without its sensor. @returns whether the sensor is above 0.
  template <class Damped>
  __device__ __forceinline__ bool put_between(Damped, int f, FaceSlots at) const {
    const FaceArea<Real> face = areas_(f);
    SideState<kSensor, Real> left(a_.states, at.left, false), right(a_.states, at.right, true);
    const Real share = Damped::value ? damp_jump(static_cast<Real>(a_.jump_damping), left.w, right.w) : Real(0);
    put(f, face.area, with_exchange(Damped{}, share, left.w, right.w, flux_(gas_, left.w, right.w, face.normal)));
    return left.has_sensor || right.has_sensor;
  }

  /// Recomputes the flux through a face if a cell on its sides has a sensor above 0.
  template <class Damped>
  __device__ __forceinline__ void put_in_shock(Damped, int f, FaceSlots at) const {
    SideState<true, Real> left(a_.states, at.left, false), right(a_.states, at.right, true);
    if (!left.has_sensor && !right.has_sensor) return;
    const Real sensor = greater(left.has_sensor ? a_.side_sensors[sensor_slot(at.left, false)] : Real(0),
                                right.has_sensor ? a_.side_sensors[sensor_slot(at.right, true)] : Real(0));
    const Real share = Damped::value ? damp_jump(static_cast<Real>(a_.jump_damping), left.w, right.w) : Real(0);
    const FaceArea<Real> face = areas_(f);
    put(f, face.area,
        with_exchange(Damped{}, share, left.w, right.w, HllcHlleFlux{}(gas_, left.w, right.w, face.normal, sensor)));
  }

  template <class Damped>
  __device__ __forceinline__ void put_all_between(Damped damped) const {
    const int threads = static_cast<int>(blockDim.x);
    bool shocks = false;
    // The opposite slot of the next face is loaded while a face is computed.
    std::int32_t next = opposite_slot(static_cast<int>(threadIdx.x));
    for (int f = static_cast<int>(threadIdx.x); f < tile_.cell_faces; f += threads) {
      const std::int32_t opposite = next;
      next = opposite_slot(f + threads);
      shocks |= put_between(damped, f, slots(f, opposite));
    }
    if constexpr (kSensor) {
      // Faces in shocks are recomputed in a separate loop: they are few, and would cost all others registers.
      for (int f = static_cast<int>(threadIdx.x); shocks && f < tile_.cell_faces; f += threads) {
        put_in_shock(damped, f, slots(f, opposite_slot(f)));
      }
    }
  }

  __device__ __forceinline__ void put_all_at_boundary() const {
    for (int f = tile_.cell_faces + static_cast<int>(threadIdx.x); f < tile_.faces; f += static_cast<int>(blockDim.x)) {
      const std::int32_t slot = tile_.first_face + f;
      const Primitive inside = as<double>(SideState<kSensor, Real>(a_.states, slot, false).w);
      put(f, areas_(f).area, as<Real>(boundary_face_flux(a_.boundary, a_.gas, flux_, inside, a_.tiles.opposite_slot[slot])));
    }
  }

  const FluxArgs<Real, State>& a_;
  const Flux& flux_;
  const Tile& tile_;
  Real* fluxes_;
  BasicIdealGas<Real> gas_;
  FaceAreas<Dim, Real> areas_;
};

/// Sums and minimum over a thread's cells.
struct CellStatus {
  double rate_squared[kVars] = {};
  double stable = INFINITY;
};

/// Adds the fluxes of a tile's cell c in the order of its faces to `rate`.
template <class Real, class State>
__device__ __forceinline__ void add_fluxes(const Tile& tile, const FluxMemory<Real, State>& m, int c, State (&rate)[kVars]) {
  for (int s = m.topology[c]; s < m.topology[c + 1]; ++s) {
    const unsigned side = m.topology[tile.cell_sides() + s];
    const Real* const through = m.fluxes + in_face_blocks(side & (kRightSide - 1U), kVars);
    const State sign = (side & kRightSide) == 0 ? -1 : 1;
    for (int k = 0; k < kVars; ++k) rate[k] += sign * through[k * kFaceBlock];
  }
}

/// Computes the stage for the cells of a tile, one thread per cell, in shared memory: new conserved and primitive values.
template <class Real, class State>
__device__ __forceinline__ void update_cells(const FluxArgs<Real, State>& a, const Tile& tile, const FluxMemory<Real, State>& m,
                                             const StepClock& step, CellStatus& status) {
  const BasicIdealGas<State> gas = as<State>(a.gas);
  const BasicStateLimits<State> limits = as<State>(a.limits);
  const auto start_weight = static_cast<State>(a.start_weight);
  for (int c = static_cast<int>(threadIdx.x); c < tile.cells; c += static_cast<int>(blockDim.x)) {
    const std::int32_t cell = tile.first_cell + c;
    State rate[kVars] = {};
    if (a.source != nullptr) {
      for (int k = 0; k < kVars; ++k) rate[k] = static_cast<State>(a.source[static_cast<std::int64_t>(cell) * kVars + k]);
    }
    add_fluxes(tile, m, c, rate);
    const auto inverse_volume = static_cast<State>(m.inverse_volume[c]);
    const auto dt = static_cast<State>(step.local_cfl > 0 ? lesser(step.dt, step.local_cfl * a.local_dt[cell]) : step.dt);
    BasicConserved<State> u;
    for (int k = 0; k < kVars; ++k) {
      const int i = c * kVars + k;
      const State slope = rate[k] * inverse_volume;
      status.rate_squared[k] += slope * rate[k];
      const State value = m.conserved[i] + dt * slope;
      u[k] = start_weight == 0 ? value : runge_kutta_value(start_weight, m.start[i], value);
    }
    const BasicPrimitive<State> w = gas.primitive(u);
    if (!limits.hold(w)) {
      a.status->bad = 1;
      if (a.bad[cell] == 0) a.bad[cell] = gas.physical(w) ? -(1 + a.stage) : 1 + a.stage;
    } else if (a.last) {
      const double own = stable_dt_of_cell(gas, w, as<State>(a.tiles.projected_area[cell]), inverse_volume);
      if (a.local_dt != nullptr) a.local_dt[cell] = own;
      status.stable = lesser(status.stable, own);
    }
    for (int k = 0; k < kVars; ++k) {
      m.conserved[c * kVars + k] = u[k];
      m.new_values[c * kVars + k] = static_cast<Real>(w[k]);
    }
  }
}

/// Stores the mass fluxes out of the cells of a tile through their faces.
template <class Real, class State>
__device__ __forceinline__ void put_outflows(const FluxArgs<Real, State>& a, const Tile& tile, const FluxMemory<Real, State>& m) {
  double* const outflows = a.outflows + a.cell_face_offset[tile.first_cell];
  for (int s = static_cast<int>(threadIdx.x); s < tile.entries; s += static_cast<int>(blockDim.x)) {
    const unsigned side = m.topology[tile.cell_sides() + s];
    const auto through = static_cast<double>(m.fluxes[in_face_blocks(side & (kRightSide - 1U), kVars)]);
    outflows[s] = (side & kRightSide) == 0 ? through : -through;
  }
}

/// Reduces the smallest stable step. The bits of positive numbers are ordered as the numbers are, and a minimum does not depend
/// on the order of the blocks.
__device__ __forceinline__ void reduce_stable_dt(double stable, StepStatus* status) {
  for (int distance = 16; distance > 0; distance /= 2) {
    stable = lesser(stable, __shfl_down_sync(0xffffffffU, stable, static_cast<unsigned>(distance)));
  }
  if (threadIdx.x % 32 == 0) atomicMin(&status->stable_dt, static_cast<unsigned long long>(__double_as_longlong(stable)));
}

/// Condition on which flux_kernel loads the tile and the clock again for the update, after the fluxes: Roe's flux in space leaves
/// no registers for them.
template <int Dim, class Flux>
inline constexpr bool kReloadsTile = Dim == 3 && std::is_same_v<Flux, RoeFlux>;

template <int Dim, class Flux, class Real, class State>
__global__ void __launch_bounds__(kTileThreads, 5)
    flux_kernel(const __grid_constant__ TileRange range, const __grid_constant__ FluxArgs<Real, State> a, const Flux flux) {
  extern __shared__ unsigned char memory[];
  const TileArrays<Real>& t = a.tiles;
  Tile tile = t.tile[range.first + static_cast<std::int32_t>(blockIdx.x)];
  SharedArrays shared(memory);
  const FluxMemory<Real, State> m(shared, range);
  auto first = static_cast<std::int64_t>(tile.first_cell);
  // The input of the update is copied while fluxes are computed.
  trigger_dependent_launch();
  BlockLoader fetch;
  fetch.begin();
  fetch.run(t.topology + tile.first_topology(), m.topology, tile.opposite_rows());
  fetch.run(t.inverse_volume + first, m.inverse_volume, tile.cells);
  grid_dependency_sync();
  StepClock step = *a.clock;
  if (a.start_weight != 0) fetch.run(a.start + first * kVars, m.start, tile.cells * kVars);
  fetch.run(a.conserved + first * kVars, m.conserved, tile.cells * kVars);
  if (!step.halted) TileFluxes<Dim, Flux, Real, State>(a, flux, tile, m.fluxes).put_all();
  fetch.end();
  if (step.halted) return;
  if constexpr (kReloadsTile<Dim, Flux>) {
    tile = t.tile[range.first + static_cast<std::int32_t>(blockIdx.x)];
    step = *a.clock;
    first = tile.first_cell;
  }

  CellStatus status;
  update_cells(a, tile, m, step, status);
  __syncthreads();
  store_block(m.conserved, a.new_conserved + first * kVars, tile.cells * kVars);
  store_block(m.new_values, a.new_values + first * kVars, tile.cells * kVars);
  if (a.outflows != nullptr) put_outflows(a, tile, m);
  if (a.rate_squared != nullptr) {
    put_block_sums(status.rate_squared, a.rate_squared + (std::int64_t{range.first} + blockIdx.x) * kVars);
  }
  if (a.last) reduce_stable_dt(status.stable, a.status);
}

template <int Dim, class Flux, class Real, class State>
struct BoundaryFluxLoop {
  FluxArgs<Real, State> a;
  Flux flux;
  Conserved* fluxes;
  WEFT_HD void operator()(std::int32_t face) const {
    const RowView<Real, double> rows{a.values, a.gradients};
    const Primitive inside = reconstruct<Dim>(rows, a.boundary.left[face], a.boundary.to_face[face]);
    if constexpr (std::is_same_v<Flux, RusanovFlux>) {  // ptxas spills registers around a call
      fluxes[face] = inlined_boundary_face_flux(a.boundary, a.gas, flux, inside, face);
    } else {
      fluxes[face] = boundary_face_flux(a.boundary, a.gas, flux, inside, face);
    }
  }
};

template <int Dim, class Real>
std::size_t flux_memory(const TileRange& range) {
  SharedArrays memory;
  (void)FluxMemory<Real, double>(memory, range);
  return memory.bytes();
}

template <int Dim, class Real, class State>
void launch_fluxes(Stream& stream, const TileRange& range, const FluxChoice& flux, const FluxArgs<Real, State>& args) {
  if (range.last <= range.first) return;
  std::visit(
      [&](const auto& chosen) {
        using Flux = std::decay_t<decltype(chosen)>;
        SharedArrays memory;
        (void)FluxMemory<Real, State>(memory, range);
        const auto kernel = flux_kernel<Dim, Flux, Real, State>;
        set_max_dynamic_shared_memory(kernel, memory.bytes(), "fluxes");
        launch(stream, "fluxes", {.blocks = range.last - range.first, .threads = kTileThreads, .shared_memory = memory.bytes()},
               kernel, range, args, chosen);
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
