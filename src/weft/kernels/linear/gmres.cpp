#include "weft/kernels/linear/gmres.hpp"

#include <algorithm>
#include <array>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/kernels/linear/gmres_steps.hpp"
#include "weft/kernels/linear/instances.hpp"

namespace weft::kernels {

namespace {

/// Adds the scalar products of threads in the order of gmres_steps.hpp.
double add_threads(std::array<double, detail::kGmresThreads>& sums) {
  double sum = 0;
  for (std::size_t warp = 0; warp < sums.size(); warp += 32) {
    for (std::size_t apart = 16; apart > 0; apart /= 2) {
      for (std::size_t lane = warp; lane < warp + apart; ++lane) sums[lane] += sums[lane + apart];
    }
    sum += sums[warp];
  }
  return sum;
}

/// Returns the scalar product of a tile of two vectors.
template <class T>
double tile_product(const T* v, const T* w) {
  std::array<double, detail::kGmresThreads> sums{};
  for (std::size_t thread = 0; thread < sums.size(); ++thread) {
    double sum = 0;
    for (std::size_t e = 0; e < detail::kGmresEntries<T>; ++e) {
      const std::size_t at = thread * detail::kGmresEntries<T> + e;
      sum += static_cast<double>(v[at]) * static_cast<double>(w[at]);
    }
    sums[thread] = sum;
  }
  return add_threads(sums);
}

/// Executes the passes over the basis on the threads of a team. A tile of all basis vectors remains in the cache of a core.
struct HostPasses : detail::HostMachine {
  template <class T, class F>
  void for_tiles(std::int64_t n, const F& f) const {
    detail::split(team, detail::gmres_tiles<T>(n), 8, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t tile = begin; tile < end; ++tile) f(tile, tile * detail::kGmresTile<T>);
    });
  }
  /// Adds the scalar products of the tiles.
  void add_tiles(const double* partial, std::int64_t tiles, int count, double* to) const {
    for (int k = 0; k < count; ++k) {
      const double* const of_tiles = partial + k * tiles;
      double sum = 0;
      for (std::int64_t first = 0; first < tiles; first += detail::kGmresTiles) {
        sum += weft::detail::reduce_block(
            first, std::min(first + detail::kGmresTiles, tiles), 0.0, [=](std::int64_t tile) { return of_tiles[tile]; }, Plus{});
      }
      to[k] = sum;
    }
  }

  template <class T, int B>
  void project(const detail::GmresSystem<T, B>& u, int count, double* to) const {
    const std::int64_t tiles = detail::gmres_tiles<T>(u.n);
    for_tiles<T>(u.n, [&](std::int64_t tile, std::int64_t first) {
      for (int k = 0; k < count; ++k) {
        u.numbers.partial[k * tiles + tile] = tile_product(u.basis + k * u.stride + first, u.w + first);
      }
    });
    add_tiles(u.numbers.partial, tiles, count, to);
  }
  template <class T, int B>
  void subtract(const detail::GmresSystem<T, B>& u, int count, double* to) const {
    const std::int64_t tiles = detail::gmres_tiles<T>(u.n);
    for_tiles<T>(u.n, [&](std::int64_t tile, std::int64_t first) {
      T* const w = u.w + first;
      for (int k = 0; k < count; ++k) {
        const auto factor = static_cast<T>(u.numbers.first[k]);
        const T* const v = u.basis + k * u.stride + first;
        for (std::int64_t i = 0; i < detail::kGmresTile<T>; ++i) w[i] -= factor * v[i];
      }
      for (int k = 0; k < count; ++k) {
        u.numbers.partial[k * tiles + tile] = tile_product(u.basis + k * u.stride + first, w);
      }
      u.numbers.partial[count * tiles + tile] = tile_product(w, w);
    });
    add_tiles(u.numbers.partial, tiles, count + 1, to);
  }
  template <class T, int B>
  void extend(const detail::GmresSystem<T, B>& u, int count) const {
    if (!u.numbers.s->extends()) return;
    const auto inverse = static_cast<T>(u.numbers.s->inverse);
    for_tiles<T>(u.n, [&](std::int64_t, std::int64_t first) {
      T* const to = u.basis + count * u.stride + first;
      std::array<T, detail::kGmresTile<T>> rest;
      std::copy_n(u.w + first, rest.size(), rest.begin());
      for (int k = 0; k < count; ++k) {
        const auto factor = static_cast<T>(u.numbers.second[k]);
        const T* const v = u.basis + k * u.stride + first;
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= factor * v[i];
      }
      for (std::size_t i = 0; i < rest.size(); ++i) to[i] = rest[i] * inverse;
    });
  }
  template <class T, int B>
  void expand(const detail::GmresSystem<T, B>& u) const {
    if (u.numbers.s->status.state != KrylovState::running) return;
    for_tiles<T>(u.n, [&](std::int64_t, std::int64_t first) {
      std::array<T, detail::kGmresTile<T>> sum{};
      for (int k = 0; k < u.numbers.s->columns; ++k) {
        const auto factor = static_cast<T>(u.numbers.y[k]);
        const T* const v = u.basis + k * u.stride + first;
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * v[i];
      }
      std::copy(sum.begin(), sum.end(), u.z + first);
    });
  }
};

