#include "weft/kernels/linear/colored_factors.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/linear/colored_steps.hpp"
#include "weft/kernels/linear/instances.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/sum_up.hpp"

namespace weft::kernels {

namespace detail {

/// The blocks below and above the diagonal, with rows and columns in the order of the colours.
struct Triangles {
  /// Blocks in compressed rows, with the slot of each in A.
  struct Blocks {
    TeamVector<std::int64_t> offsets, source;
    TeamVector<std::int32_t> columns;
  };
  Blocks lower, upper;

  Triangles(const BsrPattern& pattern, std::span<const std::int32_t> order, Team& team) {
    const BsrPatternView view = pattern.view();
    WEFT_EXPECTS(order.size() == to_index(view.rows));
    TeamVector<std::int32_t> position = list_of_size<std::int32_t>(team, order.size());
    for_indices(team, view.rows, [&](std::int64_t p) { position[to_index(order[to_index(p)])] = static_cast<std::int32_t>(p); });
    const auto for_each_block = [&](std::int64_t p, const auto& call) {
      const std::int32_t row = order[to_index(p)];
      for (std::int32_t k = 0; k < view.sizes[row]; ++k) {
        const std::int64_t slot = view.slot(row, k);
        const std::int32_t column = view.column[slot];
        if (column != row && column < view.rows) call(position[to_index(column)], slot);
      }
    };
    for (Blocks* const blocks : {&lower, &upper}) blocks->offsets = list_of_size<std::int64_t>(team, order.size() + 1);
    for_indices(team, view.rows, [&](std::int64_t p) {
      for_each_block(p, [&](std::int32_t at, std::int64_t) { ++(at < p ? lower : upper).offsets[to_index(p) + 1]; });
    });
    for (Blocks* const blocks : {&lower, &upper}) {
      sum_up(blocks->offsets, team);
      blocks->columns = list_of_size<std::int32_t>(team, to_index(blocks->offsets.back()));
      blocks->source = list_of_size<std::int64_t>(team, blocks->columns.size());
    }
    for_shares(team, view.rows, [&](LoopShare share) {
      std::vector<std::pair<std::int32_t, std::int64_t>> of_row;
      for (std::int64_t p = share.begin; p < share.end; ++p) {
        of_row.clear();
        for_each_block(p, [&](std::int32_t at, std::int64_t slot) { of_row.emplace_back(at, slot); });
        std::sort(of_row.begin(), of_row.end());
        std::size_t of_lower = to_index(lower.offsets[to_index(p)]), of_upper = to_index(upper.offsets[to_index(p)]);
        for (const auto& [at, slot] : of_row) {
          Blocks& blocks = at < p ? lower : upper;
          const std::size_t n = at < p ? of_lower++ : of_upper++;
          blocks.columns[n] = at;
          blocks.source[n] = slot;
        }
      }
    });
  }
};

}  // namespace detail

namespace {

std::shared_ptr<const BsrPattern> pattern_of(const detail::Triangles::Blocks& blocks, const BsrPattern& whole, Team& team) {
  return std::make_shared<const BsrPattern>(blocks.offsets, blocks.columns, whole.rows(), whole.backend(), team);
}

/// Returns the slot in A of each slot of a triangle.
HostDeviceVector<std::int64_t> sources_of(const detail::Triangles::Blocks& blocks, const BsrPattern& pattern, const char* name,
                                          Team& team) {
  auto sources = detail::initialised<std::int64_t>(to_index(pattern.slots()), pattern.backend(), name, Side::host, team);
  const BsrPatternView view = pattern.view();
  const std::span<std::int64_t> to = sources.span();
  for_indices(team, view.rows, [&](std::int64_t row) {
    const auto p = static_cast<std::int32_t>(row);
    const std::int64_t first = blocks.offsets[to_index(p)];
    for (std::int32_t k = 0; k < view.sizes[p]; ++k) to[to_index(view.slot(p, k))] = blocks.source[to_index(first + k)];
  });
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
ColoredFactors<T, B>::ColoredFactors(const BsrPattern& pattern, const RowColors& colors, Factors kind, Team& team)
    : ColoredFactors(pattern, colors, kind, detail::Triangles(pattern, colors.order(), team), team) {}

template <LinearScalar T, int B>
  requires BlockSize<B>
ColoredFactors<T, B>::ColoredFactors(const BsrPattern& pattern, const RowColors& colors, Factors kind,
                                     const detail::Triangles& triangles, Team& team)
    : kind_(kind),
      offsets_(colors.offsets().begin(), colors.offsets().end()),
      order_(colors.order().size(), pattern.backend(), "order of colours"),
      lower_(pattern_of(triangles.lower, pattern, team), team),
      upper_(pattern_of(triangles.upper, pattern, team), team),
      lower_source_(sources_of(triangles.lower, lower_.pattern(), "sources of the lower triangle", team)),
      upper_source_(sources_of(triangles.upper, upper_.pattern(), "sources of the upper triangle", team)) {
  const std::size_t rows = order_.size(), padded = (rows + kBsrSlice - 1) / kBsrSlice * kBsrSlice;
  std::copy(colors.order().begin(), colors.order().end(), order_.span().begin());
  order_.to_device(After()).wait();
  const auto named = [&]<class U>(HostDeviceVector<U>& vector, std::size_t size, const char* name) {
    vector = detail::initialised<U>(size, pattern.backend(), std::string(name) + " of coloured factors", Side::device, team);
  };
  named(diagonal_, rows * B * B, "diagonal");
  named(inverse_, padded * B * B, "inverse diagonal");
  named(y_, rows * B, "vector");
  named(pivots_, rows * B, "pivots");
  named(status_, rows, "status");
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

#define WEFT_INSTANTIATE(T, B)                                                                        \
  template ColoredFactors<T, B>::ColoredFactors(const BsrPattern&, const RowColors&, Factors, Team&); \
  template bool ColoredFactors<T, B>::are_vectors(std::span<const T>, std::span<T>) const;            \
  template void ColoredFactors<T, B>::factor(const BsrView<const T, B>&, Team&);                      \
  template void ColoredFactors<T, B>::apply(std::span<const T>, std::span<T>, Team&);                 \
  template std::vector<std::int32_t> ColoredFactors<T, B>::singular_rows(const After&);
WEFT_LINEAR_INSTANCES(WEFT_INSTANTIATE)
#undef WEFT_INSTANTIATE

}  // namespace weft::kernels
