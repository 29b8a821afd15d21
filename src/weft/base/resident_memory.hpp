#pragma once
/// The memory that this process holds.

namespace weft {

/// Returns the bytes of memory that this process holds now, after what it has freed went back to the system; 0 where the system
/// does not say.
[[nodiscard]] double resident_bytes();

}  // namespace weft
