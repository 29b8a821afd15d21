#pragma once
/// Definitions of detail/loops.hpp, included by the .cpp files that instantiate them and by nothing else.
#include "weft/flow/detail/loops.hpp"

namespace weft::flow::detail {

template <int Dim>
void gradient_loop(const ResidualView& v, GradientKind kind, const LimiterChoice& limiter, std::int32_t first,
                   std::int32_t last) {
  std::visit(
      [&](const auto& chosen) {
        if (kind == GradientKind::green_gauss) {
          for (std::int32_t c = first; c < last; ++c) gradient_of_cell<Dim, true>(v, c, chosen);
        } else {
          for (std::int32_t c = first; c < last; ++c) gradient_of_cell<Dim, false>(v, c, chosen);
        }
      },
      limiter);
}

template <int Dim>
void inner_face_loop(const ResidualView& v, const FluxChoice& flux, std::int32_t first, std::int32_t last) {
  std::visit(
      [&](const auto& chosen) {
        for (std::int32_t f = first; f < last; ++f) {
          const Conserved through = flux_of_face<Dim>(v, chosen, f);
          accumulate(v.residual + static_cast<std::int64_t>(v.left(f)) * kVars, through, -1.0);
          accumulate(v.residual + static_cast<std::int64_t>(v.right(f)) * kVars, through, 1.0);
        }
      },
      flux);
}

template <int Dim>
void ghost_face_loop(const ResidualView& v, const FluxChoice& flux, std::int32_t first, std::int32_t last) {
  std::visit(
      [&](const auto& chosen) {
        for (std::int32_t f = first; f < last; ++f) {
          accumulate(v.residual + static_cast<std::int64_t>(v.left(f)) * kVars, flux_of_face<Dim>(v, chosen, f), -1.0);
        }
      },
      flux);
}

template <int Dim>
void boundary_face_loop(const ResidualView& v, const FluxChoice& flux, const BoundaryParams& params, const Primitive* prescribed,
                        std::int32_t first, std::int32_t last) {
  for (std::int32_t f = first; f < last; ++f) {
    const Primitive inside = reconstruct<Dim>(v, v.left(f), v.face_centroid(f));
    const Vec3 n = v.face_normal(f);
    const Conserved out =
        prescribed == nullptr
            ? boundary_flux(v.gas, params, inside, n)
            : std::visit([&](const auto& chosen) { return chosen(v.gas, inside, prescribed[f - first], n); }, flux);
    accumulate(v.residual + static_cast<std::int64_t>(v.left(f)) * kVars, v.face_area(f) * out, -1.0);
  }
}

}  // namespace weft::flow::detail
