#pragma once
/// Bank conflicts of accesses to shared memory.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/kernels/layout/layout.hpp"

namespace weft::kernels::layout {

inline constexpr int kBanks = 32;     ///< banks of shared memory
inline constexpr int kBankBytes = 4;  ///< bytes of a bank per wavefront
inline constexpr int kWarp = 32;      ///< threads of a warp

/// The cost of one access by all threads.
struct BankConflicts {
  int wavefronts = 0;  ///< passes over the banks
  int minimum = 0;     ///< passes without conflicts: 1 for up to 128 bytes
  int worst = 0;       ///< the largest number of different words of one bank in a pass that had to be split

  [[nodiscard]] WEFT_HD constexpr int conflicts() const { return wavefronts - minimum; }
  friend constexpr bool operator==(const BankConflicts&, const BankConflicts&) = default;
};

/// Counts the bank conflicts of one load or store in which thread t accesses `bytes` bytes at element access(t), where elements
/// have `element_bytes` bytes and the memory begins at bank 0. 32 banks hold the words of 4 bytes in turn. The threads of a warp
/// are served at once for accesses of up to 4 bytes, by halves for 8 and by quarters for 16 bytes; a group needs as many
/// wavefronts as different words fall on one bank. Threads that access the same word share it.
/// Example: 32 floats at access = 32:32, a column of a 32 x 32 matrix stored by rows, take 32 wavefronts instead of 1.
/// @throws InputError unless `bytes` is 1, 2, 4, 8 or 16, and every access is aligned to it. @cost O(threads^2).
[[nodiscard]] WEFT_HD constexpr BankConflicts bank_conflicts(const Layout& access, int element_bytes, int bytes) {
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16)
    invalid("bank_conflicts: threads access {0} bytes; GPUs access 1, 2, 4, 8 or 16", bytes);
  if (element_bytes < 1) invalid("bank_conflicts: an element has {0} bytes; the size of an element is positive", element_bytes);
  const int group = bytes <= kBankBytes ? kWarp : kWarp * kBankBytes / bytes;
  const int words = bytes <= kBankBytes ? 1 : bytes / kBankBytes;
  const std::int64_t threads = access.size();
  BankConflicts result;
  for (std::int64_t first = 0; first < threads; first += group) {
    std::int64_t accessed[kWarp]{};  // different words of the group
    int of_bank[kBanks]{}, count = 0, passes = 1;
    for (std::int64_t t = first; t < threads && t < first + group; ++t) {
      const std::int64_t address = access(t) * element_bytes;
      if (address % bytes != 0)
        invalid("bank_conflicts: thread {0} accesses {1} bytes at byte {2}; align accesses to their size", t, bytes, address);
      for (int w = 0; w < words; ++w) {
        const std::int64_t word = address / kBankBytes + w;
        int known = 0;
        while (known < count && accessed[known] != word) ++known;
        if (known < count) continue;
        accessed[count++] = word;
        const int at_bank = ++of_bank[word % kBanks];
        if (at_bank > passes) passes = at_bank;
      }
    }
    result.wavefronts += passes;
    ++result.minimum;
    if (passes > result.worst) result.worst = passes;
  }
  return result;
}

/// Returns the stride of rows of `width` elements in shared memory with which threads access a column without bank conflicts:
/// the smallest odd number from `width` on. It holds for elements of 4, 8 and 16 bytes; smaller ones share words.
template <class I>
[[nodiscard]] WEFT_HD constexpr I conflict_free_stride(I width) {
  return width | 1;
}

namespace detail {
/// Returns true if columns of rows with this stride have no bank conflicts. Larger strides repeat the banks of those up to
/// kBanks.
[[nodiscard]] constexpr bool odd_strides_have_no_conflicts(int element_bytes) {
  for (int width = 1; width <= kBanks; ++width) {
    const Layout column(kWarp, conflict_free_stride(width));
    if (bank_conflicts(column, element_bytes, element_bytes).conflicts() != 0) return false;
  }
  return true;
}
static_assert(odd_strides_have_no_conflicts(4) && odd_strides_have_no_conflicts(8) && odd_strides_have_no_conflicts(16));
}  // namespace detail

}  // namespace weft::kernels::layout
