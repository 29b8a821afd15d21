#include "progress.hpp"

#include <fcntl.h>
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
#include "standard_output.hpp"

namespace weft::app {
namespace {

constexpr double kBarInterval = 0.2, kLineInterval = 5.0;  // seconds
constexpr double kQuietStart = 1.0;                        // seconds of start-up without lines

/// Returns the number of columns of the terminal at this descriptor; 0 if there is none, or if it is unknown.
int columns_at(int descriptor) {
  winsize window{};
  return isatty(descriptor) != 0 && ioctl(descriptor, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
}

/// Returns the present number of columns of the terminal of standard output, which users may change. 0 without a terminal.
int terminal_width() {
  constexpr int kLeast = 40;
  if (!under_launcher()) return isatty(STDOUT_FILENO) != 0 ? std::max(kLeast, columns_at(STDOUT_FILENO)) : 0;
  // Under mpirun standard output is a pipe to mpirun; the launcher passes the width of its own terminal.
  const char* const at_start = std::getenv("WEFT_TERMINAL_WIDTH");
  if (at_start == nullptr) return 0;
  const int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  const int now = terminal >= 0 ? columns_at(terminal) : 0;
  if (terminal >= 0) close(terminal);
  return std::max(kLeast, now > 0 ? now : std::atoi(at_start));
}

std::string duration(double seconds) {
  if (seconds < 0) return "?";
  const auto s = std::lround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

/// Returns the figures of the progress in at most `width` columns: the least important ones are left out first.
std::string facts(const flow::Progress& p, bool local_time, std::size_t width) {
  std::string monitored;
  for (const auto& [name, value] : p.monitored)
    monitored += fmt::format("{}{} {:.5g}", monitored.empty() ? "" : "  ", name, value);
  std::array<std::string, 7> all{fmt::format("step {}", p.step),
                                 local_time ? "" : fmt::format("t {:.4g}", p.time),
                                 local_time ? "" : fmt::format("dt {:.2e}", p.dt),
                                 fmt::format("residual {:.2e}", p.residual),
                                 monitored,
                                 fmt::format("{:.2f} M cell-residuals/s", p.cell_residuals_per_second * 1e-6),
                                 fmt::format("left {}", duration(p.seconds_left))};
  constexpr std::array<std::size_t, 6> kFirstToGo{2, 5, 1, 4, 3, 0};
  std::string line;
  for (std::size_t gone = 0;; ++gone) {
    line.clear();
    for (const std::string& fact : all) line += fact.empty() || line.empty() ? fact : "  " + fact;
    if (line.size() <= width || gone == kFirstToGo.size()) return line;
    all[kFirstToGo[gone]].clear();
  }
}

}  // namespace

ProgressPrinter::ProgressPrinter(const Communicator& comm, RunLog* log, bool local_time)
    : talks_(comm.is_root()), on_terminal_(terminal_width() > 0), local_time_(local_time), log_(log) {}

void ProgressPrinter::say(const std::string& text) {
  if (!talks_) return;
  end_line();
  print_out(text);
  log(text);
}

void ProgressPrinter::say_verdict(const flow::Verdict& verdict) {
  if (!talks_) return;
  end_line();
  const char* const no_colour = std::getenv("NO_COLOR");
  const bool coloured = on_terminal_ && (no_colour == nullptr || *no_colour == '\0');
  bool first = true;
  for (const std::string& line : flow::describe(verdict)) {
    if (first && coloured) {
      print_out(fmt::format("\x1b[{}m{}\x1b[0m\n", verdict.good ? "32" : "33", line));
    } else {
      print_out(line + "\n");
    }
    first = false;
    log(line + "\n");
  }
}

void ProgressPrinter::log(const std::string& text) {
  if (log_ != nullptr) log_->add(text);
}

void ProgressPrinter::starting(std::string_view phase, double seconds) {
  if (seconds >= kQuietStart) say(fmt::format("{:6.1f} s  {}\n", seconds, phase));
}

void ProgressPrinter::mesh_ready(const mesh::Mesh& mesh, double seconds) {
  const auto most = mesh.comm.max(static_cast<std::int64_t>(mesh.owned_cells));
  const auto ghosts = mesh.comm.sum(static_cast<std::int64_t>(mesh.ghost_cells));
  say(fmt::format("mesh {}: {}, {}-D, {} (largest part {}, {} in all), ready in {:.1f} s\n", mesh.source,
                  counted(mesh.global_cells, "cell"), mesh.dim, counted(mesh.comm.size(), "rank"), counted(most, "cell"),
                  counted(ghosts, "ghost cell"), seconds));
  for (const std::string& warning : mesh.warnings) warned(fmt::format("mesh {}: {}", mesh.source, warning));
  for (const std::string& note : mesh.notes) say(fmt::format("mesh {}: {}\n", mesh.source, note));
  if (mesh.source_parts > 0 && mesh.comm.size() > 1 && mesh.source_parts != mesh.comm.size()) {
    say(fmt::format("its file is cut into {}, so it was cut anew: weft mesh partition makes a file for {}\n",
                    counted(mesh.source_parts, "part"), counted(mesh.comm.size(), "rank")));
  }
}

void ProgressPrinter::warned(const std::string& text) {
  if (!talks_) return;
  end_line();
  const std::string line = fmt::format("weft: warning: {}\n", text);
  print_error(line);
  log(line);
}

void ProgressPrinter::solver_ready(const flow::Solver& solver) {
  const std::string transport = solver.transport();
  const int ranks = solver.mesh().comm.size();
  if (solver.threads() > 1) {
    say(fmt::format("{} by {} threads{}\n", solver.on_gpu() ? "start-up" : "computed", solver.threads(),
                    ranks == 1 ? "" : " of each rank"));
  }
  if (solver.on_gpu()) {
    say(fmt::format("computed on the GPU{}{}\n", ranks == 1 ? "" : fmt::format("s of {} ranks", ranks),
                    transport.empty() ? "" : ", ghosts travel by \"" + transport + "\""));
  } else if (!transport.empty()) {
    say(fmt::format("ghosts travel by \"{}\"\n", transport));
  }
}

void ProgressPrinter::resumed(const std::filesystem::path& checkpoint, std::int64_t step, double time,
                              const std::string& instead_of) {
  if (!instead_of.empty()) say(fmt::format("weft: warning: {}; taking the checkpoint before it\n", instead_of));
  say(fmt::format("resumed from {} at step {}{}\n", checkpoint.string(), step,
                  local_time_ ? "" : fmt::format(", time {:.6g}", time)));
}

void ProgressPrinter::changed(const std::vector<io::CaseChange>& changes) {
  for (const io::CaseChange& change : changes) {
    say(fmt::format("changed since that checkpoint: {} was {}, is {}\n", change.key,
                    change.before.empty() ? "absent" : change.before, change.now.empty() ? "absent" : change.now));
  }
}

void ProgressPrinter::began() {
  if (talks_ && log_ != nullptr) log_->begin();
}

void ProgressPrinter::advanced(const flow::Progress& progress) {
  if (!talks_) return;
  if (!logged_ || since_logged_.seconds() >= kLineInterval) {
    logged_ = true;
    since_logged_.restart();
    const std::string line =
        fmt::format("{:5.1f} %  {}\n", 100 * progress.fraction, facts(progress, local_time_, std::string::npos));
    log(line);
    if (!on_terminal_) {
      print_out(line);
    }
  }
  if (!on_terminal_) return;
  latest_ = progress;
  if (!shown_ || since_shown_.seconds() >= kBarInterval) show_bar();
}

void ProgressPrinter::show_bar() {
  shown_ = true;
  since_shown_.restart();
  print_out(fmt::format("\r{}\x1b[K", bar(*latest_, terminal_width())));
  latest_.reset();
  on_line_ = true;
}

std::string ProgressPrinter::bar(const flow::Progress& progress, int width) const {
  constexpr int kPercent = 7;  // columns of "100 %  "
  const std::string text = facts(progress, local_time_, width - 1 - kPercent);
  const int space = width - 2 - kPercent - static_cast<int>(text.size());
  std::string line;
  if (space >= 10) {
    const int length = std::min(space - 2, 30);
    const auto full = std::lround(progress.fraction * length);
    line = fmt::format("[{}{}] ", std::string(full, '='), std::string(length - full, ' '));
  }
  line += fmt::format("{:3.0f} %  {}", 100 * progress.fraction, text);
  return line;
}

void ProgressPrinter::wrote(const std::filesystem::path& file) {
  if (!talks_) return;
  const std::string line = fmt::format("wrote {}\n", file.string());
  log(line);
  if (on_terminal_) return;  // file names would hide the bar
  print_out(line);
}

void ProgressPrinter::end_line() {
  if (!on_line_) return;
  if (latest_) show_bar();  // the last progress of the run
  print_out("\n");
  on_line_ = false;
}

}  // namespace weft::app
