#include "weft/kernels/linear/colored_factors.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/kernels/linear/colored_steps.hpp"
#include "weft/kernels/linear/instances.hpp"
#include "weft/kernels/primitives/disjoint.hpp"

namespace weft::kernels {

namespace detail {

/// The blocks below and above the diagonal, with rows and columns in the order of the colours.
struct Triangles {
  /// Blocks in compressed rows, with the slot of each in A.
  struct Blocks {
    std::vector<std::int64_t> offsets{0}, source;
    std::vector<std::int32_t> columns;
  };
  Blocks lower, upper;

  Triangles(const BsrPattern& pattern, std::span<const std::int32_t> order) {
    const BsrPatternView view = pattern.view();
    WEFT_EXPECTS(order.size() == to_index(view.rows));
    std::vector<std::int32_t> position(order.size());
    for (std::size_t p = 0; p < order.size(); ++p) position[to_index(order[p])] = static_cast<std::int32_t>(p);
    std::vector<std::pair<std::int32_t, std::int64_t>> of_row;
    for (std::int32_t p = 0; p < view.rows; ++p) {
      const std::int32_t row = order[to_index(p)];
      of_row.clear();
      for (std::int32_t k = 0; k < view.sizes[row]; ++k) {
        const std::int64_t slot = view.slot(row, k);
        const std::int32_t column = view.column[slot];
        if (column != row && column < view.rows) of_row.emplace_back(position[to_index(column)], slot);
      }
      std::sort(of_row.begin(), of_row.end());
      for (const auto& [at, slot] : of_row) {
        Blocks& blocks = at < p ? lower : upper;
        blocks.columns.push_back(at);
        blocks.source.push_back(slot);
      }
      for (Blocks* const blocks : {&lower, &upper}) blocks->offsets.push_back(static_cast<std::int64_t>(blocks->columns.size()));
    }
  }
};

}  // namespace detail

namespace {

std::shared_ptr<const BsrPattern> pattern_of(const detail::Triangles::Blocks& blocks, const BsrPattern& whole) {
  return std::make_shared<const BsrPattern>(blocks.offsets, blocks.columns, whole.rows(), whole.backend());
}

/// Returns the slot in A of each slot of a triangle.
HostDeviceVector<std::int64_t> sources_of(const detail::Triangles::Blocks& blocks, const BsrPattern& pattern, const char* name) {
  HostDeviceVector<std::int64_t> sources(to_index(pattern.slots()), pattern.backend(), name);
  const BsrPatternView view = pattern.view();
  const std::span<std::int64_t> to = sources.span();
  for (std::int32_t p = 0; p < view.rows; ++p) {
    const std::int64_t first = blocks.offsets[to_index(p)];
    for (std::int32_t k = 0; k < view.sizes[p]; ++k) to[to_index(view.slot(p, k))] = blocks.source[to_index(first + k)];
  }
  sources.to_device(After()).wait();
  return sources;
}

/// Computes loops over scalar rows and batched LU on the threads of a team.
struct HostRows {
  Team& team;
  template <class F>
  void loop(std::int64_t first, std::int64_t last, const F& f) const {
    detail::split(team, last - first, 256, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = first + begin; row < first + end; ++row) f(row);
    });
  }
  template <class T>
  void factor(const LuBatch<T>& batch) const {
    lu_factor(batch, team);
  }
};

/// Computes the rows of one colour in one direction.
template <class T, int B, bool kForward>
void sweep(const detail::SweepRow<T, B, kForward>& row, std::int32_t first, std::int32_t last, Team& team) {
  detail::split(team, last - first, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const auto p = static_cast<std::int32_t>(first + n);
      T t[B];
      for (int i = 0; i < B; ++i) t[i] = row.rest(p, i);
      for (int i = 0; i < B; ++i) row.store(p, i, t);
    }
  });
}

}  // namespace

template <LinearScalar T, int B>
  requires BlockSize<B>
ColoredFactors<T, B>::ColoredFactors(const BsrPattern& pattern, const RowColors& colors, Factors kind)
    : ColoredFactors(pattern, colors, kind, detail::Triangles(pattern, colors.order())) {}

