#include "weft/kernels/linear/bsr_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/base/error.hpp"
#include "weft/kernels/linear/instances.hpp"

namespace weft::kernels {

template <LinearScalar T, int B>
  requires BlockSize<B>
BsrMatrix<T, B>::BsrMatrix(std::shared_ptr<const BsrPattern> pattern, std::span<const T> blocks) : BsrMatrix(std::move(pattern)) {
  const std::int64_t wanted = pattern_->blocks() * B * B;
  if (static_cast<std::int64_t>(blocks.size()) != wanted) {
    throw InputError(fmt::format("a matrix of {} blocks of {} x {} entries has {} values, not {}", pattern_->blocks(), B, B,
                                 wanted, blocks.size()),
                     "pass the values of every block of the pattern");
  }
  const std::span<T> entries = values_.write(Side::host);
  std::fill(entries.begin(), entries.end(), T{});  // padding
  const BsrView<T, B> to{pattern_->view(), entries.data()};
  const T* from = blocks.data();
  for (std::int32_t row = 0; row < to.pattern.rows; ++row) {
    for (int k = 0; k < to.pattern.sizes[row]; ++k) {
      const std::int64_t slot = to.pattern.slot(row, k);
      for (int i = 0; i < B; ++i) {
        for (int j = 0; j < B; ++j) to(slot, i, j) = *from++;
      }
    }
  }
}

#define WEFT_INSTANTIATE(T, B) template class BsrMatrix<T, B>;
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
