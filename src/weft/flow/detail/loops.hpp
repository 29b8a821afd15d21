#pragma once
/// CPU loops over the kernels.
#include <cstdint>
#include <variant>

#include "weft/flow/detail/kernels.hpp"
#include "weft/flow/flux.hpp"
#include "weft/flow/limiter.hpp"
#include "weft/flow/numerics.hpp"

namespace weft::flow::detail {

using LimiterChoice = std::variant<NoLimiter, BarthJespersen, Venkatakrishnan>;
using FluxChoice = std::variant<HllcFlux, RoeFlux, RusanovFlux>;

/// How many doubles the loops compute with at once on this machine: 8 where it has AVX-512, else 4. Results are the same.
[[nodiscard]] int lanes();

/// Limited gradients of the cells first <= c < last.
template <int Dim>
void gradient_loop(const ResidualView& v, GradientKind kind, const LimiterChoice& limiter, std::int32_t first, std::int32_t last);

/// Fluxes of the faces first <= f < last between two owned cells, added to both residuals in face order.
template <int Dim>
void inner_face_loop(const ResidualView& v, const FluxChoice& flux, std::int32_t first, std::int32_t last);

/// Fluxes of the faces first <= f < last to ghost cells, added to the left residual only.
template <int Dim>
void ghost_face_loop(const ResidualView& v, const FluxChoice& flux, std::int32_t first, std::int32_t last);

/// Fluxes of the faces first <= f < last of a boundary zone. @param prescribed  outside states by face - first, or null.
template <int Dim>
void boundary_face_loop(const ResidualView& v, const FluxChoice& flux, const BoundaryParams& params, const Primitive* prescribed,
                        std::int32_t first, std::int32_t last);

}  // namespace weft::flow::detail
