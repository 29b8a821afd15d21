#pragma once
// The plan and the arrays that the tests of transports exchange.
#include <cstdint>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/ghost_plan.hpp"
#include "weft/comm/communicator.hpp"

namespace weft::test::transport {

/// A contiguous range, strided rows and rows in random order, of every other rank, and periodic images of rows of this rank.
inline GhostPlan make_plan(const Communicator& comm) {
  constexpr std::int32_t kOwned = 40;
  const int me = comm.rank().value();
  std::vector<GhostRequest> requests;
  for (int r = 0; r < comm.size(); ++r) {
    const std::int64_t first = std::int64_t{kOwned} * r;
    const int kind = (r + me) % 3;
    for (std::int64_t i = 0; i < 12; ++i) {
      const std::int64_t row = first + (kind == 0 ? i + 3 : kind == 1 ? 3 * i : (7 * i * i + me) % kOwned);
      requests.push_back({GlobalRow(row), r == me ? 1 : 0});
    }
  }
  return GhostPlan::build(comm, kOwned, requests);
}

inline double value(std::int64_t g, int k, int time) { return static_cast<double>((7 * g + 13 * k + 31 * time) % 101) / 3.0; }
inline int length(std::int64_t g) { return static_cast<int>(g % 4); }

/// Arrays of several types, widths and layouts that are exchanged together.
struct Arrays {
  ArrayPair<double, 5> q;
  static constexpr int kColumns = 20;  ///< more copies than a kernel takes as arguments, also on one rank
  ArrayPair<float, Dynamic> soa;
  ArrayPair<std::int8_t, 3> bytes;
  ArrayPair<std::int32_t, NonUniform, 4> lists;

  Arrays(const GhostPlan& plan, Backend backend)
      : q(plan, Layout::aos, backend),
        soa(plan, kColumns, Layout::soa, backend),
        bytes(plan, Layout::aos, backend),
        lists(plan, Layout::aos, backend) {}
  [[nodiscard]] std::vector<PairRef> all() { return {q, soa, bytes, lists}; }

  template <class F>
  void each_entry(std::int32_t first, std::int32_t last, const F& f) {
    for (std::int32_t i = first; i < last; ++i) {
      for (int k = 0; k < 5; ++k) f(q(i, k), i, k);
      for (int k = 0; k < kColumns; ++k) f(soa(i, k), i, k);
      for (int k = 0; k < 3; ++k) f(bytes(i, k), i, k);
      for (int k = 0; k < lists.row_size(i); ++k) f(lists(i, k), i, k);
    }
  }
  void fill(int time) {
    const GhostPlan& plan = q.plan();
    for (std::int32_t i = 0; i < plan.rows(); ++i) {
      lists.resize_row(i, i < plan.owned_rows() ? length(plan.global(LocalRow(i)).value()) : 0);
    }
    each_entry(0, plan.rows(), [&]<class T>(T& entry, std::int32_t i, int k) {
      entry = i < plan.owned_rows() ? static_cast<T>(value(plan.global(LocalRow(i)).value(), k, time)) : T(-1);
    });
  }
  /// Makes the host side stale, as if kernels had written all rows. No effect without a device side.
  void to_device_alone(Backend backend) {
    if (backend == Backend::host) return;
    const auto move = [&]<Space S>(S) {
      q.to_device(After()).wait();
      (void)q.view<Aos, S>();
      soa.to_device(After()).wait();
      (void)soa.view<Soa, S>();
      bytes.to_device(After()).wait();
      (void)bytes.view<Aos, S>();
      lists.to_device(After()).wait();
      (void)lists.view<Aos, S>();
    };
    backend == Backend::mirror ? move(space::mirror{}) : move(space::cuda{});
  }
  void to_host() {
    if (q.backend() == Backend::host) return;
    q.to_host(After()).wait();
    soa.to_host(After()).wait();
    bytes.to_host(After()).wait();
    lists.to_host(After()).wait();
  }
};

}  // namespace weft::test::transport
