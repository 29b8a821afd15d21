#pragma once
// inputs.hpp on the GPU.
#include "weft/kernels/primitives/providers.hpp"

#include "inputs.hpp"

namespace bench {

using weft::kernels::Provider;

inline constexpr weft::space::cuda kGpu;

}  // namespace bench
