#pragma once
/// Definitions of simd_loops.hpp, included only by the .cpp files that instantiate them.
#include <cstddef>
#include <type_traits>
#include <utility>

#include "weft/flow/host/simd_loops.hpp"
#include "weft/flow/host/simd_view.hpp"
#include "weft/flow/physics/jump_damping.hpp"

namespace weft::flow::detail {

/// Prefetch distance of rows that are read in any order, in cells or in sides of faces.
inline constexpr std::int32_t kCellsAhead = 6, kSidesAhead = 24;
/// Prefetch distance of arrays that are read in order, in numbers: the hardware prefetcher of a core restarts at every page.
inline constexpr int kNumbersAhead = 128;

/// Prefetches `count` numbers. Always inlined, because g++ removes calls of a function that only prefetches.
WEFT_FORCE_INLINE void prefetch(const double* numbers, int count) {
  constexpr int kLine = 8;
  for (int i = 0; i < count; i += kLine) __builtin_prefetch(numbers + i);
  if (count % kLine != 1) __builtin_prefetch(numbers + count - 1);
}

/// Prefetches the sequentially read data after those of cell c.
template <int Dim, int N>
WEFT_FORCE_INLINE void prefetch_next(const SimdView<N>& v, std::int32_t c) {
  constexpr int kNumbersPerCell = 6 * Dim;  // for a hexahedron; other cells have fewer
  prefetch(v.gradient_weights + static_cast<std::int64_t>(v.stencil_begin(c)) * Dim + kNumbersAhead, kNumbersPerCell);
  prefetch(v.cell_to_face + static_cast<std::int64_t>(v.face_begin(c)) * Dim + kNumbersAhead, kNumbersPerCell);
}

/// Prefetches the rows of the stencil of cell c.
template <int N>
WEFT_FORCE_INLINE void prefetch_stencil(const SimdView<N>& v, std::int32_t c) {
  const std::int32_t end = v.stencil_end(c);
  for (std::int32_t s = v.stencil_begin(c); s < end; ++s) {
    prefetch(v.values + static_cast<std::int64_t>(v.stencil_row(s)) * kVars, kVars);
  }
}

/// Prefetches the data of the state on a side of a face, and the residual to which its flux is added.
template <int Dim, int N>
WEFT_FORCE_INLINE void prefetch_row(const SimdView<N>& v, std::int64_t row) {
  prefetch(v.gradients + row * (kVars * Dim), kVars * Dim);
  prefetch(v.values + row * kVars, kVars);
  prefetch(&v.centroids[row].x, Dim);
  prefetch(v.residual + row * kVars, kVars);
}

template <int Dim, int N>
void simd_gradients(const ResidualView& rows, const LimiterChoice& limiter, const Indices& cells) {
  const SimdView<N> v(rows);
  std::visit(
      [&](const auto& chosen) {
        for (std::int32_t i = 0; i < cells.count; ++i) {
          if (i + kCellsAhead < cells.count) prefetch_stencil(v, cells[i + kCellsAhead]);
          prefetch_next<Dim>(v, cells[i]);
          gradient_of_cell<Dim>(v, cells[i], chosen);
        }
      },
      limiter);
}

/// Computes the value at r from a cell's centroid, with its limited gradient, as reconstruct() in kernels.hpp does for physical
/// states; and stores the cell's sensor after it, unless value[0] contains it, where it has no gradient.
template <int Dim, int N, int kGroups>
WEFT_FORCE_INLINE void set_state(FaceState& state, const SimdVector<N> (&value)[kGroups], const SimdVector<N> (&g)[kGroups][Dim],
                                 double sensor, const Vec3& r) {
  (value[0] + along<Dim>(g[0], r)).store(state.values);
  if constexpr (kGroups > 1) {
    state.values[N] = (value[1] + along<Dim>(g[1], r))[0];
    state.values[kVars] = sensor;
  }
}

/// Stores the states of cell c on its sides of faces. @returns whether it has faces outside the block.
template <int Dim, int N, int kGroups>
[[nodiscard]] WEFT_FORCE_INLINE bool store_states(const SimdView<N>& v, std::int32_t c, const SimdVector<N> (&g)[kGroups][Dim],
                                                  double sensor, FaceState* states) {
  SimdVector<N> value[kGroups];
  for (int j = 0; j < kGroups; ++j) value[j] = v.value(c, j);
  v.append(sensor, value[0]);
  std::int32_t signs = 0;
  const std::int32_t end = v.face_end(c);
  for (std::int32_t s = v.face_begin(c); s < end; ++s) {
    const std::int32_t slot = v.state_slots[s];
    signs |= slot;
    set_state(states[slot], value, g, sensor, v.template to_face<Dim>(c, s));
  }
  return signs < 0;
}

/// Computes the state of a row at r from its centroid, from its stored gradient.
template <int Dim, int N>
WEFT_FORCE_INLINE void state_of_row(const SimdView<N>& v, std::int32_t row, const Vec3& r, FaceState& state) {
  constexpr int kGroups = SimdView<N>::kGroups;
  SimdVector<N> value[kGroups], g[kGroups][Dim];
  for (int j = 0; j < kGroups; ++j) {
    value[j] = v.value(row, j);
    for (int d = 0; d < Dim; ++d) g[j][d] = v.template gradient<Dim>(row, j, d);
  }
  const double sensor = v.takes_sensors() ? v.sensors[row] : 0;
  v.append(sensor, value[0]);
  set_state(state, value, g, sensor, r);
}

template <int Dim, int N>
void simd_states(const ResidualView& rows, const LimiterChoice& limiter, const Indices& cells, std::span<const StoredSide> stored,
                 FaceState* states) {
  const SimdView<N> v(rows);
  std::visit(
      [&](const auto& chosen) {
        for (std::int32_t i = 0; i < cells.count; ++i) {
          if (i + kCellsAhead < cells.count) prefetch_stencil(v, cells[i + kCellsAhead]);
          const std::int32_t c = cells[i];
          prefetch_next<Dim>(v, c);
          SimdVector<N> g[SimdView<N>::kGroups][Dim];
          const double sensor = limited_gradient<Dim>(v, c, chosen, g);
          if (store_states(v, c, g, sensor, states)) {
            set_gradient(v, c, g);
            if (v.takes_sensors()) v.sensors[c] = sensor;
          }
        }
      },
      limiter);
  const StoredSide* const end = stored.data() + stored.size();
  for (const StoredSide* side = stored.data(); side != end; ++side) {
    if (side + kSidesAhead < end) prefetch_row<Dim>(v, side[kSidesAhead].row);
    state_of_row<Dim>(v, side->row, side->to_face, states[side->at]);
  }
}

template <int Dim, int N>
void simd_sides(const ResidualView& rows, const Indices& faces, FaceState* states) {
  const SimdView<N> v(rows);
  for (std::int32_t i = 0; i < faces.count; ++i) {
    if (i + kSidesAhead < faces.count) prefetch_row<Dim>(v, v.left(faces[i + kSidesAhead]));
    const std::int32_t f = faces[i];
    state_of_row<Dim>(v, v.left(f), v.left_to_face(f), states[2 * i]);
    state_of_row<Dim>(v, v.right(f), v.right_to_face(f), states[2 * i + 1]);
  }
}

/// Consecutive faces: their geometry, the rows on both sides, and the states there.
struct FaceBatch {
  const Vec3* normals;
  const double* areas;
  const std::int32_t *left, *right;
  FaceState* states;

