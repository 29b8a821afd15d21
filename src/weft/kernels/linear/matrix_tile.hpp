#pragma once
/// Small matrices in shared memory, for kernels in which a thread has a matrix.
#include "weft/kernels/layout/banks.hpp"
#include "weft/kernels/layout/static_layout.hpp"

namespace weft::kernels::detail {

/// The matrices of the threads of a block. They are contiguous in global memory, so that the index of an entry there is its index
/// in the layout: with 2 matrices of 4 entries, entry 6 is (2, 1) and has position 5 + 2 = 7.
template <class T, int kEntries, int kMatrices>
struct MatrixTile {
  static constexpr int kEntriesOfMatrix = kEntries, kThreads = kMatrices;
  static constexpr int kStride = layout::conflict_free_stride(kEntries), kSize = kMatrices * kStride;  ///< in shared memory
  /// (entry, matrix) -> position.
  static constexpr layout::Layout kShared{{kEntries, kMatrices}, {1, kStride}};
  static_assert(layout::bank_conflicts(layout::mode(kShared, 1), sizeof(T), sizeof(T)).conflicts() == 0,
                "threads that access the same entry of their matrices");
  using At = layout::StaticLayout<kShared>;
};

}  // namespace weft::kernels::detail
