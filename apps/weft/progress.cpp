#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "weft/base/counted.hpp"

#include "launch.hpp"

namespace weft::app {
namespace {

constexpr double kBarInterval = 0.2, kLineInterval = 5.0;  // seconds

int terminal_width() {
  // Under mpirun our standard output is mpirun's own; our launcher tells what is at its other end.
  if (under_launcher()) {
    const char* width = std::getenv("WEFT_TERMINAL_WIDTH");
    return width == nullptr ? 0 : std::max(40, std::atoi(width));
  }
  winsize window{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) return std::max<int>(40, window.ws_col);
  return 0;
}

std::string duration(double seconds) {
  if (seconds < 0) return "?";
  const auto s = std::lround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

/// What there is to tell in at most `room` columns: what matters least goes first.
std::string facts(const flow::Progress& p, std::size_t room) {
  std::array<std::string, 6> all{fmt::format("step {}", p.step),
                                 fmt::format("t {:.4g}", p.time),
                                 fmt::format("dt {:.2e}", p.dt),
                                 fmt::format("residual {:.2e}", p.residual),
                                 fmt::format("{:.2f} M cell-residuals/s", p.cell_residuals_per_second * 1e-6),
                                 fmt::format("left {}", duration(p.seconds_left))};
  constexpr std::array<std::size_t, 5> kFirstToGo{2, 1, 4, 3, 0};
  std::string line;
  for (std::size_t gone = 0;; ++gone) {
    line.clear();
    for (const std::string& fact : all) line += fact.empty() || line.empty() ? fact : "  " + fact;
    if (line.size() <= room || gone == kFirstToGo.size()) return line;
    all[kFirstToGo[gone]].clear();
  }
}

}  // namespace

ProgressPrinter::ProgressPrinter(const Communicator& comm) : talks_(comm.is_root()), width_(terminal_width()) {}

void ProgressPrinter::mesh_ready(const mesh::Mesh& mesh, double seconds) {
  const auto most = mesh.comm.max(static_cast<std::int64_t>(mesh.owned_cells));
  const auto ghosts = mesh.comm.sum(static_cast<std::int64_t>(mesh.ghost_cells));
  if (!talks_) return;
  end_line();
  fmt::print("mesh {}: {}, {}-D, {} (largest part {}, {} in all), ready in {:.1f} s\n", mesh.source,
             counted(mesh.global_cells, "cell"), mesh.dim, counted(mesh.comm.size(), "rank"), counted(most, "cell"),
             counted(ghosts, "ghost cell"), seconds);
  for (const std::string& note : mesh.notes) fmt::print("mesh {}: {}\n", mesh.source, note);
  if (mesh.source_parts > 0 && mesh.comm.size() > 1 && mesh.source_parts != mesh.comm.size()) {
    fmt::print("its file is cut into {}, so it was cut anew: weft mesh partition makes a file for {}\n",
               counted(mesh.source_parts, "part"), counted(mesh.comm.size(), "rank"));
  }
  std::fflush(stdout);
}

void ProgressPrinter::warned(const std::string& text) {
  if (!talks_) return;
  end_line();
  fmt::print(stderr, "weft: warning: {}\n", text);
}

void ProgressPrinter::solver_ready(const flow::Solver& solver) {
  const std::string transport = solver.transport();
  const int ranks = solver.mesh().comm.size();
  if (!talks_) return;
  if (solver.threads() > 1) fmt::print("computed by {} threads{}\n", solver.threads(), ranks == 1 ? "" : " of each rank");
  if (solver.on_gpu()) {
    fmt::print("computed on the GPU{}{}\n", ranks == 1 ? "" : fmt::format("s of {} ranks", ranks),
               transport.empty() ? "" : ", ghosts travel by \"" + transport + "\"");
  } else if (!transport.empty()) {
    fmt::print("ghosts travel by \"{}\"\n", transport);
  }
}

void ProgressPrinter::resumed(const std::filesystem::path& checkpoint, std::int64_t step, double time,
                              const std::string& instead_of) {
  if (!talks_) return;
  end_line();
  if (!instead_of.empty()) fmt::print("weft: warning: {}; taking the checkpoint before it\n", instead_of);
  fmt::print("resumed from {} at step {}, time {:.6g}\n", checkpoint.string(), step, time);
}

void ProgressPrinter::changed(const std::vector<io::CaseChange>& changes) {
  if (!talks_) return;
  end_line();
  for (const io::CaseChange& change : changes) {
    fmt::print("changed since that checkpoint: {} was {}, is {}\n", change.key, change.before.empty() ? "absent" : change.before,
               change.now.empty() ? "absent" : change.now);
  }
}

void ProgressPrinter::advanced(const flow::Progress& progress) {
  if (!talks_ || (shown_ && since_shown_.seconds() < (width_ > 0 ? kBarInterval : kLineInterval))) return;
  shown_ = true;
  since_shown_.restart();
  if (width_ > 0) {
    fmt::print("\r{}\x1b[K", bar(progress));
    on_line_ = true;
  } else {
    fmt::print("{:5.1f} %  {}\n", 100 * progress.fraction, facts(progress, std::string::npos));
  }
  std::fflush(stdout);
}

std::string ProgressPrinter::bar(const flow::Progress& progress) const {
  constexpr int kPercent = 7;  // columns of "100 %  "
  const std::string text = facts(progress, static_cast<std::size_t>(width_ - 1 - kPercent));
  const int room = width_ - 2 - kPercent - static_cast<int>(text.size());
  std::string line;
  if (room >= 10) {
    const int length = std::min(room - 2, 30);
    const auto full = std::lround(progress.fraction * length);
    line = fmt::format("[{}{}] ", std::string(static_cast<std::size_t>(full), '='),
                       std::string(static_cast<std::size_t>(length - full), ' '));
  }
  line += fmt::format("{:3.0f} %  {}", 100 * progress.fraction, text);
  return line;
}

void ProgressPrinter::wrote(const std::filesystem::path& file) {
  if (!talks_ || width_ > 0) return;  // the bar would drown in file names
  fmt::print("wrote {}\n", file.string());
}

void ProgressPrinter::end_line() {
  if (!on_line_) return;
  fmt::print("\n");
  on_line_ = false;
}

}  // namespace weft::app