  [[nodiscard]] WEFT_FORCE_INLINE FaceBatch from(std::int32_t i) const {
    return {normals + i, areas + i, left + i, right + i, states + 2 * i};
  }
};

/// Prefetches the data after the next 2 N faces.
template <int N>
WEFT_FORCE_INLINE void prefetch_next(const FaceBatch& p) {
  prefetch(&p.normals->x + kNumbersAhead, 6 * N);
  prefetch(p.areas + kNumbersAhead, 2 * N);
  __builtin_prefetch(p.left + kNumbersAhead);
  __builtin_prefetch(p.right + kNumbersAhead);
}

/// Returns every other state, N of them.
template <int N, std::size_t... I>
[[nodiscard]] WEFT_FORCE_INLINE BasicPrimitive<SimdVector<N>> every_other(const FaceState* states, std::index_sequence<I...>) {
  SimdVector<N> rows[N] = {SimdVector<N>::load(states[2 * I].values)...};
  transpose(rows);
  if constexpr (N < kVars) {
    return {rows[0], {rows[1], rows[2], rows[3]}, SimdVector<N>(typename SimdVector<N>::Vector{states[2 * I].values[N]...})};
  } else {
    return {rows[0], {rows[1], rows[2], rows[3]}, rows[4]};
  }
}

/// Returns the greater sensor of the cells on both sides of N faces.
template <int N, std::size_t... I>
[[nodiscard]] WEFT_FORCE_INLINE SimdVector<N> sensors_at(const FaceState* states, std::index_sequence<I...>) {
  const SimdVector<N> left(typename SimdVector<N>::Vector{states[2 * I].values[kVars]...});
  return greater(left, SimdVector<N>(typename SimdVector<N>::Vector{states[2 * I + 1].values[kVars]...}));
}

/// Replaces unphysical states by cell means, as reconstruct() in kernels.hpp does.
template <int N>
[[gnu::noinline]] static void replace_unphysical(const double* values, const std::int32_t* row, FaceState* states) {
  for (int i = 0; i < N; ++i) {
    FaceState& state = states[2 * i];
    if (state.values[0] > 0 && state.values[kVars - 1] > 0) continue;
    for (int k = 0; k < kVars; ++k) state.values[k] = values[static_cast<std::int64_t>(row[i]) * kVars + k];
  }
}

/// Returns the states on one side of N faces, of the cells `row`.
template <int N>
[[nodiscard]] WEFT_FORCE_INLINE BasicPrimitive<SimdVector<N>> states_at(const SimdView<N>& v, const std::int32_t* row,
                                                                        FaceState* states) {
  constexpr auto kIndices = std::make_index_sequence<N>{};
  const BasicPrimitive<SimdVector<N>> w = every_other<N>(states, kIndices);
  if (all(positive(w))) [[likely]]
    return w;
  replace_unphysical<N>(v.values, row, states);
  return every_other<N>(states, kIndices);
}

template <int N>
[[nodiscard]] WEFT_FORCE_INLINE BasicPrimitive<SimdPair<N>> simd_pair(const BasicPrimitive<SimdVector<N>>& a,
                                                                      const BasicPrimitive<SimdVector<N>>& b) {
  return {{a.density, b.density},
          {{a.velocity.x, b.velocity.x}, {a.velocity.y, b.velocity.y}, {a.velocity.z, b.velocity.z}},
          {a.pressure, b.pressure}};
}

/// Loads N vectors, transposed to components.
template <int N>
[[nodiscard]] WEFT_FORCE_INLINE BasicVec3<SimdVector<N>> load_vectors(const Vec3* vectors) {
  const double* const numbers = &vectors->x;
  SimdVector<N> registers[3] = {SimdVector<N>::load(numbers), SimdVector<N>::load(numbers + N),
                                SimdVector<N>::load(numbers + 2 * N)};
  deinterleave(registers);
  return {registers[0], registers[1], registers[2]};
}

template <int N, std::size_t... I>
WEFT_FORCE_INLINE void store_fluxes(const BasicConserved<SimdVector<N>>& through, FaceState* fluxes, std::index_sequence<I...>) {
  const SimdVector<N> columns[kVars] = {through.density, through.momentum.x, through.momentum.y, through.momentum.z,
                                        through.energy};
  SimdVector<N> rows[N] = {(I < kVars ? columns[I < kVars ? I : 0] : SimdVector<N>(0.0))...};
  transpose(rows);
  (rows[I].store(fluxes[I].values), ...);
  if constexpr (N < kVars) ((fluxes[I].values[N] = columns[N][I]), ...);
}

/// Computes the fluxes through 2 N faces. @param sensor  further argument of a flux that takes one.
template <int Dim, int N, class Flux, class... Sensor>
WEFT_FORCE_INLINE void flux_of_faces(const SimdView<N>& v, const Flux& flux, const FaceBatch& p, FaceState* fluxes,
                                     const Sensor&... sensor) {
  constexpr auto kIndices = std::make_index_sequence<N>{};
  auto left = simd_pair(states_at(v, p.left, p.states), states_at(v, p.left + N, p.states + 2 * N));
  auto right = simd_pair(states_at(v, p.right, p.states + 1), states_at(v, p.right + N, p.states + 2 * N + 1));
  SimdPair<N> share = 0;
  if (v.jump_damping != 0) share = damp_jump(v.jump_damping, left, right);
  const BasicVec3<SimdVector<N>> first = load_vectors<N>(p.normals), second = load_vectors<N>(p.normals + N);
  const BasicVec3<SimdPair<N>> normal{{first.x, second.x}, {first.y, second.y}, {first.z, second.z}};
  const SimdPair<N> area{SimdVector<N>::load(p.areas), SimdVector<N>::load(p.areas + N)};
  BasicConserved<SimdPair<N>> through = flux(v.gas, left, right, normal, sensor...);
  if constexpr (Dim == 3) {
    if (v.jump_damping != 0) through += exchange_flux(v.gas, share, left, right);
  }
  const BasicConserved<SimdPair<N>> f = area * through;
  store_fluxes<N>({f.density.a, {f.momentum.x.a, f.momentum.y.a, f.momentum.z.a}, f.energy.a}, fluxes, kIndices);
  store_fluxes<N>({f.density.b, {f.momentum.x.b, f.momentum.y.b, f.momentum.z.b}, f.energy.b}, fluxes + N, kIndices);
}

/// Computes the fluxes through 2 N faces of which some are in shocks. A function of its own, so that it does not take registers
/// from the others.
template <int Dim, int N, class Flux>
[[gnu::noinline]] static void flux_in_shocks(const SimdView<N>& v, const Flux& flux, const FaceBatch& p, FaceState* fluxes) {
  constexpr auto kIndices = std::make_index_sequence<N>{};
  flux_of_faces<Dim>(v, flux, p, fluxes,
                     SimdPair<N>(sensors_at<N>(p.states, kIndices), sensors_at<N>(p.states + 2 * N, kIndices)));
}

/// Returns whether one of 2 N faces is in a shock.
template <int N>
[[nodiscard]] WEFT_FORCE_INLINE bool any_in_shock(const FaceBatch& p) {
  constexpr auto kIndices = std::make_index_sequence<N>{};
  return !all(greater(sensors_at<N>(p.states, kIndices), sensors_at<N>(p.states + 2 * N, kIndices)) <= 0);
}

/// Adds sign * flux to the residual of a row.
WEFT_FORCE_INLINE void accumulate(double* residual, const FaceState& flux, double sign) {
  (SimdVector<4>::load(residual) + SimdVector<4>(sign) * SimdVector<4>::load(flux.values)).store(residual);
  residual[4] += sign * flux.values[4];
}

/// Adds fluxes to the residuals of own rows, face by face.
WEFT_FORCE_INLINE void add_up(const FaceBatch& p, std::int32_t count, const FaceState* fluxes, double* residual, OwnRows own) {
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int64_t left = p.left[i], right = p.right[i];
    if (own.have(p.left[i])) accumulate(residual + left * kVars, fluxes[i], -1);
    if (own.have(p.right[i])) accumulate(residual + right * kVars, fluxes[i], 1);
  }
}

