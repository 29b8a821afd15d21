#pragma once
/// The stepper of a GPU.
#include <memory>

#include "weft/flow/scheme/stepper.hpp"

namespace weft::flow::detail {

/// Creates a stepper on the current GPU, with the scalar types of Numerics::precision: the same kernels (kernels.hpp) as on the
/// host, over tiles of cells; the fluxes of each cell are added in the order of its faces, so that two runs give the same bits.
/// @param scheme  outlives the stepper.
/// @throws on every rank, DeviceError without a GPU, or where the arrays of the ranks that share a GPU do not fit into its
///   memory, with their size; as ArrayTransformer::pull.  @collective
[[nodiscard]] std::unique_ptr<Stepper> make_device_stepper(const Scheme& scheme);

}  // namespace weft::flow::detail
