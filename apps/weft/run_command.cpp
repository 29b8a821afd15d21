#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
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
#include "weft/base/team.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/environment.hpp"
#include "weft/comm/thread_cores.hpp"
#include "weft/device/device.hpp"
#include "weft/device/host_rates.hpp"
#include "weft/device/info.hpp"
#include "weft/flow/app/case.hpp"
#include "weft/flow/app/case_check.hpp"
#include "weft/flow/app/case_errors.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/flow/app/start.hpp"
#include "weft/io/case/case_reader.hpp"
#include "weft/io/text_file.hpp"
#include "weft/task/recording.hpp"

#include "command.hpp"
#include "json_output.hpp"
#include "progress.hpp"
#include "run_record.hpp"
#include "stop_signals.hpp"
#include "sweep.hpp"

namespace weft::app {
namespace {

std::atomic<bool> g_stop{false};
std::atomic<int> g_user_requests{0};  ///< SIGINT and SIGTERM
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void request_stop(int signal) {
  g_stop = true;
  // The third signal of the user ends the program without cleanup. A launcher sends SIGUSR1 for each request, and a terminal that
  // is closed may send SIGHUP more than once.
  if (signal != SIGUSR1 && signal != SIGHUP && g_user_requests.fetch_add(1) > 1) _exit(static_cast<int>(Exit::failed));
}

struct CaseOptions {
  std::string file;
  std::vector<std::string> overrides;
};

void add_case_options(CLI::App& command, CaseOptions& options) {
  command.add_option("case", options.file, "Case file (TOML)")->type_name("CASE")->required();
  command.add_option("--set", options.overrides, "Override a key of the case: --set numerics.cfl=0.5")
      ->type_name("KEY=VALUE")
      ->take_all();
  command
      .add_option_function<std::string>(
          "--device", [&options](const std::string& device) { options.overrides.push_back("--device device=" + device); },
          "Where the flow is computed, as --set device=...: host or cuda")
      ->check(CLI::IsMember({"host", "cuda"}));
  command
      .add_option_function<std::string>(
          "--threads", [&options](const std::string& threads) { options.overrides.push_back("--threads threads=" + threads); },
          "Threads of each rank, as --set threads=... (1)")
      ->check(CLI::Range(1, flow::kMostThreads));
  command
      .add_option_function<std::string>(
          "--bind", [&options](const std::string& how) { options.overrides.push_back("--bind bind=" + how); },
          "Cores of the threads, as --set bind=... (automatic)")
      ->check(CLI::IsMember(names<Bind>()));
}

constexpr int kMostTraceSteps = 10000;

struct RunOptions : CaseOptions {
  std::vector<std::string> sweep;
  bool overwrite = false, resume = false, accept_changes = false, strict = false;
  double watchdog = 0;  ///< s; 0: none
  std::string trace;    ///< file; empty: none
  int trace_steps = task::Recording::kSteps;
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
  for (const flow::ForceSpec& spec : flow_case.forces) {
    const flow::Forces& on = summary.forces.at(spec.name);
    if (spec.has_coefficients()) {
      text += fmt::format("{}: Cd {:.8g}  Cl {:.8g}  Cm {:.6g} ({})\n", spec.name, on.drag, on.lift, on.pitch, flow::kPitchSign);
    } else {
      text += fmt::format("{}: force ({:.8g}, {:.8g}, {:.8g}) N  moment ({:.6g}, {:.6g}, {:.6g}) N m\n", spec.name, on.force.x,
                          on.force.y, on.force.z, on.moment.x, on.moment.y, on.moment.z);
    }
  }
  if (summary.error) {
    for (int k = 0; k < flow::Solver::kVars; ++k) {
      const auto& norm = (*summary.error)[k];
      text += fmt::format("error of {}: L1 {:.6e}  L2 {:.6e}  max {:.6e}\n", flow::IdealGas::primitive_name(k), norm.l1, norm.l2,
                          norm.linf);
    }
  }
  return text;
}

/// Runs a case, prints its progress, and writes its log and its record. @param recording  null: none.  @throws as flow::run().
/// @collective
flow::RunSummary run_and_show(const Communicator& comm, const io::CaseReader& reader, const flow::Case& flow_case,
                              flow::Existing existing, const flow::RunStart& begin, task::Recording* recording) {
  const bool resumes = flow::resumes(existing);
  RunLog log(flow_case.output.directory / flow::kLogFile, resumes);
  ProgressPrinter printer(comm, &log, flow_case.numerics.local_time_step);
  log.add(fmt::format("{}{}, {:%Y-%m-%dT%H:%M:%SZ}, {} on {}\n", RunLog::kFirstWord, WEFT_VERSION,
                      fmt::gmtime(std::time(nullptr)), counted(comm.size(), "rank"), MpiEnvironment::machine()));
  if (!flow_case.title.empty()) printer.say(flow_case.title + "\n");
  for (const std::string& warning : flow_case.warnings) printer.warned(warning);
  RunRecord record(comm, flow_case, resumes, printer);
  flow::RunSummary summary;
  try {
    const auto stop = [recording] {
      if (recording != nullptr) recording->write_first_steps();
      return g_stop.load();
    };
    summary = flow::run(comm, flow_case, reader.effective_toml(), existing, record, stop, begin);
  } catch (const std::exception& error) {
    record.failed(error.what());
    log.add(flow::error_lines(error));
    throw;
  }
  printer.say(summary_of(flow_case, summary, resumes));
  printer.say_verdict(summary.verdict);
  printer.say(fmt::format("results in {}\n", flow_case.output.directory.string()));
  return summary;
}

/// How long a rank that fails waits for the others, which may fail as well.
constexpr double kPatienceSeconds = 1;

/// Measures what the machine gives to each rank while all of them compute: its threads, and its GPU if the case uses one.
/// @collective
void measure_rates(const Communicator& comm, const flow::Case& flow_case, task::Recording& recording) {
  task::MachineRates host, device;
  comm.barrier();
  try {
    Team team(flow_case.threads, each_thread_has_core(comm, flow_case.threads));
    const HostRates rates = measure_host_rates(team);
    host = {.flops_per_second = rates.flops, .bytes_per_second = rates.copy};
    if (is_cuda(flow_case.device)) device.bytes_per_second = measure_bandwidth(current_device()).copy;
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): without memory for it, the trace has no rates of the machine
  }
  recording.set_rates(host, device);
}

/// Runs `work` and writes a trace of it if the command line asks for one, also where `work` throws: then with the events of this
/// rank alone unless all ranks throw.  @throws the exceptions of `work`; IoError.  @collective
template <class Work>
flow::RunSummary with_trace(const Communicator& comm, const RunOptions& options, const flow::Case& flow_case, const Work& work) {
  if (options.trace.empty()) return work(nullptr);
  agreed(comm, [&] {
    const std::filesystem::path folder = std::filesystem::path(options.trace).parent_path();
    if (comm.is_root() && !folder.empty()) io::make_directories(folder);
  });
  task::Recording recording(comm, options.trace, options.trace_steps);
  flow::RunSummary summary;
  try {
    summary = work(&recording);
  } catch (const std::exception&) {
    try {
      MpiEnvironment::all_ranks_arrive(kPatienceSeconds) ? recording.write() : recording.write_alone();
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the error of the run is reported
    }
    throw;
  }
  measure_rates(comm, flow_case, recording);
  recording.write();
  ProgressPrinter(comm).say(fmt::format("trace in {}: open it in https://ui.perfetto.dev, or see weft trace summary {}\n",
                                        options.trace, options.trace));
  return summary;
}

Exit run_case(const Communicator& comm, const RunOptions& options) {
  std::optional<Watchdog> watchdog;
  if (options.watchdog > 0) {
    watchdog.emplace(options.watchdog,
                     fmt::format("rank {} of {} on {}", comm.rank().value(), comm.size(), MpiEnvironment::machine()));
  }
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) std::signal(signal, request_stop);
  if (std::signal(SIGHUP, request_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // ignored under nohup
  if (!options.sweep.empty()) {
    return run_sweep(
        comm,
        {.file = options.file,
         .overrides = options.overrides,
         .sweep = options.sweep,
         .overwrite = options.overwrite,
         .resume = options.resume,
         .accept_changes = options.accept_changes,
         .strict = options.strict},
        [&](const io::CaseReader& reader, const flow::Case& flow_case, flow::Existing existing, const flow::RunStart& begin) {
          return run_and_show(comm, reader, flow_case, existing, begin, nullptr);
        });
  }
  const io::CaseReader reader(flow::read_case_file(comm, options.file, options.overrides));
  const flow::Case flow_case = flow::read_good_case(comm, reader);
  auto existing = options.overwrite ? flow::Existing::overwrite : flow::Existing::refuse;
  if (options.resume) existing = options.accept_changes ? flow::Existing::resume_changed : flow::Existing::resume;
  const flow::RunSummary summary = with_trace(comm, options, flow_case, [&](task::Recording* recording) {
    return run_and_show(comm, reader, flow_case, existing, {}, recording);
  });
  if (summary.reason == flow::StopReason::interrupted) return Exit::interrupted;
  return options.strict && !summary.verdict.good ? Exit::not_converged : Exit::done;
}

struct CheckOptions : CaseOptions {
  bool json = false;
};

Exit check_case(const Communicator& comm, const CheckOptions& options) {
  const flow::CaseCheck check = flow::check_case(comm, flow::read_case_file(comm, options.file, options.overrides));
  ProgressPrinter printer(comm);
  for (const std::string& warning : check.warnings) printer.warned(warning);
  if (!options.json) printer.say(flow::describe(check));
  if (options.json && comm.is_root()) print_json("check", to_json(check));
  if (check.errors.empty()) return Exit::done;
  if (comm.is_root()) {
    fmt::print(stderr, "{}", flow::error_lines(flow::CaseErrors(check.errors)));
  }
  const bool of_physics = std::all_of(check.errors.begin(), check.errors.end(),
                                      [](const Error& error) { return error.kind() == Error::Kind::physics; });
  return of_physics ? Exit::physics : Exit::failed;
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

CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? std::string("must not be empty") : std::string(); }, ""};
}