/// Number of faces whose fluxes are computed before they are added up.
inline constexpr std::int32_t kFaceBatch = 64;

/// Copies of the data of faces that are not contiguous or do not fill whole SIMD vectors.
struct FaceCopies {
  Vec3 normals[kFaceBatch];
  double areas[kFaceBatch];
  std::int32_t left[kFaceBatch], right[kFaceBatch];

  [[nodiscard]] WEFT_FORCE_INLINE FaceBatch gather(const ResidualView& v, const Indices& faces, FaceState* states) {
    for (std::int32_t i = 0; i < kFaceBatch; ++i) {
      const std::int32_t f = faces[i < faces.count ? i : 0];
      normals[i] = v.face_normals[f];
      areas[i] = v.face_areas[f];
      left[i] = v.left_row[f];
      right[i] = v.right_row[f];
    }
    return {normals, areas, left, right, states};
  }
};

template <int Dim, int N>
void simd_fluxes(const ResidualView& rows, const FluxChoice& flux, const OwnRows& own, const Indices& faces, FaceState* states) {
  const SimdView<N> v(rows);
  FaceState fluxes[kFaceBatch];
  FaceCopies copies;
  std::visit(
      [&](const auto& chosen) {
        for (std::int32_t i = 0; i < faces.count; i += kFaceBatch, states += 2 * kFaceBatch) {
          const Indices some = faces.part(i, faces.count - i < kFaceBatch ? faces.count : i + kFaceBatch);
          const std::int32_t f = some[0];
          const bool contiguous = some.count % (2 * N) == 0 && some[some.count - 1] - f == some.count - 1;
          const FaceBatch p = contiguous
                                  ? FaceBatch{v.face_normals + f, v.face_areas + f, v.left_row + f, v.right_row + f, states}
                                  : copies.gather(v, some, states);
          for (std::int32_t j = 0; j < some.count; j += 2 * N) {
            prefetch_next<N>(p.from(j));
            if constexpr (kTakesSensor<std::decay_t<decltype(chosen)>>) {
              if (any_in_shock<N>(p.from(j))) [[unlikely]] {
                flux_in_shocks<Dim>(v, chosen, p.from(j), fluxes + j);
                continue;
              }
            }
            flux_of_faces<Dim>(v, chosen, p.from(j), fluxes + j);
          }
          add_up(p, some.count, fluxes, v.residual, own);
          if (v.mass_fluxes == nullptr) [[likely]]
            continue;
          for (std::int32_t j = 0; j < some.count; ++j) {
            if (own.have(p.left[j])) v.mass_fluxes[some[j]] = fluxes[j].values[0];
          }
        }
      },
      flux);
}

}  // namespace weft::flow::detail
