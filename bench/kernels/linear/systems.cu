// The colours, ILU(0) and LU-SGS, and the solvers with each preconditioner.
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/base/id.hpp"
#include "weft/kernels/linear/bicgstab.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/bsr_product.hpp"
#include "weft/kernels/linear/colored_factors.hpp"
#include "weft/kernels/linear/gmres.hpp"
#include "weft/kernels/linear/row_colors.hpp"

#include "gpu_timing.hpp"
#include "kernels/box_matrix.hpp"
#include "kernels/euler_matrix.hpp"
#include "kernels/linear/systems.hpp"
#include "kernels/linear/table.cuh"

namespace bench {
namespace {

using namespace weft;
using kernels::BsrPattern;

constexpr int kB = 5, kRestart = 30, kMostCycles = 100;

/// The compulsory bytes of operations on a matrix without ghost columns that has all diagonal blocks.
template <class T>
struct Traffic {
  double rows, blocks, block, vector;

  explicit Traffic(const BsrPattern& pattern)
      : rows(pattern.rows()),
        blocks(static_cast<double>(pattern.blocks())),
        block(kB * kB * sizeof(T)),
        vector(rows * kB * sizeof(T)) {}
  [[nodiscard]] double product() const { return blocks * (block + 4) + 4 * rows + 2 * vector; }
  [[nodiscard]] double block_jacobi() const { return rows * block + 2 * vector; }
  /// One read of L, U, the sizes of their rows and the right-hand side, two of D^-1, and one write of the result.
  [[nodiscard]] double sweeps() const { return (blocks - rows) * (block + 4) + 8 * rows + 2 * rows * block + 2 * vector; }
  /// One read of A and of the slots of L and U in it, one write of L, D, U and D^-1, and reads of `of_u` blocks of U.
  [[nodiscard]] double factors(double of_u) const { return (2 * blocks + rows + of_u) * block + 8 * (blocks - rows); }
  /// The vectors that a cycle of GMRES must read and write.
  [[nodiscard]] double basis() const {
    double vectors = 7 + kRestart;  // normalised, expanded, corrected, residual
    for (int j = 0; j < kRestart; ++j) vectors += 3 * (j + 1) + 5;
    return vectors * vector;
  }
  [[nodiscard]] double cycle(double preconditioner) const { return (kRestart + 1) * (product() + preconditioner) + basis(); }
};

/// Returns the number of blocks of U that the rows of ILU(0) read: for each block of L those of a row.
double reads_of_u(const BsrPattern& pattern, const kernels::RowColors& colors) {
  const kernels::BsrPatternView view = pattern.view();
  const std::span<const std::int32_t> color = colors.colors();
  const auto for_each_pair = [&](const auto& call) {
    for (std::int32_t row = 0; row < view.rows; ++row) {
      for (std::int32_t k = 0; k < view.sizes[row]; ++k) call(to_index(row), to_index(view.column[view.slot(row, k)]));
    }
  };
  std::vector<int> of_u(color.size(), 0);
  for_each_pair([&](std::size_t row, std::size_t column) { of_u[row] += color[row] < color[column] ? 1 : 0; });
  double reads = 0;
  for_each_pair([&](std::size_t row, std::size_t column) { reads += color[column] < color[row] ? of_u[column] : 0; });
  return reads;
}

/// Computes the colours on the GPU, next to all threads of the host in place of a library, and returns them.
kernels::RowColors add_colors(Table& table, Stream& stream, const BsrPattern& pattern, Team& team) {
  // The columns, the transposed positions, and the colour and the place of each row.
  const double bytes = 8.0 * static_cast<double>(pattern.blocks()) + 20.0 * pattern.rows();
  const double own = median_host_seconds(stream, 1, [&] { const kernels::RowColors again(kGpu, stream, pattern); });
  const double of_host = median_host_seconds(stream, 1, [&] { const kernels::RowColors again(pattern, team); });
  table.add({"colours", bytes, own, of_host});
  kernels::RowColors colors(kGpu, stream, pattern);
  std::printf("  %d colours; \"library\" has %d threads of the host\n", static_cast<int>(colors.count()), team.size());
  return colors;
}

template <class T>
struct Preconditioners {
  kernels::BlockJacobi<T, kB> jacobi;
  kernels::ColoredFactors<T, kB> lu_sgs, ilu0;

  Preconditioners(const BsrPattern& pattern, const kernels::RowColors& colors, Team& team)
      : jacobi(pattern.rows(), Backend::cuda),
        lu_sgs(pattern, colors, kernels::Factors::lu_sgs, team),
        ilu0(pattern, colors, kernels::Factors::ilu0, team) {}
};

/// A system of equations. Solvers begin at 0.
template <class T>
struct System {
  kernels::BsrView<const T, kB> a;
  Traffic<T> traffic;
  DeviceVector<T> b, x;

