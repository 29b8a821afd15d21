// Measures on the host: the set-up of a pattern and of ILU(0); GMRES(30) of kernels/linear, compared with that of PETSc if the
// build has it; and the iterations that preconditioners save.
//
//   bench_kernels_linear_host [--edge CELLS] [--threads N]     cells per edge of the box, 40; threads, 1
//
// Numbers of 32 bits limit the edge: those of PETSc, which counts the entries of the matrix, to 230 cells, and those of block
// rows to 1290.
//
// The matrix is a seven-point Poisson matrix with blocks of 5 x 5. Both methods orthogonalise twice by classical Gram-Schmidt and
// are preconditioned from the right by the diagonal blocks; PETSc runs on one rank. Times are medians of five runs, interleaved,
// for the solvers of 60 iterations: elapsed, and of the processors of all threads, which other programs on the machine affect
// less. Iterations are those to a residual of 1e-8 for an unsymmetric matrix with coupled variables.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/base/mix.hpp"
#include "weft/base/team.hpp"
#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/colored_factors.hpp"
#include "weft/kernels/linear/gmres.hpp"

#include "arguments.hpp"
#include "kernels/box_matrix.hpp"
#include "petsc_gmres.hpp"

namespace {

using namespace weft;

constexpr int kB = 5, kRestart = 30, kIterations = 60, kRuns = 5;
/// The blocks of a box of this edge have as many entries as PETSc can count.
constexpr int kMostEdge = bench::largest_box(bench::kMostPetscEntries / (kB * kB));

double random_number(std::uint64_t seed) { return static_cast<double>(mix_bits(seed) >> 11U) * 0x1p-52 - 1; }

/// A seven-point matrix on a box of n^3 cells in compressed rows.
struct Box {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> blocks;

