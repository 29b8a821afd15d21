#pragma once
/// The loops of loops.hpp for SIMD vectors of N doubles: declared here for the dispatch, defined in simd_loops_impl.hpp,
/// instantiated in one .cpp per dimension and N, each compiled for an instruction set with such registers.
#include "weft/flow/host/loops.hpp"

namespace weft::flow::detail {

/// Computes gradient_loop().
template <int Dim, int N>
void simd_gradients(const ResidualView& v, const LimiterChoice& limiter, const Indices& cells);

/// Computes state_loop().
template <int Dim, int N>
void simd_states(const ResidualView& v, const LimiterChoice& limiter, const Indices& cells, std::span<const StoredSide> stored,
                 FaceState* states);

/// Computes side_loop().
template <int Dim, int N>
void simd_sides(const ResidualView& v, const Indices& faces, FaceState* states);

/// Computes face_loop().
template <int Dim, int N>
void simd_fluxes(const ResidualView& v, const FluxChoice& flux, const OwnRows& own, const Indices& faces, FaceState* states);

/// Computes update_loop(), from the View's first cell on.
template <int N>
UpdateReport simd_update(const UpdateView& v, std::int32_t cells);

}  // namespace weft::flow::detail
