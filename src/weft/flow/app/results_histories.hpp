#pragma once
/// The histories that a run writes.
#include <optional>

#include "weft/flow/app/results.hpp"
#include "weft/io/table.hpp"

namespace weft::flow {

struct Results::Histories {
  std::optional<io::Table> residuals, forces, probes, monitors, integrals;
};

}  // namespace weft::flow