  System(Stream& stream, const kernels::BsrMatrix<T, kB>& matrix)
      : a(matrix.template view<space::cuda>()),
        traffic(matrix.pattern()),
        b(random<T>(stream, std::int64_t{a.pattern.rows} * kB)),
        x(stream, b.size()) {}
  template <class Solver>
  void start(Stream& stream, Solver& solver, kernels::Preconditioner<T>& preconditioner, double tolerance) {
    set_bytes(stream, x.data(), 0, x.bytes());
    solver.start(kGpu, stream, a, &preconditioner, b.span(), x.span(), tolerance);
  }
  [[nodiscard]] double seconds_of(Stream& stream, kernels::Preconditioner<T>& preconditioner) {
    return median_seconds(stream, [&] { preconditioner.apply(kGpu, stream, b.span(), x.span()); });
  }
};

template <class T>
void add_factors(Table& table, Stream& stream, System<T>& system, kernels::ColoredFactors<T, kB>& factors,
                 const std::string& name, double of_u) {
  const std::string of = of_blocks<T, kB>();
  table.add({name + ", factors" + of, system.traffic.factors(of_u),
             median_seconds(stream, [&] { factors.factor(kGpu, stream, system.a); }), 0});
  table.add({name + ", applied" + of, system.traffic.sweeps(), system.seconds_of(stream, factors), 0});
}

/// Compares a cycle with the sum of its kernels.
template <class T>
void add_cycle(Table& table, Stream& stream, System<T>& system, kernels::Gmres<T, kB>& solver,
               kernels::BlockJacobi<T, kB>& jacobi, const std::string& of) {
  const double bytes = system.traffic.cycle(system.traffic.block_jacobi());
  const double cycle = median_seconds(
      stream, [&] { solver.cycle(kGpu, stream, 1); }, [&] { system.start(stream, solver, jacobi, 0); });
  const double product =
      median_seconds(stream, [&] { kernels::multiply(kGpu, stream, system.a, system.b.span(), system.x.span()); });
  const double sum = (kRestart + 1) * (product + system.seconds_of(stream, jacobi)) + system.traffic.basis() / table.copy;
  table.add({"GMRES(30), a cycle" + of, bytes, cycle, 0});
  table.add({"GMRES(30), the sum of its kernels" + of, bytes, sum, 0});
  std::printf("  a cycle takes %.3f of the sum of its kernels\n", cycle / sum);
}

template <class T>
void add_solution(Table& table, Stream& stream, System<T>& system, kernels::Gmres<T, kB>& solver,
                  kernels::Preconditioner<T>& preconditioner, double bytes_of_preconditioner, const std::string& what) {
  system.start(stream, solver, preconditioner, 1e-6);
  kernels::KrylovStatus status = solver.status(after(stream));
  const Stopwatch watch;
  int cycles = 0;
  for (; cycles < kMostCycles && status.state == kernels::KrylovState::running; ++cycles) {
    solver.cycle(kGpu, stream, 1);
    status = solver.status(after(stream));
  }
  table.add({what, cycles * system.traffic.cycle(bytes_of_preconditioner), watch.seconds(), 0, status.iterations});
  std::printf("  %d iterations, residual %.3e%s\n", static_cast<int>(status.iterations), status.residual / status.right_side,
              status.state == kernels::KrylovState::converged ? "" : ", not converged");
}

/// Measures the solvers for one matrix.
template <class T>
void add_solvers(Table& table, Stream& stream, System<T>& system, Preconditioners<T>& by, const std::string& name) {
  const std::string of = name + of_blocks<T, kB>();
  const Traffic<T>& traffic = system.traffic;
  by.jacobi.factor(kGpu, stream, system.a);
  by.lu_sgs.factor(kGpu, stream, system.a);
  by.ilu0.factor(kGpu, stream, system.a);
  kernels::Gmres<T, kB> gmres(system.a.pattern.rows, kRestart, Backend::cuda);
  add_cycle(table, stream, system, gmres, by.jacobi, of);
  add_solution(table, stream, system, gmres, by.jacobi, traffic.block_jacobi(), "GMRES(30), to 1e-6" + of);
  add_solution(table, stream, system, gmres, by.lu_sgs, traffic.sweeps(), "GMRES(30) with LU-SGS, to 1e-6" + of);
  add_solution(table, stream, system, gmres, by.ilu0, traffic.sweeps(), "GMRES(30) with ILU(0), to 1e-6" + of);
  kernels::BiCgStab<T, kB> bicgstab(system.a.pattern.rows, Backend::cuda);
  table.add({"BiCGStab, ten iterations" + of, 10 * (2 * (traffic.product() + traffic.block_jacobi()) + 17 * traffic.vector),
             median_seconds(
                 stream, [&] { bicgstab.iterate(kGpu, stream, 10); }, [&] { system.start(stream, bicgstab, by.jacobi, 0); }),
             0});
}

template <class T>
void add_systems_of(Table& table, Stream& stream, const std::shared_ptr<const BsrPattern>& pattern,
                    const kernels::RowColors& colors, std::int32_t edge, Team& team) {
  kernels::BsrMatrix<T, kB> matrix(pattern);
  const kernels::BsrView<T, kB> values = matrix.template values<space::cuda>();
  Preconditioners<T> by(*pattern, colors, team);
  System<T> system(stream, matrix);
  parallel_for(kGpu, stream, pattern->rows(), FillPoisson<T, kB>{values});
  add_factors(table, stream, system, by.lu_sgs, "LU-SGS", 0);
  add_factors(table, stream, system, by.ilu0, "ILU(0)", reads_of_u(*pattern, colors));
  add_solvers(table, stream, system, by, "");
  parallel_for(kGpu, stream, pattern->rows(), FillEuler<T>{values, edge, 100});
  add_solvers(table, stream, system, by, ", Euler");
}

}  // namespace

void add_systems(Table& table, Stream& stream, const std::shared_ptr<const BsrPattern>& pattern, std::int32_t edge, Team& team) {
  const kernels::RowColors colors = add_colors(table, stream, *pattern, team);
  add_systems_of<double>(table, stream, pattern, colors, edge, team);
  add_systems_of<float>(table, stream, pattern, colors, edge, team);
}

}  // namespace bench
