#pragma once
/// Definitions of pack_loops.hpp, included by the .cpp files that instantiate them and by nothing else.
#include <cstddef>
#include <type_traits>
#include <utility>

#include "weft/flow/host/pack_loops.hpp"
#include "weft/flow/host/pack_view.hpp"
#include "weft/flow/physics/jump_damping.hpp"

namespace weft::flow::detail {

/// How many cells, or sides of faces, before their turn the rows that they read, which may be anywhere, are asked for.
inline constexpr std::int32_t kCellsAhead = 6, kSidesAhead = 24;
/// How many numbers before its turn what is read in order is asked for: a core by itself begins anew at every page.
inline constexpr int kNumbersAhead = 128;

/// Asks for `count` numbers. Inlined always, for g++ leaves out calls that do nothing else.
WEFT_FORCE_INLINE void ask_for(const double* numbers, int count) {
  constexpr int kLine = 8;
  for (int i = 0; i < count; i += kLine) __builtin_prefetch(numbers + i);
  if (count % kLine != 1) __builtin_prefetch(numbers + count - 1);
}

/// Asks for what comes in order after what cell c reads.
template <int Dim, int N>
WEFT_FORCE_INLINE void ask_for_next(const PackView<N>& v, std::int32_t c) {
  constexpr int kOfACell = 6 * Dim;  // of a hexahedron; others have less
  ask_for(v.pulls + static_cast<std::int64_t>(v.stencil_begin(c)) * Dim + kNumbersAhead, kOfACell);
  ask_for(v.face_arms + static_cast<std::int64_t>(v.face_begin(c)) * Dim + kNumbersAhead, kOfACell);
}

/// Asks for the rows around cell c.
template <int N>
WEFT_FORCE_INLINE void ask_for_stencil(const PackView<N>& v, std::int32_t c) {
  const std::int32_t end = v.stencil_end(c);
  for (std::int32_t s = v.stencil_begin(c); s < end; ++s) {
    ask_for(v.values + static_cast<std::int64_t>(v.stencil_row(s)) * kVars, kVars);
  }
}

/// Asks for what the state on a side of a face is made of, and for where its flux is added.
template <int Dim, int N>
WEFT_FORCE_INLINE void ask_for_row(const PackView<N>& v, std::int64_t row) {
  ask_for(v.gradients + row * (kVars * Dim), kVars * Dim);
  ask_for(v.values + row * kVars, kVars);
  ask_for(&v.centroids[row].x, Dim);
  ask_for(v.residual + row * kVars, kVars);
}

template <int Dim, int N>
void pack_gradients(const ResidualView& rows, const LimiterChoice& limiter, const Numbers& cells) {
  const PackView<N> v(rows);
  std::visit(
      [&](const auto& chosen) {
        for (std::int32_t i = 0; i < cells.count; ++i) {
          if (i + kCellsAhead < cells.count) ask_for_stencil(v, cells[i + kCellsAhead]);
          ask_for_next<Dim>(v, cells[i]);
          gradient_of_cell<Dim>(v, cells[i], chosen);
        }
      },
      limiter);
}

/// The value at r from a cell's centroid, with its limited gradient: what reconstruct() in kernels.hpp makes of it if it is
/// physical; and behind it the cell's sensor, where value[0] does not hold it, which has no gradient there.
template <int Dim, int N, int kGroups>
WEFT_FORCE_INLINE void set_state(FaceState& state, const Pack<N> (&value)[kGroups], const Pack<N> (&g)[kGroups][Dim],
                                 double sensor, const Vec3& r) {
  (value[0] + along<Dim>(g[0], r)).store(state.values);
  if constexpr (kGroups > 1) {
    state.values[N] = (value[1] + along<Dim>(g[1], r))[0];
    state.values[kVars] = sensor;
  }
}

/// States of cell c on its sides of faces. @returns whether it has other faces than those of the block.
template <int Dim, int N, int kGroups>
[[nodiscard]] WEFT_FORCE_INLINE bool leave_states(const PackView<N>& v, std::int32_t c, const Pack<N> (&g)[kGroups][Dim],
                                                  double sensor, FaceState* states) {
  Pack<N> value[kGroups];
  for (int j = 0; j < kGroups; ++j) value[j] = v.value(c, j);
  v.append(sensor, value[0]);
  std::int32_t signs = 0;
  const std::int32_t end = v.face_end(c);
  for (std::int32_t s = v.face_begin(c); s < end; ++s) {
    const std::int32_t place = v.state_places[s];
    signs |= place;
    set_state(states[place], value, g, sensor, v.template to_face<Dim>(c, s));
  }
  return signs < 0;
}

/// The state of a row at r from its centroid, from its stored gradient.
template <int Dim, int N>
WEFT_FORCE_INLINE void state_of_row(const PackView<N>& v, std::int32_t row, const Vec3& r, FaceState& state) {
  constexpr int kGroups = PackView<N>::kGroups;
  Pack<N> value[kGroups], g[kGroups][Dim];
  for (int j = 0; j < kGroups; ++j) {
    value[j] = v.value(row, j);
    for (int d = 0; d < Dim; ++d) g[j][d] = v.template gradient<Dim>(row, j, d);
  }
  const double sensor = v.takes_sensors() ? v.sensors[row] : 0;
  v.append(sensor, value[0]);
  set_state(state, value, g, sensor, r);
}

template <int Dim, int N>
void pack_states(const ResidualView& rows, const LimiterChoice& limiter, const Numbers& cells, std::span<const FarSide> far,
                 FaceState* states) {
  const PackView<N> v(rows);
  std::visit(
      [&](const auto& chosen) {
        for (std::int32_t i = 0; i < cells.count; ++i) {
          if (i + kCellsAhead < cells.count) ask_for_stencil(v, cells[i + kCellsAhead]);
          const std::int32_t c = cells[i];
          ask_for_next<Dim>(v, c);
          Pack<N> g[PackView<N>::kGroups][Dim];
          const double sensor = limited_gradient<Dim>(v, c, chosen, g);
          if (leave_states(v, c, g, sensor, states)) {
            set_gradient(v, c, g);
            if (v.takes_sensors()) v.sensors[c] = sensor;
          }
        }
      },
      limiter);
  const FarSide* const end = far.data() + far.size();
  for (const FarSide* side = far.data(); side != end; ++side) {
    if (side + kSidesAhead < end) ask_for_row<Dim>(v, side[kSidesAhead].row);
    state_of_row<Dim>(v, side->row, side->arm, states[side->at]);
  }
}

template <int Dim, int N>
void pack_sides(const ResidualView& rows, const Numbers& faces, FaceState* states) {
  const PackView<N> v(rows);
  for (std::int32_t i = 0; i < faces.count; ++i) {
    if (i + kSidesAhead < faces.count) ask_for_row<Dim>(v, v.left(faces[i + kSidesAhead]));
    const std::int32_t f = faces[i];
    state_of_row<Dim>(v, v.left(f), v.left_arm(f), states[2 * i]);
    state_of_row<Dim>(v, v.right(f), v.right_arm(f), states[2 * i + 1]);
  }
}

/// Faces one after the other: their geometry, the rows on both sides, and the states there.
struct FacePack {
  const Vec3* normals;
  const double* areas;
  const std::int32_t *left, *right;
  FaceState* states;