  /// @param skew  difference of the two neighbours in a direction.  @param coupling  of the variables in a cell.
  Box(std::int32_t n, double skew, double coupling) {
    for (std::int32_t c = 0; c < n * n * n; ++c) {
      const std::int32_t at[] = {c / n / n, c / n % n, c % n}, apart[] = {n * n, n, 1};
      const auto add = [&](std::int32_t column, double diagonal) {
        columns.push_back(column);
        for (int e = 0; e < kB * kB; ++e) {
          const double other =
              column == c ? coupling * random_number(static_cast<std::uint64_t>(c) * kB * kB + static_cast<std::uint64_t>(e)) : 0;
          blocks.push_back(e % (kB + 1) == 0 ? diagonal : other);
        }
      };
      for (int axis = 0; axis < 3; ++axis) {
        if (at[axis] > 0) add(c - apart[axis], -1 - skew);
      }
      add(c, 6);
      for (int axis = 2; axis >= 0; --axis) {
        if (at[axis] < n - 1) add(c + apart[axis], -1 + skew);
      }
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
  }
  [[nodiscard]] std::int32_t rows() const { return static_cast<std::int32_t>(offsets.size() - 1); }
};

std::vector<double> right_side(std::int32_t rows) {
  std::vector<double> b(static_cast<std::size_t>(rows) * kB);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = random_number(i + 7);
  return b;
}

double median(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

/// Elapsed and processor time of runs.
struct Times {
  std::vector<double> elapsed, processor;
  template <class F>
  void add(const F& work) {
    const Stopwatch watch;
    const std::clock_t before = std::clock();
    work();
    processor.push_back(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    elapsed.push_back(watch.seconds());
  }
};

std::shared_ptr<const kernels::BsrPattern> pattern_of(const Box& box, Team& team) {
  return std::make_shared<const kernels::BsrPattern>(box.offsets, box.columns, box.rows(), Backend::host, team);
}

/// Measures the set-up that a pattern needs once, on one thread and on those of the team.
void compare_setups(std::int32_t edge, Team& team) {
  const Box box(edge, 0, 0);
  struct Setups {
    Team& team;
    Times pattern, colors, factors;
  };
  std::vector<Setups> setups{{kernels::calling_thread(), {}, {}, {}}};
  if (team.size() > 1) setups.push_back({team, {}, {}, {}});
  for (int run = 0; run < kRuns; ++run) {
    for (Setups& of : setups) {
      std::shared_ptr<const kernels::BsrPattern> pattern;
      std::unique_ptr<const kernels::RowColors> colors;
      std::unique_ptr<const kernels::ColoredFactors<double, kB>> ilu;
      of.pattern.add([&] { pattern = pattern_of(box, of.team); });
      of.colors.add([&] { colors = std::make_unique<const kernels::RowColors>(*pattern, of.team); });
      of.factors.add([&] {
        ilu = std::make_unique<kernels::ColoredFactors<double, kB>>(*pattern, *colors, kernels::Factors::ilu0, of.team);
      });
    }
  }
  std::printf("Set-up for %d rows of %d, fp64, elapsed and processor time in ms:\n", static_cast<int>(box.rows()), kB);
  std::printf("  %-10s %22s %22s %22s\n", "threads", "BsrPattern", "RowColors", "ColoredFactors");
  for (const Setups& of : setups) {
    std::printf("  %-10d", of.team.size());
    for (const Times* times : {&of.pattern, &of.colors, &of.factors}) {
      std::printf(" %11.1f %10.1f", 1e3 * median(times->elapsed), 1e3 * median(times->processor));
    }
    std::printf("\n");
  }
}

void compare_times(std::int32_t edge, Team& team) {
  const Box box(edge, 0, 0);
  const auto pattern = pattern_of(box, team);
  const kernels::BsrMatrix<double, kB> a(pattern, box.blocks);
  kernels::BlockJacobi<double, kB> jacobi(box.rows(), Backend::host);
  jacobi.factor(a.view(), team);
  const std::vector<double> b = right_side(box.rows());
  std::vector<double> x(b.size()), y(b.size());
  Times own, of_petsc;
  kernels::Gmres<double, kB> solver(box.rows(), kRestart, Backend::host);
  bench::PetscGmres petsc(kB, box.offsets, box.columns, box.blocks, kRestart);
  double petsc_residual = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::fill(x.begin(), x.end(), 0.0);
    own.add([&] {
      solver.start(a.view(), &jacobi, b, x, 0, team);
      solver.cycle(kIterations / kRestart, team);
    });
    std::fill(y.begin(), y.end(), 0.0);
    of_petsc.add([&] { petsc_residual = petsc.run(b, y, kIterations); });
  }
  std::printf("GMRES(30), %d iterations, %d rows of %d, fp64: %.1f ms (processor %.1f ms) on %d threads, residual %.6e\n",
              kIterations, static_cast<int>(box.rows()), kB, 1e3 * median(own.elapsed), 1e3 * median(own.processor), team.size(),
              solver.status().residual);
  if (bench::kHasPetsc) {
    std::printf("PETSc: %.1f ms (processor %.1f ms) on one rank, residual %.6e; PETSc / own %.3f (processor %.3f)\n",
                1e3 * median(of_petsc.elapsed), 1e3 * median(of_petsc.processor), petsc_residual,
                median(of_petsc.elapsed) / median(own.elapsed), median(of_petsc.processor) / median(own.processor));
  } else {
    std::printf("This build has no PETSc (Debian: petsc-dev); Weft alone is measured.\n");
  }
}

void print_iterations(const char* name, const kernels::BsrMatrix<double, kB>& a, kernels::Preconditioner<double>* preconditioner,
                      Team& team) {
  const std::vector<double> b = right_side(a.pattern().rows());
  std::vector<double> x(b.size());
  kernels::Gmres<double, kB> solver(a.pattern().rows(), kRestart, Backend::host);
  const Stopwatch watch;
  solver.start(a.view(), preconditioner, b, x, 1e-8, team);
  solver.cycle(100, team);
  const kernels::KrylovStatus status = solver.status();
  std::printf("  %-28s %5d iterations %9.1f ms%s\n", name, static_cast<int>(status.iterations), 1e3 * watch.seconds(),
              status.state == kernels::KrylovState::converged ? "" : ", not converged");
}

void compare_preconditioners(std::int32_t edge, Team& team) {
  const Box box(edge, 0.2, 0.1);
  const auto pattern = pattern_of(box, team);
  const kernels::BsrMatrix<double, kB> a(pattern, box.blocks);
  const kernels::RowColors colors(*pattern, team);
  std::vector<std::int32_t> distinct(static_cast<std::size_t>(box.rows()));
  std::iota(distinct.begin(), distinct.end(), 0);
  const kernels::RowColors natural(*pattern, distinct);
  std::printf("GMRES(30) to 1e-8, %d^3 cells, %d colours:\n", static_cast<int>(edge), static_cast<int>(colors.count()));
  print_iterations("none", a, nullptr, team);
  kernels::BlockJacobi<double, kB> jacobi(box.rows(), Backend::host);
  jacobi.factor(a.view(), team);
  print_iterations("block Jacobi", a, &jacobi, team);
  for (const kernels::Factors kind : {kernels::Factors::lu_sgs, kernels::Factors::ilu0}) {
    for (const bool by_colours : {true, false}) {
      kernels::ColoredFactors<double, kB> factors(*pattern, by_colours ? colors : natural, kind, team);
      factors.factor(a.view(), team);
      const char* const names[] = {"LU-SGS, natural order", "LU-SGS by colours", "ILU(0), natural order", "ILU(0) by colours"};
      print_iterations(names[(kind == kernels::Factors::ilu0 ? 2 : 0) + (by_colours ? 1 : 0)], a, &factors, team);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  int edge = 40, threads = 1;
  bench::Arguments arguments("bench_kernels_linear_host", "Measures the set-up and GMRES(30) of kernels/linear on the host.");
  const std::string reason =
      kMostEdge < bench::largest_box() ? "PETSc counts entries in 32 bits" : "block rows are counted in 32 bits";
  arguments.add("--edge", edge, "Cells per edge of the box, at most " + std::to_string(kMostEdge) + ": " + reason, 1, kMostEdge);
  arguments.add("--threads", threads, "Threads");
  if (const auto ends = arguments.parse(argc, argv)) return *ends;
  Team team(threads);
  [[maybe_unused]] const bench::PetscSession session;
  compare_setups(edge, team);
  compare_times(edge, team);
  compare_preconditioners(edge, team);
  return 0;
}
