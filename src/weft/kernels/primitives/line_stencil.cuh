#pragma once
/// The overload of apply_line_stencil for GPUs, for .cu files.
#include <cstdint>
#include <span>

#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/line_stencil.hpp"

namespace weft::kernels {

/// Applies the stencil in stream order to memory accessible to the current GPU, with the digits of the host. The coefficients are
/// a parameter of the kernel, which is constant memory: unlike a variable there (device/constant.cuh) it belongs to the launch,
/// so that launches with other coefficients may be pending or captured at the same time.
/// @pre as on the host; a stream of the current GPU. @throws DeviceError where the launch is rejected.
/// @cost one kernel, which reads every entry once from memory, and 2 kRadius + 1 times from the L1 cache. No workspace.
template <class T, int kRadius>
void apply_line_stencil(space::cuda gpu, Stream& stream, const LineStencil<T, kRadius>& stencil, std::span<const T> in,
                        std::span<T> out) {
  WEFT_EXPECTS(!stream.is_host());
  WEFT_EXPECTS(in.size() == out.size() + 2 * kRadius);
  detail::refuse_overlap(in, out, "in and out of apply_line_stencil");
  parallel_for(gpu, stream, static_cast<std::int64_t>(out.size()),
               detail::ApplyLineStencil<T, kRadius>{stencil, in.data(), out.data()});
}

}  // namespace weft::kernels
