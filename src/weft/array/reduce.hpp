#pragma once
/// Reduce: what a push does with the values that come back from ghost rows.

namespace weft {

/// insert: the owned entry becomes the ghost's (the last one, in rank order). add, min, max: the owned entry is combined with
/// every ghost's, in rank order.
enum class Reduce { insert, add, min, max };

}  // namespace weft
