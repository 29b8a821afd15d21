#pragma once
/// The arguments from which every transport of the registry is made.
#include <vector>

#include "weft/array/ghost_plan.hpp"
#include "weft/array/reduce.hpp"
#include "weft/array/row_packing.hpp"
#include "weft/array/transport.hpp"
#include "weft/array/transport/transport.hpp"
#include "weft/device/space.hpp"

namespace weft::detail {

struct TransportSetup {
  const GhostPlan& plan;
  Backend backend;                   ///< kind of memory of the device side of the arrays
  const std::vector<Field>& fields;  ///< on the side that the transport moves
  Direction direction;
  Reduce op;
  Transport transport;  ///< the row that is being made
};

}  // namespace weft::detail