template <LinearScalar T, int B>
  requires BlockSize<B>
ColoredFactors<T, B>::ColoredFactors(const BsrPattern& pattern, const RowColors& colors, Factors kind,
                                     const detail::Triangles& triangles)
    : kind_(kind),
      offsets_(colors.offsets().begin(), colors.offsets().end()),
      order_(colors.order().size(), pattern.backend(), "order of colours"),
      lower_(pattern_of(triangles.lower, pattern)),
      upper_(pattern_of(triangles.upper, pattern)),
      lower_source_(sources_of(triangles.lower, lower_.pattern(), "sources of the lower triangle")),
      upper_source_(sources_of(triangles.upper, upper_.pattern(), "sources of the upper triangle")) {
  const std::size_t rows = order_.size(), padded = (rows + kBsrSlice - 1) / kBsrSlice * kBsrSlice;
  std::copy(colors.order().begin(), colors.order().end(), order_.span().begin());
  order_.to_device(After()).wait();
  const Backend backend = pattern.backend();
  diagonal_ = HostDeviceVector<T>(rows * B * B, backend, "diagonal of coloured factors", Side::device);
  inverse_ = HostDeviceVector<T>(padded * B * B, backend, "inverse diagonal of coloured factors", Side::device);
  y_ = HostDeviceVector<T>(rows * B, backend, "vector of coloured factors", Side::device);
  pivots_ = HostDeviceVector<std::uint8_t>(rows * B, backend, "pivots of coloured factors", Side::device);
  status_ = HostDeviceVector<std::uint8_t>(rows, backend, "status of coloured factors", Side::device);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
bool ColoredFactors<T, B>::are_vectors(std::span<const T> r, std::span<T> z) const {
  return r.size() == y_.size() && z.size() == y_.size() && detail::disjoint(r, z);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void ColoredFactors<T, B>::factor(const BsrView<const T, B>& a, Team& team) {
  WEFT_EXPECTS(a.pattern.rows == lower_.pattern().rows());
  factor_by(HostRows{team}, space::host{}, a);
}

template <LinearScalar T, int B>
  requires BlockSize<B>
void ColoredFactors<T, B>::apply(std::span<const T> r, std::span<T> z, Team& team) {
  WEFT_EXPECTS(are_vectors(r, z));
  const detail::ColoredView<T, B> u = view<space::host>();
  T* const y = y_.read_write(Side::host).data();
  const auto colors = static_cast<int>(offsets_.size()) - 1;
  for (int c = 0; c < colors; ++c) {
    sweep<T, B, true>({u, r.data(), y, z.data()}, offsets_[to_index(c)], offsets_[to_index(c) + 1], team);
  }
  for (int c = colors - 1; c >= 0; --c) {
    sweep<T, B, false>({u, r.data(), y, z.data()}, offsets_[to_index(c)], offsets_[to_index(c) + 1], team);
  }
}

template <LinearScalar T, int B>
  requires BlockSize<B>
std::vector<std::int32_t> ColoredFactors<T, B>::singular_rows(const After& before) {
  status_.to_host(before).wait();  // also where the host side seems fresh: a Graph may have repeated factor()
  const std::span<const std::uint8_t> status = status_.read(Side::host);
  std::vector<std::int32_t> rows;
  for (std::size_t p = 0; p < status.size(); ++p) {
    if (status[p] != 0) rows.push_back(order_.read(Side::host)[p]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

#define WEFT_INSTANTIATE(T, B)                                                                 \
  template ColoredFactors<T, B>::ColoredFactors(const BsrPattern&, const RowColors&, Factors); \
  template bool ColoredFactors<T, B>::are_vectors(std::span<const T>, std::span<T>) const;     \
  template void ColoredFactors<T, B>::factor(const BsrView<const T, B>&, Team&);               \
  template void ColoredFactors<T, B>::apply(std::span<const T>, std::span<T>, Team&);          \
  template std::vector<std::int32_t> ColoredFactors<T, B>::singular_rows(const After&);
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
