#include "weft/flow/host/loops.hpp"

#include <algorithm>

#include "weft/flow/host/simd_loops.hpp"

namespace weft::flow::detail {

namespace {

int widest() {
#if defined(WEFT_SIMD_WIDTH_8)
  const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
  return has ? 8 : 4;
#else
  return 4;
#endif
}

int& chosen_simd_width() {
  static int width = widest();
  return width;
}

}  // namespace

int simd_width() { return chosen_simd_width(); }

void limit_simd_width(int most) { chosen_simd_width() = std::min(most, widest()); }

template <int Dim>
void gradient_loop(const ResidualView& v, const LimiterChoice& limiter, const Indices& cells) {
#if defined(WEFT_SIMD_WIDTH_8)
  if (simd_width() == 8) return simd_gradients<Dim, 8>(v, limiter, cells);
#endif
  simd_gradients<Dim, 4>(v, limiter, cells);
}

template <int Dim>
void state_loop(const ResidualView& v, const LimiterChoice& limiter, const Indices& cells, std::span<const StoredSide> stored,
                FaceState* states) {
#if defined(WEFT_SIMD_WIDTH_8)
  if (simd_width() == 8) return simd_states<Dim, 8>(v, limiter, cells, stored, states);
#endif
  simd_states<Dim, 4>(v, limiter, cells, stored, states);
}

template <int Dim>
void side_loop(const ResidualView& v, const Indices& faces, FaceState* states) {
#if defined(WEFT_SIMD_WIDTH_8)
  if (simd_width() == 8) return simd_sides<Dim, 8>(v, faces, states);
#endif
  simd_sides<Dim, 4>(v, faces, states);
}

template <int Dim>
void face_loop(const ResidualView& v, const FluxChoice& flux, const OwnRows& own, const Indices& faces, FaceState* states) {
#if defined(WEFT_SIMD_WIDTH_8)
  if (simd_width() == 8) return simd_fluxes<Dim, 8>(v, flux, own, faces, states);
#endif
  simd_fluxes<Dim, 4>(v, flux, own, faces, states);
}

void sensor_loop(const ResidualView& v, const Indices& cells) {
  for (std::int32_t i = 0; i < cells.count; ++i) v.sensors[cells[i]] = pressure_sensor_of_cell(v, cells[i]);
}

UpdateReport update_loop(const UpdateView& v, std::int32_t first, std::int32_t last) {
#if defined(WEFT_SIMD_WIDTH_8)
  if (simd_width() == 8) return simd_update<8>(v.from(first), last - first);
#endif
  return simd_update<4>(v.from(first), last - first);
}

template <int Dim>
void boundary_face_loop(const ResidualView& v, const FluxChoice& flux, const BoundaryParams& params, const Primitive* prescribed,
                        std::int32_t first, std::int32_t last) {
  for (std::int32_t f = first; f < last; ++f) {
    const Primitive inside = reconstruct<Dim>(v, v.left(f), v.left_to_face(f));
    const Vec3 n = v.face_normal(f);
    const Conserved out =
        prescribed == nullptr
            ? boundary_flux(v.gas, params, outside_state(v.gas, params, v.face_centroids[f]), inside, n)
            : std::visit([&](const auto& chosen) { return chosen(v.gas, inside, prescribed[f - first], n); }, flux);
    const Conserved through = v.face_area(f) * out;
    if (v.mass_fluxes != nullptr) v.mass_fluxes[f] = through.density;
    accumulate(v.residual + static_cast<std::int64_t>(v.left(f)) * kVars, through, -1.0);
  }
}

template void gradient_loop<2>(const ResidualView&, const LimiterChoice&, const Indices&);
template void gradient_loop<3>(const ResidualView&, const LimiterChoice&, const Indices&);
template void state_loop<2>(const ResidualView&, const LimiterChoice&, const Indices&, std::span<const StoredSide>, FaceState*);
template void state_loop<3>(const ResidualView&, const LimiterChoice&, const Indices&, std::span<const StoredSide>, FaceState*);
template void side_loop<2>(const ResidualView&, const Indices&, FaceState*);
template void side_loop<3>(const ResidualView&, const Indices&, FaceState*);
template void face_loop<2>(const ResidualView&, const FluxChoice&, const OwnRows&, const Indices&, FaceState*);
template void face_loop<3>(const ResidualView&, const FluxChoice&, const OwnRows&, const Indices&, FaceState*);
template void boundary_face_loop<2>(const ResidualView&, const FluxChoice&, const BoundaryParams&, const Primitive*, std::int32_t,
                                    std::int32_t);
template void boundary_face_loop<3>(const ResidualView&, const FluxChoice&, const BoundaryParams&, const Primitive*, std::int32_t,
                                    std::int32_t);

}  // namespace weft::flow::detail
