#include "weft/kernels/linear/bicgstab.hpp"

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/kernels/linear/bicgstab_steps.hpp"
#include "weft/kernels/linear/instances.hpp"
#include "weft/kernels/linear/krylov_machine.hpp"

namespace weft::kernels {

namespace {

constexpr std::size_t kVectors = 7;

}  // namespace

template <LinearScalar T, int B>
  requires BlockSize<B>
BiCgStab<T, B>::BiCgStab(std::int32_t rows, Backend backend, KrylovRanks<T>* ranks)
    : ranks_(ranks),
      vectors_(kVectors * to_index(rows) * B, backend, "vectors of BiCGStab", Side::device),
      scalars_(1, backend, "scalars of BiCGStab", Side::device) {}

template <LinearScalar T, int B>
  requires BlockSize<B>
bool BiCgStab<T, B>::is_system(const BsrView<const T, B>& a, std::span<const T> b, std::span<T> x, double tolerance) const {
  const std::size_t n = vectors_.size() / kVectors;
  const std::size_t columns = ranks_ == nullptr ? n : ranks_->columns().size();
  const bool has_numbers = ranks_ == nullptr || ranks_->numbers().width >= 2;
  return to_index(a.pattern.rows) * B == n && to_index(a.pattern.columns) * B == columns && columns >= n && has_numbers &&
         b.size() == n && x.size() == n && detail::disjoint(b, x) && tolerance >= 0;
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void BiCgStab<T, B>::prepare(const BsrView<const T, B>& a, Preconditioner<T>* preconditioner, std::span<const T> b,
                             std::span<T> x) {
  const Side side = vectors_.backend() == Backend::host ? Side::host : Side::device;
  const std::span<T> memory = vectors_.read_write(side);
  const std::size_t n = memory.size() / kVectors;
  const auto part = [&](std::size_t index) { return memory.subspan(index * n, n); };
  system_ = {.a = a,
             .preconditioner = preconditioner,
             .ranks = ranks_,
             .b = b,
             .x = x,
             .r = part(0),
             .r0 = part(1),
             .p = part(2),
             .preconditioned_p = part(3),
             .v = part(4),
             .preconditioned_s = part(5),
             .t = part(6),
             .scalars = scalars_.read_write(side).data()};
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void BiCgStab<T, B>::start(const BsrView<const T, B>& a, Preconditioner<T>* preconditioner, std::span<const T> b, std::span<T> x,
                           double tolerance, Team& team) {
  WEFT_EXPECTS(vectors_.backend() == Backend::host && is_system(a, b, x, tolerance));
  prepare(a, preconditioner, b, x);
  detail::HostMachine machine{team};
  detail::start(machine, system_, tolerance);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void BiCgStab<T, B>::iterate(int count, Team& team) {
  WEFT_EXPECTS(vectors_.backend() == Backend::host && system_.scalars != nullptr);
  detail::HostMachine machine{team};
  for (int i = 0; i < count && system_.scalars->status.state == KrylovState::running; ++i) detail::iterate(machine, system_);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
KrylovStatus BiCgStab<T, B>::status(const After& before) {
  scalars_.to_host(before).wait();  // also where the host side seems fresh: a Graph may have repeated iterate()
  return scalars_.read(Side::host)[0].status;
}

template <LinearScalar T, int B>
  requires BlockSize<B>
const KrylovStatus* BiCgStab<T, B>::status_address() {
  const Side side = scalars_.backend() == Backend::host ? Side::host : Side::device;
  return &scalars_.read_write(side).data()->status;
}

#define WEFT_INSTANTIATE(T, B)                                                                                                  \
  template BiCgStab<T, B>::BiCgStab(std::int32_t, Backend, KrylovRanks<T>*);                                                    \
  template bool BiCgStab<T, B>::is_system(const BsrView<const T, B>&, std::span<const T>, std::span<T>, double) const;          \
  template void BiCgStab<T, B>::prepare(const BsrView<const T, B>&, Preconditioner<T>*, std::span<const T>, std::span<T>);      \
  template void BiCgStab<T, B>::start(const BsrView<const T, B>&, Preconditioner<T>*, std::span<const T>, std::span<T>, double, \
                                      Team&);                                                                                   \
  template void BiCgStab<T, B>::iterate(int, Team&);                                                                            \
  template KrylovStatus BiCgStab<T, B>::status(const After&);                                                                   \
  template const KrylovStatus* BiCgStab<T, B>::status_address();
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
