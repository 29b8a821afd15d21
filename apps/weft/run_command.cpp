#include <fmt/chrono.h>
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/counted.hpp"
#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device.hpp"
#include "weft/flow/case.hpp"
#include "weft/flow/inflow_checks.hpp"
#include "weft/flow/results.hpp"
#include "weft/flow/run.hpp"
#include "weft/io/case_reader.hpp"

#include "command.hpp"
#include "progress.hpp"
#include "run_record.hpp"

namespace weft::app {
namespace {

std::atomic<int> g_stop{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void request_stop(int signal) {
  // After two signals of the user's own the next one ends the program the hard way. A terminal that goes sends SIGHUP more than
  // once.
  if (g_stop.fetch_add(1) > 0 && signal != SIGUSR1 && signal != SIGHUP) std::signal(signal, SIG_DFL);
}

struct CaseOptions {
  std::string file;
  std::vector<std::string> overrides;
};

void add_case_options(CLI::App& command, CaseOptions& options) {
  command.add_option("case", options.file, "Case file (TOML)")->required();
  command.add_option("--set", options.overrides, "Override a key of the case: --set numerics.cfl=0.5")
      ->type_name("KEY=VALUE")
      ->take_all();
  command.add_option_function<std::string>(
      "--device", [&options](const std::string& device) { options.overrides.push_back("device=" + device); },
      "Where the flow is computed, as --set device=...: host or cuda");
  command.add_option_function<std::string>(
      "--threads", [&options](const std::string& threads) { options.overrides.push_back("threads=" + threads); },
      "Threads of each rank, as --set threads=...");
}

struct RunOptions : CaseOptions {
  bool overwrite = false, resume = false, accept_changes = false, strict = false;
  double watchdog = 0;  ///< s; 0: none
};

std::string summary_of(const flow::Case& flow_case, const flow::RunSummary& summary, bool resumed) {
  const std::string at = fmt::format("step {}{}", summary.steps,
                                     flow_case.numerics.local_time_step ? "" : fmt::format(", time {:.9g}", summary.time));
  std::string text;
  if (resumed && summary.steps == summary.first_step && summary.reason != flow::StopReason::interrupted) {
    text = fmt::format("nothing to do: {} already, {}; change [stop] to go on\n", flow::describe(summary.reason), at);
  } else {
    text = fmt::format("stopped: {}, {}, {:.1f} s, {:.2f} M cell-residuals/s\n", flow::describe(summary.reason), at,
                       summary.wall_seconds, summary.cell_residuals_per_second * 1e-6);
  }
  for (const auto& [name, forces] : summary.forces) {
    text += fmt::format("{}: Cd {:.8g}  Cl {:.8g}  Cm ({:.6g}, {:.6g}, {:.6g})\n", name, forces.drag, forces.lift,
                        forces.moment_coefficient.x, forces.moment_coefficient.y, forces.moment_coefficient.z);
  }
  if (summary.error) {
    for (int k = 0; k < flow::Solver::kVars; ++k) {
      const auto& norm = (*summary.error)[static_cast<std::size_t>(k)];
      text += fmt::format("error of {}: L1 {:.6e}  L2 {:.6e}  max {:.6e}\n", flow::IdealGas::primitive_name(k), norm.l1, norm.l2,
                          norm.linf);
    }
  }
  return text;
}

Exit run_case(const Communicator& comm, const RunOptions& options) {
  std::optional<Watchdog> watchdog;
  if (options.watchdog > 0) {
    watchdog.emplace(options.watchdog,
                     fmt::format("rank {} of {} on {}", comm.rank().value(), comm.size(), MpiEnvironment::machine()));
  }
  io::CaseReader reader(io::CaseFile::read(comm, options.file, options.overrides));
  const flow::Case flow_case = flow::read_case(reader);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) std::signal(signal, request_stop);
  if (std::signal(SIGHUP, request_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup

  RunLog log(flow_case.output.directory / flow::kLogFile, options.resume);
  ProgressPrinter printer(comm, &log, flow_case.numerics.local_time_step);
  log.add(fmt::format("weft {}, {:%Y-%m-%dT%H:%M:%SZ}, {} on {}\n", WEFT_VERSION, fmt::gmtime(std::time(nullptr)),
                      counted(comm.size(), "rank"), MpiEnvironment::machine()));
  if (!flow_case.title.empty()) printer.say(flow_case.title + "\n");
  for (const std::string& warning : flow_case.warnings) printer.warned(warning);
  auto existing = options.overwrite ? flow::Existing::overwrite : flow::Existing::refuse;
  if (options.resume) existing = options.accept_changes ? flow::Existing::resume_changed : flow::Existing::resume;
  RunRecord record(comm, flow_case, options.resume, printer);
  flow::RunSummary summary;
  try {
    summary = flow::run(comm, flow_case, reader.effective_toml(), existing, record, [] { return g_stop.load() > 0; });
  } catch (const std::exception& error) {
    record.failed(error.what());
    log.add(fmt::format("weft: error: {}\n", error.what()));
    throw;
  }
  record.ended(summary);
  printer.say(summary_of(flow_case, summary, options.resume));
  printer.say_verdict(summary.verdict);
  printer.say(fmt::format("results in {}\n", flow_case.output.directory.string()));
  if (summary.reason == flow::StopReason::interrupted) return Exit::interrupted;
  return options.strict && !summary.verdict.good ? Exit::not_converged : Exit::done;
}

Exit check_case(const Communicator& comm, const CaseOptions& options) {
  io::CaseReader reader(io::CaseFile::read(comm, options.file, options.overrides));
  flow::Case flow_case = flow::read_case(reader);
  const bool without_gpu = flow_case.device != Backend::host && comm.min(device_count()) == 0;  // on a login node, say
  if (without_gpu) {
    flow_case.device = Backend::host;
    flow_case.transport = Transport::automatic;
  }
  const mesh::Mesh mesh = flow::load_mesh(comm, flow_case.mesh);
  const auto solver = flow::make_solver(mesh, flow_case);
  ProgressPrinter printer(comm);
  for (const std::string& warning : flow_case.warnings) printer.warned(warning);
  for (const std::string& warning : flow::check_inflows(mesh, flow_case)) printer.warned(warning);
  for (const std::string& warning : flow::check_steps(*solver)) printer.warned(warning);
  solver->initialise(flow::InitialState(flow_case.initial));
  for (const flow::ForceSpec& force : flow_case.forces) flow::check_zones(mesh, force.zones, "forces." + force.name + ".zones");
  for (const flow::ProbeChoice& probe : flow_case.probes) (void)flow::Probe(mesh, probe.at, probe.name);
  if (comm.is_root()) {
    for (const std::string& note : mesh.notes) fmt::print("mesh {}: {}\n", mesh.source, note);
    std::string zones;
    for (const mesh::BoundaryZone& zone : mesh.boundary) zones += " " + zone.name;
    fmt::print("{}: good. {} in {}-D; {}\n", options.file, counted(mesh.global_cells, "cell"), mesh.dim,
               zones.empty() ? "no boundary" : "zones:" + zones);
    if (without_gpu) fmt::print("checked without a GPU, so not whether the case fits on one\n");
  }
  solver->close();
  return Exit::done;
}

}  // namespace

CLI::Validator positive() {
  return {[](const std::string& text) {
            double value = 0;
            const bool good = CLI::detail::lexical_cast(text, value) && value > 0 && std::isfinite(value);
            return good ? std::string() : fmt::format("must be a number > 0, is {}", text);
          },
          "POSITIVE"};
}

void add_launch_options(CLI::App& command, Request& request, const std::string& names, const std::string& help) {
  command.add_option(names, request.launch.ranks, help)->check(positive());
  command.add_option("--mpirun-options", request.launch.options, "More options for mpirun, in one word: \"--hostfile hosts\"");
  command.add_flag("--oversubscribe", request.launch.oversubscribe, "Start more than 4 ranks per core of this machine, too");
}

void add_run(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("run", "Run a case");
  auto options = std::make_shared<RunOptions>();
  add_case_options(*command, *options);
  auto* overwrite = command->add_flag("--overwrite", options->overwrite, "Replace the results that are there");
  auto* resume = command->add_flag("--resume", options->resume, "Go on from the last checkpoint of the results that are there");
  resume->excludes(overwrite);
  command->add_flag("--accept-changes", options->accept_changes, "Resume even where keys changed that change the physics")
      ->needs(resume);
  command->add_flag("--strict", options->strict,
                    "Exit with 3 where the verdict on the run is not good: it did not converge, say");
  command->add_option("--watchdog", options->watchdog, "End a rank that waits or computes this long, in s, and say for whom")
      ->check(positive());
  add_launch_options(*command, request);
  command->callback([options, &request] {
    std::signal(SIGUSR1, request_stop);  // by which a launcher asks ranks to end, before MPI is up, too
    request.action = [options](const Communicator& comm) { return run_case(comm, *options); };
  });
}

void add_check(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("check", "Read a case and its mesh, and say what is wrong with them");
  auto options = std::make_shared<CaseOptions>();
  add_case_options(*command, *options);
  add_launch_options(*command, request);
  command->callback(
      [options, &request] { request.action = [options](const Communicator& comm) { return check_case(comm, *options); }; });
}

void add_reference(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("reference", "Print the reference of every key of a case, as Markdown");
  command->callback([&request] {
    request.action = [](const Communicator& comm) {
      if (comm.is_root()) fmt::print("{}", flow::case_reference());
      return Exit::done;
    };
  });
}

}  // namespace weft::app
