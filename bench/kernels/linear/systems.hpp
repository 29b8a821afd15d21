#pragma once
// Solvers and preconditioners of bench_kernels_linear.
#include <cstdint>
#include <memory>

#include "weft/base/team.hpp"
#include "weft/device/stream.hpp"
#include "weft/kernels/linear/bsr_pattern.hpp"

namespace bench {

struct Table;

/// Adds the colours, ILU(0), LU-SGS and the solvers with blocks of 5 x 5 in double and float, for the pattern of a box of edge^3
/// cells with a device side. @param team  of the host, for colours and set-ups there.
void add_systems(Table& table, weft::Stream& stream, const std::shared_ptr<const weft::kernels::BsrPattern>& pattern,
                 std::int32_t edge, weft::Team& team);

}  // namespace bench
