#pragma once
/// The steps of iterative solvers that communicate, for their steps (gmres_steps.hpp, bicgstab_steps.hpp). A machine
/// (krylov_machine.hpp) executes them; without other ranks nothing is copied or added.
#include <cstdint>
#include <span>

#include "weft/base/macros.hpp"
#include "weft/kernels/linear/bsr_product.hpp"
#include "weft/kernels/linear/krylov.hpp"

namespace weft::kernels::detail {

template <class T>
struct Copy {
  const T* from;
  T* to;
  WEFT_HD void operator()(std::int64_t i) const { to[i] = from[i]; }
};

/// Adds the numbers of all ranks in the order of the ranks.
struct AddRanks {
  RankNumbers numbers;
  double* sums;
  WEFT_HD void operator()(std::int64_t i) const {
    double sum = 0;
    for (std::int32_t rank = 0; rank < numbers.ranks; ++rank) sum += numbers.of(rank)[i];
    sums[i] = sum;
  }
};

/// Adds numbers over the ranks. @param compute  stores those of this rank at an address.
template <class Machine, class T, class Compute>
void over_ranks(Machine& machine, KrylovRanks<T>* ranks, std::int64_t count, double* sums, const Compute& compute) {
  if (ranks == nullptr) return compute(sums);
  const RankNumbers numbers = ranks->numbers();
  compute(numbers.rows);
  ranks->gather(machine.stream());
  machine.loop(count, AddRanks{numbers, sums});
}

/// Adds two scalar products over the ranks. @param compute  stores those of this rank at an address.
template <class Machine, class T, class Compute>
void dots_over_ranks(Machine& machine, KrylovRanks<T>* ranks, ProductDots* sums, const Compute& compute) {
  static_assert(sizeof(ProductDots) == 2 * sizeof(double));
  over_ranks(machine, ranks, 2, reinterpret_cast<double*>(sums),
             [&](double* to) { compute(reinterpret_cast<ProductDots*>(to)); });
}

/// Returns the right factor of a product with the entries of its ghost rows. @param factor  the entries of the owned rows, which
/// are copied to the memory of the other ranks' rows unless they are there.
template <class Machine, class T>
std::span<const T> with_ghosts(Machine& machine, KrylovRanks<T>* ranks, std::span<const T> factor) {
  if (ranks == nullptr) return factor;
  const std::span<T> columns = ranks->columns();
  if (columns.data() != factor.data()) {
    machine.loop(static_cast<std::int64_t>(factor.size()), Copy<T>{factor.data(), columns.data()});
  }
  ranks->exchange(machine.stream());
  return columns;
}

}  // namespace weft::kernels::detail