  [[nodiscard]] WEFT_FORCE_INLINE FacePack from(std::int32_t i) const {
    return {normals + i, areas + i, left + i, right + i, states + 2 * i};
  }
};

/// Asks for what comes after the next 2 N faces.
template <int N>
WEFT_FORCE_INLINE void ask_for_next(const FacePack& p) {
  ask_for(&p.normals->x + kNumbersAhead, 6 * N);
  ask_for(p.areas + kNumbersAhead, 2 * N);
  __builtin_prefetch(p.left + kNumbersAhead);
  __builtin_prefetch(p.right + kNumbersAhead);
}

/// N states, every second one.
template <int N, std::size_t... I>
[[nodiscard]] WEFT_FORCE_INLINE BasicPrimitive<Pack<N>> every_second(const FaceState* states, std::index_sequence<I...>) {
  Pack<N> rows[N] = {Pack<N>::load(states[2 * I].values)...};
  transpose(rows);
  if constexpr (N < kVars) {
    return {rows[0], {rows[1], rows[2], rows[3]}, Pack<N>(typename Pack<N>::Vector{states[2 * I].values[N]...})};
  } else {
    return {rows[0], {rows[1], rows[2], rows[3]}, rows[4]};
  }
}

/// The greater of the sensors of the cells on both sides of N faces.
template <int N, std::size_t... I>
[[nodiscard]] WEFT_FORCE_INLINE Pack<N> sensors_at(const FaceState* states, std::index_sequence<I...>) {
  const Pack<N> left(typename Pack<N>::Vector{states[2 * I].values[kVars]...});
  return greater(left, Pack<N>(typename Pack<N>::Vector{states[2 * I + 1].values[kVars]...}));
}

/// Puts means in the place of states outside the range of the gas, as reconstruct() in kernels.hpp does.
template <int N>
[[gnu::noinline]] static void put_means(const double* values, const std::int32_t* row, FaceState* states) {
  for (int i = 0; i < N; ++i) {
    FaceState& state = states[2 * i];
    if (state.values[0] > 0 && state.values[kVars - 1] > 0) continue;
    for (int k = 0; k < kVars; ++k) state.values[k] = values[static_cast<std::int64_t>(row[i]) * kVars + k];
  }
}

/// The states on one side of N faces, of the cells `row`.
template <int N>
[[nodiscard]] WEFT_FORCE_INLINE BasicPrimitive<Pack<N>> states_at(const PackView<N>& v, const std::int32_t* row,
                                                                  FaceState* states) {
  constexpr auto kLanes = std::make_index_sequence<N>{};
  const BasicPrimitive<Pack<N>> w = every_second<N>(states, kLanes);
  if (all(positive(w))) [[likely]]
    return w;
  put_means<N>(v.values, row, states);
  return every_second<N>(states, kLanes);
}

template <int N>
[[nodiscard]] WEFT_FORCE_INLINE BasicPrimitive<Twin<N>> twin(const BasicPrimitive<Pack<N>>& a, const BasicPrimitive<Pack<N>>& b) {
  return {{a.density, b.density},
          {{a.velocity.x, b.velocity.x}, {a.velocity.y, b.velocity.y}, {a.velocity.z, b.velocity.z}},
          {a.pressure, b.pressure}};
}

/// N vectors, by their components.
template <int N>
[[nodiscard]] WEFT_FORCE_INLINE BasicVec3<Pack<N>> load_vectors(const Vec3* vectors) {
  const double* const numbers = &vectors->x;
  Pack<N> packs[3] = {Pack<N>::load(numbers), Pack<N>::load(numbers + N), Pack<N>::load(numbers + 2 * N)};
  deinterleave(packs);
  return {packs[0], packs[1], packs[2]};
}

template <int N, std::size_t... I>
WEFT_FORCE_INLINE void store_fluxes(const BasicConserved<Pack<N>>& through, FaceState* fluxes, std::index_sequence<I...>) {
  const Pack<N> columns[kVars] = {through.density, through.momentum.x, through.momentum.y, through.momentum.z, through.energy};
  Pack<N> rows[N] = {(I < kVars ? columns[I < kVars ? I : 0] : Pack<N>(0.0))...};
  transpose(rows);
  (rows[I].store(fluxes[I].values), ...);
  if constexpr (N < kVars) ((fluxes[I].values[N] = columns[N][I]), ...);
}

/// The fluxes through 2 N faces. @param sensor  the further argument of a flux that takes one.
template <int N, class Flux, class... Sensor>
WEFT_FORCE_INLINE void flux_of_faces(const PackView<N>& v, const Flux& flux, const FacePack& p, FaceState* fluxes,
                                     const Sensor&... sensor) {
  constexpr auto kLanes = std::make_index_sequence<N>{};
  auto left = twin(states_at(v, p.left, p.states), states_at(v, p.left + N, p.states + 2 * N));
  auto right = twin(states_at(v, p.right, p.states + 1), states_at(v, p.right + N, p.states + 2 * N + 1));
  if (v.jump_damping != 0) damp_jump(v.jump_damping, left, right);
  const BasicVec3<Pack<N>> first = load_vectors<N>(p.normals), second = load_vectors<N>(p.normals + N);
  const BasicVec3<Twin<N>> normal{{first.x, second.x}, {first.y, second.y}, {first.z, second.z}};
  const Twin<N> area{Pack<N>::load(p.areas), Pack<N>::load(p.areas + N)};
  const BasicConserved<Twin<N>> f = area * flux(v.gas, left, right, normal, sensor...);
  store_fluxes<N>({f.density.a, {f.momentum.x.a, f.momentum.y.a, f.momentum.z.a}, f.energy.a}, fluxes, kLanes);
  store_fluxes<N>({f.density.b, {f.momentum.x.b, f.momentum.y.b, f.momentum.z.b}, f.energy.b}, fluxes + N, kLanes);
}

/// Those of 2 N faces of which some are in shocks: apart, for it would cost all others registers.
template <int N, class Flux>
[[gnu::noinline]] static void flux_in_shocks(const PackView<N>& v, const Flux& flux, const FacePack& p, FaceState* fluxes) {
  constexpr auto kLanes = std::make_index_sequence<N>{};
  flux_of_faces(v, flux, p, fluxes, Twin<N>(sensors_at<N>(p.states, kLanes), sensors_at<N>(p.states + 2 * N, kLanes)));
}

/// Whether one of 2 N faces is in a shock.
template <int N>
[[nodiscard]] WEFT_FORCE_INLINE bool any_in_shock(const FacePack& p) {
  constexpr auto kLanes = std::make_index_sequence<N>{};
  return !all(greater(sensors_at<N>(p.states, kLanes), sensors_at<N>(p.states + 2 * N, kLanes)) <= 0);
}

/// Adds sign * the flux to the residual of a row.
WEFT_FORCE_INLINE void accumulate(double* residual, const FaceState& flux, double sign) {
  (Pack<4>::load(residual) + Pack<4>(sign) * Pack<4>::load(flux.values)).store(residual);
  residual[4] += sign * flux.values[4];
}

/// Adds fluxes to the residuals of own rows, face by face.
WEFT_FORCE_INLINE void add_up(const FacePack& p, std::int32_t count, const FaceState* fluxes, double* residual, OwnRows own) {
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int64_t left = p.left[i], right = p.right[i];
    if (own.have(p.left[i])) accumulate(residual + left * kVars, fluxes[i], -1);
    if (own.have(p.right[i])) accumulate(residual + right * kVars, fluxes[i], 1);
  }
}

