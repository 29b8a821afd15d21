#pragma once
/// All layouts with small extents and strides, and their values by the definition of a layout.
#include <cstdint>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/kernels/layout/layout.hpp"

namespace weft::kernels::layout::test {

/// Calls f(layout) for every layout of `rank` integers with extents 1 to `extents` and strides 0 to `strides`.
template <class F>
void for_each_flat(int rank, std::int64_t extents, std::int64_t strides, const F& f) {
  std::int64_t combinations = 1;
  for (int k = 0; k < rank; ++k) combinations *= extents * (strides + 1);
  for (std::int64_t n = 0; n < combinations; ++n) {
    IntTuple shape, stride;
    for (std::int64_t k = 0, rest = n; k < rank; ++k) {
      shape.append(1 + rest % extents);
      rest /= extents;
      stride.append(rest % (strides + 1));
      rest /= strides + 1;
    }
    if (rank > 1) {
      shape.enclose();
      stride.enclose();
    }
    f(Layout(shape, stride));
  }
}

/// Calls f(layout) for the layouts of 1 to `ranks` integers, and for those of three as ((a,b),c) and (a,(b,c)).
template <class F>
void for_each_layout(int ranks, std::int64_t extents, std::int64_t strides, const F& f) {
  for (int rank = 1; rank <= ranks; ++rank) {
    for_each_flat(rank, extents, strides, [&](const Layout& flat) {
      f(flat);
      if (rank != 3) return;
      const Layout a = mode(flat, 0), b = mode(flat, 1), c = mode(flat, 2);
      f(concatenate({concatenate({a, b}), c}));
      f(concatenate({a, concatenate({b, c})}));
    });
  }
}

/// Returns the values at all indices, by the definition: index -> coordinates, the first varying fastest -> sum of products.
inline std::vector<std::int64_t> values_of(const Layout& l) {
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> at(static_cast<std::size_t>(l.shape.leaves));
  for (;;) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < at.size(); ++k) sum += at[k] * l.stride[k];
    values.push_back(sum);
    std::size_t k = 0;
    while (k < at.size() && ++at[k] == l.shape.value[k]) at[k++] = 0;
    if (k == at.size()) return values;
  }
}

/// Returns true if f() throws InputError.
template <class F>
bool is_invalid(const F& f) {
  try {
    (void)f();
  } catch (const InputError&) {
    return true;
  }
  return false;
}

}  // namespace weft::kernels::layout::test
