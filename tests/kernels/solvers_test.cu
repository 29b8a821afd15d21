// The iterative solvers of a GPU have the bits of the host in every run while another kernel competes.
#include <gtest/gtest.h>

#include <vector>

#include "weft/kernels/linear/bicgstab.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/gmres.hpp"

#include "kernels/diffusion.hpp"
#include "kernels/on_gpu.hpp"
#include "kernels/ways.cuh"
#include "support/gpu.hpp"

namespace weft::kernels::solvers_test {
namespace {

using test::check;
using test::OnGpu;
using test::Result;
using test::Way;

constexpr space::cuda kGpu{};
constexpr int kB = 5, kEdge = 12, kRows = kEdge * kEdge * kEdge;

/// Solves a system with block Jacobi. @param advance  (solver, space and stream, or nothing) enqueues or does the iterations.
template <class Solver, class Advance>
void expect_repeated_bits(Solver& on_host, Solver& on_gpu, const Advance& advance) {
  Stream stream;
  const auto list = test::diffusion<double, kB>(kEdge);
  BsrMatrix<double, kB> a(list.pattern(Backend::cuda), list.blocks);
  const std::vector<double> b = test::numbers<double>(static_cast<std::size_t>(list.rows) * kB, 3);
  std::vector<double> x(b.size());
  BlockJacobi<double, kB> of_host(list.rows, Backend::host), of_gpu(list.rows, Backend::cuda);
  of_host.factor(a.view());
  on_host.start(a.view(), &of_host, b, x, 1e-4);
  advance(on_host);
  ASSERT_EQ(on_host.status().state, KrylovState::converged);
  a.to_device(stream);
  const BsrView<const double, kB> view_of_gpu = a.view<space::cuda>();
  of_gpu.factor(kGpu, stream, view_of_gpu);
  const OnGpu right(stream, b), solution(stream, x);
  const auto run = [&](Stream& s) {
    set_bytes(s, solution.data(), 0, solution.span().size_bytes());
    on_gpu.start(kGpu, s, view_of_gpu, &of_gpu, right.input(), solution.span(), 1e-4);
    advance(on_gpu, kGpu, s);
  };
  check(Way::repeated, stream, 16, run, Result<double>{solution, x});
  EXPECT_EQ(on_gpu.status(after(stream)), on_host.status());
}

TEST(CudaRepeatedSolver, gmres_has_the_bits_of_the_host_while_a_kernel_competes) {
  WEFT_NEEDS_GPU();
  Gmres<double, kB> on_host(kRows, 10, Backend::host), on_gpu(kRows, 10, Backend::cuda);
  expect_repeated_bits(on_host, on_gpu, [](auto& solver, auto&... machine) { solver.cycle(machine..., 6); });
}

TEST(CudaRepeatedSolver, bicgstab_has_the_bits_of_the_host_while_a_kernel_competes) {
  WEFT_NEEDS_GPU();
  BiCgStab<double, kB> on_host(kRows, Backend::host), on_gpu(kRows, Backend::cuda);
  expect_repeated_bits(on_host, on_gpu, [](auto& solver, auto&... machine) { solver.iterate(machine..., 30); });
}

}  // namespace
}  // namespace weft::kernels::solvers_test
