// Kernels write rows of all kinds and layouts through views, and exchanges copy them to the ghost rows.
#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/array/csr_pair.hpp"
#include "weft/device/parallel_for.cuh"

#include "array/exchange_support.hpp"
#include "support/gpu.hpp"

namespace weft::view_kernels_test {
namespace {

using namespace test;

/// Writes value<T>(global row, k, time) to the rows from `first` on.
template <class Rows>
struct Write {
  Rows rows;
  std::int64_t first;
  int time;
  WEFT_HD void operator()(std::int32_t i) const {
    int size = 0;
    if constexpr (requires { rows.row_size(i); }) {
      size = rows.row_size(i);
    } else {
      size = rows.row_size();
    }
    for (int k = 0; k < size; ++k)
      rows(i, k) =
          static_cast<typename Rows::value_type>((7 * (first + i) + std::int64_t{13} * k + std::int64_t{31} * time) % 101);
  }
};

template <class P>
P pair_of(const GhostPlan& plan, Layout layout, Backend backend) {
  if constexpr (std::is_constructible_v<P, GhostPlan, Layout, Backend>) {
    return P(plan, layout, backend);
  } else if constexpr (std::is_constructible_v<P, GhostPlan, int, Layout, Backend>) {
    return P(plan, 3, layout, backend);
  } else {  // with the lengths of their owned rows
    using T = typename P::value_type;
    std::vector<std::int64_t> offsets{0};
    for (std::int32_t i = 0; i < plan.rows(); ++i) offsets.push_back(offsets.back() + length(plan.global(LocalRow(i)).value()));
    const std::vector<T> entries(static_cast<std::size_t>(offsets.back()), T{});
    return P(plan, Array<T, NonUniform>(offsets, entries, backend));
  }
}

template <class P, class L, class Space>
void write_and_pull(Backend backend) {
  const Communicator comm = Communicator::world();
  for (const Pattern pattern : kPatterns) {
    const GhostPlan plan = make_plan(comm, pattern);
    P pair = pair_of<P>(plan, L::kLayout, backend);
    if constexpr (requires { pair.resize_row(LocalRow(0), 1); }) {
      for (std::int32_t i = 0; i < plan.owned_rows(); ++i) pair.resize_row(LocalRow(i), length(plan.global(LocalRow(i)).value()));
    }
    Exchange pull = ArrayTransformer(plan, {pair}).pull();
    Stream stream = Stream::for_backend(backend);
    for (const int time : {1, 2}) {
      stream.wait_for(After(pair.to_device(After())));
      const auto view = pair.template view<L, Space>();
      const std::int64_t first = plan.owned_rows() > 0 ? plan.global(LocalRow(0)).value() : 0;
      parallel_for(Space{}, stream, plan.owned_rows(), Write<std::remove_const_t<decltype(view)>>{view, first, time});
      pull.run(after(stream));
      pair.to_host(After()).wait();
      expect_ghosts(pair, time);
    }
  }
}

template <class P>
class ViewKernels : public ::testing::Test {
 protected:
  template <class Space>
  static void each_layout(Backend backend) {
    write_and_pull<P, Aos, Space>(backend);
    if constexpr (!std::is_same_v<P, ArrayPair<double, NonUniform>>) write_and_pull<P, Soa, Space>(backend);
  }
};
using Pairs = ::testing::Types<ArrayPair<double>, ArrayPair<double, 5>, ArrayPair<double, 5, 5, 64>, ArrayPair<float, 7, 7, 16>,
                               ArrayPair<float, Dynamic>, ArrayPair<std::int8_t, 3>, ArrayPair<std::int32_t, NonUniform, 8>,
                               ArrayPair<std::int64_t, NonUniform, Dynamic>, ArrayPair<double, NonUniform>>;
TYPED_TEST_SUITE(ViewKernels, Pairs);

TYPED_TEST(ViewKernels, WriteRowsThatGhostsReceiveInTheMirror) { this->template each_layout<space::mirror>(Backend::mirror); }
TYPED_TEST(ViewKernels, WriteRowsThatGhostsReceiveOnCuda) {
  WEFT_NEEDS_GPU();
  this->template each_layout<space::cuda>(Backend::cuda);
}

}  // namespace
}  // namespace weft::view_kernels_test
