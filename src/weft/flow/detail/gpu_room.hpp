#pragma once
/// Whether a rank's part of a case fits on its GPU.
#include <cstddef>
#include <cstdint>
#include <optional>

#include "weft/base/error.hpp"

namespace weft::flow::detail {

/// What to throw where `needed` bytes for a rank's `cells` are more than the `free` ones of the `total` of its GPU, saying how
/// many such GPUs would do for a case of `ranks` parts like this one; none where they fit.
[[nodiscard]] std::optional<DeviceError> lack_of_room(std::size_t needed, std::size_t free, std::size_t total, std::int32_t cells,
                                                      int ranks);

}  // namespace weft::flow::detail