CLI::Validator picture_file() {
  return {[](const std::string& name) {
            const std::filesystem::path extension = std::filesystem::path(name).extension();
            const bool known = extension == ".png" || extension == ".pdf" || extension == ".svg";
            return known ? std::string() : fmt::format("pictures are .png, .pdf and .svg files, and {} is none", name);
          },
          ""};
}

void add_launch_options(CLI::App& command, Request& request, const std::string& names, const std::string& help) {
  command.add_option(names, request.launch.ranks, help)->check(positive());
  command.add_option("--mpirun-options", request.launch.options, "More options for mpirun, in one word: \"--hostfile hosts\"");
  command.add_flag("--oversubscribe", request.launch.oversubscribe, "Start more than 4 ranks per core of this machine, too");
}

void add_run(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("run", "Run a case");
  command->footer(
      "Examples:\n  weft run case.toml -n 4\n  weft run case.toml --set numerics.cfl=0.5 --set output.directory=results/slow\n"
      "  weft run case.toml --resume --set stop.steps=20000\n  weft run case.toml --device cuda\n"
      "  weft run case.toml --sweep free_stream.alpha=-2:4:1 -n 4");
  auto options = std::make_shared<RunOptions>();
  add_case_options(*command, *options);
  auto* sweep =
      command
          ->add_option(
              "--sweep", options->sweep,
              "Run the case at each of these values of a number of the case, FIRST:LAST:STEP or a list; with several, at all "
              "combinations: --sweep free_stream.alpha=0:4:2 --sweep free_stream.mach=0.5,0.7")
          ->type_name("KEY=VALUES")
          ->take_all();
  auto* overwrite = command->add_flag("--overwrite", options->overwrite, "Replace the results that are there");
  auto* resume = command->add_flag("--resume", options->resume, "Go on from the last checkpoint of the results that are there");
  resume->excludes(overwrite);
  command->add_flag("--accept-changes", options->accept_changes, "Resume even where keys changed that change the physics")
      ->needs(resume);
  command->add_flag("--strict", options->strict,
                    "Exit with 3 where the verdict on the run is not good: it did not converge, say");
  command->add_option("--watchdog", options->watchdog, "End a rank that waits or computes this long, in s, and say for whom")
      ->check(positive());
  auto* trace = command
                    ->add_option("--trace", options->trace,
                                 "Write to this file what the ranks do when (Chrome trace, for https://ui.perfetto.dev and weft "
                                 "trace): the start, the first and the last steps, and the end")
                    ->type_name("FILE")
                    ->check(not_empty())
                    ->excludes(sweep);
  command
      ->add_option("--trace-steps", options->trace_steps,
                   fmt::format("How many of the first and of the last steps a trace has ({}): about 15 kB per rank and step",
                               options->trace_steps))
      ->check(CLI::Range(1, kMostTraceSteps))
      ->needs(trace);
  add_launch_options(*command, request);
  command->callback([options, &request] {
    std::signal(SIGUSR1, request_stop);  // sent by a launcher to end ranks, possibly before MPI is initialised
    unblock_stop_signals();
    request.action = [options](const Communicator& comm) { return run_case(comm, *options); };
  });
}

void add_check(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("check", "Read a case and its mesh, and say what is wrong with them");
  command->footer("Examples:\n  weft check case.toml\n  weft check case.toml --set mesh.file=fine.su2");
  auto options = std::make_shared<CheckOptions>();
  add_case_options(*command, *options);
  add_json_option(*command, options->json);
  add_launch_options(*command, request);
  command->callback(
      [options, &request] { request.action = [options](const Communicator& comm) { return check_case(comm, *options); }; });
}

void add_reference(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("reference", "Print the reference of every key of a case, as Markdown");
  command->footer("Examples:\n  weft reference | grep -A 30 '^## .\\[numerics'");
  command->callback([&request] {
    request.action = [](const Communicator& comm) {
      if (comm.is_root()) fmt::print("{}", flow::case_reference());
      return Exit::done;
    };
  });
}

}  // namespace weft::app