/// Returns the number of doubles of GmresNumbers.
std::size_t number_count(std::size_t restart, std::size_t tiles) {
  return 2 * (restart + 2) + restart * (restart + 1) + 2 * restart + (restart + 1) + restart + (restart + 2) * tiles;
}

}  // namespace

template <LinearScalar T, int B>
  requires BlockSize<B>
Gmres<T, B>::Gmres(std::int32_t rows, int restart, Backend backend, KrylovRanks<T>* ranks)
    : entries_(to_index(rows) * B), restart_(restart), ranks_(ranks) {
  WEFT_EXPECTS(restart >= 1 && restart <= kGmresRestart);
  const auto tiles = static_cast<std::size_t>(detail::gmres_tiles<T>(static_cast<std::int64_t>(entries_)));
  const auto m = static_cast<std::size_t>(restart);
  vectors_ = HostDeviceVector<T>((m + 3) * tiles * detail::kGmresTile<T>, backend, "vectors of GMRES", Side::device);
  numbers_ = HostDeviceVector<double>(number_count(m, tiles), backend, "numbers of GMRES", Side::device);
  scalars_ = HostDeviceVector<detail::GmresScalars>(1, backend, "scalars of GMRES", Side::device);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
bool Gmres<T, B>::is_system(const BsrView<const T, B>& a, std::span<const T> b, std::span<T> x, double tolerance) const {
  const std::size_t columns = ranks_ == nullptr ? entries_ : ranks_->columns().size();
  const bool has_numbers = ranks_ == nullptr || ranks_->numbers().width >= restart_ + 2;
  return to_index(a.pattern.rows) * B == entries_ && to_index(a.pattern.columns) * B == columns && columns >= entries_ &&
         has_numbers && b.size() == entries_ && x.size() == entries_ && detail::disjoint(b, x) && tolerance >= 0;
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void Gmres<T, B>::prepare(const BsrView<const T, B>& a, Preconditioner<T>* preconditioner, std::span<const T> b, std::span<T> x) {
  const Side side = vectors_.backend() == Backend::host ? Side::host : Side::device;
  const auto m = static_cast<std::size_t>(restart_);
  const std::span<T> vectors = vectors_.read_write(side);
  const std::size_t stride = vectors.size() / (m + 3);
  double* next = numbers_.read_write(side).data();
  const auto take = [&](std::size_t count) {
    double* const taken = next;
    next += count;
    return taken;
  };
  system_ = {.a = a,
             .preconditioner = preconditioner,
             .ranks = ranks_,
             .b = b,
             .x = x,
             .basis = vectors.data(),
             .w = vectors.data() + (m + 1) * stride,
             .z = vectors.data() + (m + 2) * stride,
             .n = static_cast<std::int64_t>(entries_),
             .stride = static_cast<std::int64_t>(stride),
             .numbers = {}};
  detail::GmresNumbers& u = system_.numbers;
  u.s = scalars_.read_write(side).data();
  u.first = take(m + 2);
  u.second = take(m + 2);
  u.r = take(m * (m + 1));
  u.cosine = take(m);
  u.sine = take(m);
  u.right = take(m + 1);
  u.y = take(m);
  u.partial = next;
  u.m = restart_;
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void Gmres<T, B>::start(const BsrView<const T, B>& a, Preconditioner<T>* preconditioner, std::span<const T> b, std::span<T> x,
                        double tolerance, Team& team) {
  WEFT_EXPECTS(vectors_.backend() == Backend::host && is_system(a, b, x, tolerance));
  prepare(a, preconditioner, b, x);
  HostPasses machine{{team}};
  detail::start(machine, system_, tolerance);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void Gmres<T, B>::cycle(int count, Team& team) {
  WEFT_EXPECTS(vectors_.backend() == Backend::host && system_.numbers.s != nullptr);
  HostPasses machine{{team}};
  const detail::GmresScalars& s = *system_.numbers.s;
  for (int i = 0; i < count && s.status.state == KrylovState::running; ++i) {
    detail::cycle(machine, system_, [&] { return !s.extends(); });
  }
}

template <LinearScalar T, int B>
  requires BlockSize<B>
KrylovStatus Gmres<T, B>::status(const After& before) {
  scalars_.to_host(before).wait();  // also where the host side seems fresh: a Graph may have repeated cycle()
  return scalars_.read(Side::host)[0].status;
}

template <LinearScalar T, int B>
  requires BlockSize<B>
const KrylovStatus* Gmres<T, B>::status_address() {
  const Side side = scalars_.backend() == Backend::host ? Side::host : Side::device;
  return &scalars_.read_write(side).data()->status;
}

#define WEFT_INSTANTIATE(T, B)                                                                                               \
  template Gmres<T, B>::Gmres(std::int32_t, int, Backend, KrylovRanks<T>*);                                                  \
  template bool Gmres<T, B>::is_system(const BsrView<const T, B>&, std::span<const T>, std::span<T>, double) const;          \
  template void Gmres<T, B>::prepare(const BsrView<const T, B>&, Preconditioner<T>*, std::span<const T>, std::span<T>);      \
  template void Gmres<T, B>::start(const BsrView<const T, B>&, Preconditioner<T>*, std::span<const T>, std::span<T>, double, \
                                   Team&);                                                                                   \
  template void Gmres<T, B>::cycle(int, Team&);                                                                              \
  template KrylovStatus Gmres<T, B>::status(const After&);                                                                   \
  template const KrylovStatus* Gmres<T, B>::status_address();
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
