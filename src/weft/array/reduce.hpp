#pragma once
/// Reduce: combination of ghost rows with their owned row in a push.

namespace weft {

/// insert: the owned entry is replaced by that of the ghost row (the last one in rank order). add, min, max: the owned entry
/// is combined with the entries of all ghost rows in rank order.
enum class Reduce { insert, add, min, max };

}  // namespace weft