/// How many faces' fluxes are made before they are added up.
inline constexpr std::int32_t kTogether = 64;

/// Copies of what belongs to faces that are no whole packs of faces in a row.
struct FaceCopies {
  Vec3 normals[kTogether];
  double areas[kTogether];
  std::int32_t left[kTogether], right[kTogether];

  [[nodiscard]] WEFT_FORCE_INLINE FacePack gather(const ResidualView& v, const Numbers& faces, FaceState* states) {
    for (std::int32_t i = 0; i < kTogether; ++i) {
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
void pack_fluxes(const ResidualView& rows, const FluxChoice& flux, const OwnRows& own, const Numbers& faces, FaceState* states) {
  const PackView<N> v(rows);
  FaceState fluxes[kTogether];
  FaceCopies copies;
  std::visit(
      [&](const auto& chosen) {
        for (std::int32_t i = 0; i < faces.count; i += kTogether, states += 2 * kTogether) {
          const Numbers some = faces.part(i, faces.count - i < kTogether ? faces.count : i + kTogether);
          const std::int32_t f = some[0];
          const bool in_a_row = some.count % (2 * N) == 0 && some[some.count - 1] - f == some.count - 1;
          const FacePack p = in_a_row ? FacePack{v.face_normals + f, v.face_areas + f, v.left_row + f, v.right_row + f, states}
                                      : copies.gather(v, some, states);
          for (std::int32_t j = 0; j < some.count; j += 2 * N) {
            ask_for_next<N>(p.from(j));
            if constexpr (kTakesSensor<std::decay_t<decltype(chosen)>>) {
              if (any_in_shock<N>(p.from(j))) [[unlikely]] {
                flux_in_shocks(v, chosen, p.from(j), fluxes + j);
                continue;
              }
            }
            flux_of_faces(v, chosen, p.from(j), fluxes + j);
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
