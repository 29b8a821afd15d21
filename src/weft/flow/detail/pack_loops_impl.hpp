#pragma once
/// Definitions of detail/pack_loops.hpp, included by the .cpp files that instantiate them and by nothing else.
#include <cstddef>
#include <utility>

#include "weft/flow/detail/pack_loops.hpp"
#include "weft/flow/detail/pack_view.hpp"

namespace weft::flow::detail {

/// How many cells, or faces, before their turn what they read is asked for.
inline constexpr std::int32_t kCellsAhead = 6, kFacesAhead = 24;

/// Asks for `count` numbers. Inlined always, for g++ leaves out calls that do nothing else.
WEFT_FORCE_INLINE void ask_for(const double* numbers, int count) {
  constexpr int kLine = 8;
  for (int i = 0; i < count; i += kLine) __builtin_prefetch(numbers + i);
  if (count % kLine != 1) __builtin_prefetch(numbers + count - 1);
}

/// Asks for the rows around cell c, which may be anywhere; all else comes in order.
template <int N>
WEFT_FORCE_INLINE void ask_for_stencil(const PackView<N>& v, std::int32_t c) {
  const std::int32_t end = v.stencil_end(c);
  for (std::int32_t s = v.stencil_begin(c); s < end; ++s) {
    ask_for(v.values + static_cast<std::int64_t>(v.stencil_row(s)) * kVars, kVars);
  }
}

/// Asks for what the flux through face f reads and writes of its left cell; the right one is of this block.
template <int Dim, int N>
WEFT_FORCE_INLINE void ask_for_left(const PackView<N>& v, std::int32_t f) {
  const std::int64_t row = v.left(f);
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
          gradient_of_cell<Dim>(v, cells[i], chosen);
        }
      },
      limiter);
}

/// N faces in a row: their geometry and the rows on both sides.
template <int N>
struct FaceBlock {
  const Vec3 *centroids, *normals;
  const double* areas;
  const std::int32_t *left, *right;
  const Numbers& faces;
  std::int32_t at;  ///< of the first of the N among the faces
};

/// Component `axis` of N vectors.
template <int N, std::size_t... I>
[[nodiscard]] WEFT_FORCE_INLINE Pack<N> component(const Vec3* vectors, int axis) {
  Pack<N> p;
  for (int i = 0; i < N; ++i) p.v[i] = vectors[i][axis];
  return p;
}

/// The states of the cells `row` at the faces' centroids, as reconstruct() in kernels.hpp.
template <int Dim, int N>
[[nodiscard]] WEFT_FORCE_INLINE BasicPrimitive<Pack<N>> states_at(const PackView<N>& v, const std::int32_t* row, const Vec3* x) {
  Pack<N> groups[PackView<N>::kGroups][N];
#pragma GCC unroll 8
  for (int i = 0; i < N; ++i) {
    const Vec3 r = x[i] - v.centroid(row[i]);
#pragma GCC unroll 2
    for (int j = 0; j < PackView<N>::kGroups; ++j) {
      Pack<N> g[Dim];
      for (int d = 0; d < Dim; ++d) g[d] = v.template gradient<Dim>(row[i], j, d);
      groups[j][i] = v.value(row[i], j) + along<Dim>(g, r);
    }
  }
#pragma GCC unroll 2
  for (int j = 0; j < PackView<N>::kGroups; ++j) transpose(groups[j]);
  BasicPrimitive<Pack<N>> w;
#pragma GCC unroll 5
  for (int k = 0; k < kVars; ++k) w[k] = groups[k / N][k % N];
  if (!all(positive(w))) [[unlikely]] {
    for (int i = 0; i < N; ++i) {
      const Primitive state = reconstruct<Dim>(static_cast<const ResidualView&>(v), row[i], x[i] - v.centroid(row[i]));
#pragma GCC unroll 5
      for (int k = 0; k < kVars; ++k) w[k].v[i] = state[k];
    }
  }
  return w;
}

/// Adds sign * the flux to the residual of a row.
template <int N>
WEFT_FORCE_INLINE void accumulate(double* residual, const Pack<4>& first, double last, double sign) {
  (Pack<4>::load(residual) + Pack<4>(sign) * first).store(residual);
  residual[4] += sign * last;
}

template <int Dim, int N, class Flux>
WEFT_FORCE_INLINE void flux_of_faces(const PackView<N>& v, const Flux& flux, const FaceBlock<N>& b, const OwnRows& own,
                                     int count) {
  const auto left = states_at<Dim>(v, b.left, b.centroids), right = states_at<Dim>(v, b.right, b.centroids);
  const BasicVec3<Pack<N>> n{component<N>(b.normals, 0), component<N>(b.normals, 1), component<N>(b.normals, 2)};
  const BasicConserved<Pack<N>> through = Pack<N>::load(b.areas) * flux(v.gas, left, right, n);
  if (v.mass_fluxes != nullptr) [[unlikely]] {
    for (int i = 0; i < count; ++i) {
      if (own.have(b.left[i])) v.mass_fluxes[b.faces[b.at + i]] = through.density[i];
    }
  }
  Pack<N> rows[N];
#pragma GCC unroll 8
  for (int k = 0; k < N; ++k) rows[k] = k < kVars ? through[k] : Pack<N>(0.0);
  transpose(rows);
  alignas(64) double last[N];
  through[4].store(last);
  for (int i = 0; i < count; ++i) {
    const Pack<4> row = first_four(rows[i]);
    if (own.have(b.left[i])) accumulate<N>(v.residual + static_cast<std::int64_t>(b.left[i]) * kVars, row, last[i], -1);
    if (own.have(b.right[i])) accumulate<N>(v.residual + static_cast<std::int64_t>(b.right[i]) * kVars, row, last[i], 1);
  }
}

template <int Dim, int N>
void pack_fluxes(const ResidualView& rows, const FluxChoice& flux, const OwnRows& own, const Numbers& faces) {
  const PackView<N> v(rows);
  std::visit(
      [&](const auto& chosen) {
        for (std::int32_t i = 0; i < faces.count; i += N) {
          if (i + kFacesAhead + N <= faces.count) {
            for (int j = 0; j < N; ++j) ask_for_left<Dim>(v, faces[i + kFacesAhead + j]);
          }
          const std::int32_t f = faces[i];
          if (i + N <= faces.count && faces[i + N - 1] - f == N - 1) [[likely]] {
            const FaceBlock<N> block{
                v.face_centroids + f, v.face_normals + f, v.face_areas + f, v.left_row + f, v.right_row + f, faces, i};
            flux_of_faces<Dim>(v, chosen, block, own, N);
            continue;
          }
          const int count = faces.count - i < N ? faces.count - i : N;
          Vec3 centroids[N], normals[N];
          double areas[N];
          std::int32_t left[N], right[N];
          for (int j = 0; j < N; ++j) {
            const std::int32_t at = j < count ? faces[i + j] : f;
            centroids[j] = v.face_centroids[at];
            normals[j] = v.face_normals[at];
            areas[j] = v.face_areas[at];
            left[j] = v.left_row[at];
            right[j] = v.right_row[at];
          }
          flux_of_faces<Dim>(v, chosen, FaceBlock<N>{centroids, normals, areas, left, right, faces, i}, own, count);
        }
      },
      flux);
}

}  // namespace weft::flow::detail
