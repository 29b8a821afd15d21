// weft plan: scaling estimates of a case on other numbers of ranks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/base/clock.hpp"
#include "weft/base/error.hpp"
#include "weft/base/resident_memory.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/thread_cores.hpp"
#include "weft/flow/app/case.hpp"
#include "weft/flow/app/case_check.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/flow/app/scaling_estimate.hpp"
#include "weft/flow/app/start.hpp"
#include "weft/io/case/case_reader.hpp"
#include "weft/io/text_file.hpp"
#include "weft/mesh/partition/planned_subdomains.hpp"
#include "weft/task/schedule_text.hpp"
#include "weft/task/stage_picture.hpp"

#include "command.hpp"
#include "json_output.hpp"
#include "output_file.hpp"

namespace weft::app {
namespace {

constexpr int kMostRanks = 65536;

struct PlanOptions {
  std::string file;
  std::vector<std::string> overrides;
  std::vector<int> ranks;
  std::string tasks;  ///< file for the tasks of a stage; empty: none
  bool json = false, force = false;
  double latency_us = 0, bandwidth_gbs = 0, cell_rate_m = 0;  ///< 0: measured or assumed
};

/// A format of the tasks of a stage.
struct TasksFormat {
  const char* extension;
  std::string (*text)(const task::Schedule& schedule);
};
constexpr TasksFormat kTasksFormats[] = {
    {".svg",
     [](const task::Schedule& schedule) {
       return task::stage_svg(schedule.repeated, "Each further stage of a step, on several ranks");
     }},
    {".dot", [](const task::Schedule& schedule) { return task::stage_dot(schedule.repeated); }},
    {".json", task::schedule_json},
    {".txt", task::schedule_text}};

/// Returns the format of a file by its extension; null: unknown.
const TasksFormat* tasks_format_of(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension();
  const auto* const found = std::ranges::find(kTasksFormats, extension, &TasksFormat::extension);
  return found == std::end(kTasksFormats) ? nullptr : found;
}

std::string tasks_extensions() {
  std::string list;
  for (const TasksFormat& format : kTasksFormats) list += (list.empty() ? "" : ", ") + std::string(format.extension);
  return list;
}

// The shortest of repeated measurements is used: other programs may run on this machine.

/// A value and its origin.
struct Figure {
  double value;
  const char* origin;
};

/// Returns the shortest time of a pull with 5 doubles per row on the slowest rank. @collective
double pull_seconds(const GhostPlan& plan) {
  constexpr int kWidth = 5, kTimes = 101;
  ArrayPair<double, kWidth> rows(plan);
  std::fill(rows.storage().begin(), rows.storage().end(), 1.0);
  Exchange pull = ArrayTransformer(plan, {rows}).pull();
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i) {
    plan.comm().barrier();
    const Stopwatch one;
    pull.run();
    times.push_back(one.seconds());
  }
  plan.comm().max(std::span<double>(times));
  return *std::min_element(times.begin(), times.end());
}

constexpr std::int32_t kRows = 10000;  ///< rows of a long exchange
constexpr double kBytes = kRows * 5.0 * 8;

/// Rows in random order out of 4 * kRows, packed and unpacked on this rank.
double measure_pack_rate() {
  std::vector<GhostRequest> images;
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int64_t> any(0, 4 * kRows - 1);
  for (std::int32_t i = 0; i < kRows; ++i) images.push_back({GlobalRow(any(random)), 1});
  const GhostPlan plan = GhostPlan::build(Communicator::self(), 4 * kRows, images);
  return 2 * 40.0 * plan.ghost_rows() / pull_seconds(plan);
}

/// Requests of a pull from the next rank.
double measure_exchange(const Communicator& comm, std::int32_t rows) {
  std::vector<GlobalRow> requests;
  const std::int64_t next = (comm.rank().value() + 1) % comm.size();
  for (std::int64_t i = 0; i < rows; ++i) requests.emplace_back(next * rows + i);
  return pull_seconds(GhostPlan::build(comm, rows, requests));
}

/// Runs steps of the case for a second and returns the fastest: cells times stages per second of the rank with most cells.
/// @collective
double measure_cell_rate(flow::Solver& solver, const flow::Numerics& numerics) {
  constexpr double kSeconds = 1;
  constexpr int kWarm = 2, kLeast = 3;
  const mesh::Mesh& mesh = solver.mesh();
  const double cells = mesh.comm.max(static_cast<double>(mesh.owned_cells));
  std::vector<double> times;
  const Stopwatch all;
  for (int i = 0; mesh.comm.broadcast(i < kWarm + kLeast || all.seconds() < kSeconds); ++i) {
    mesh.comm.barrier();
    const Stopwatch one;
    (void)solver.step(1e300);
    if (i >= kWarm) times.push_back(one.seconds());
  }
  mesh.comm.max(std::span<double>(times));
  return numerics.rk_stages * cells / *std::min_element(times.begin(), times.end());
}

void print_table(const std::vector<flow::ScalingEstimate>& estimates) {
  fmt::print("\n                 cells of a rank     most    most        in a step, of the rank that sends most\n");
  fmt::print("   ranks        most      fewest   ghosts  neighb.  messages        bytes   MB/rank      ms/step   efficiency\n");
  for (const flow::ScalingEstimate& f : estimates) {
    fmt::print("{:8} {:11} {:11} {:8} {:8} {:9} {:12} {:9.1f} {:12.4g} {:11.1f}%\n", f.ranks, f.most_cells, f.fewest_cells,
               f.most_ghosts, f.most_neighbours, f.messages, f.bytes, 1e-6 * f.memory, 1e3 * f.step_s, 100 * f.efficiency);
  }
}

Json json_of(const std::vector<flow::ScalingEstimate>& estimates) {
  Json all = Json::array();
  for (const flow::ScalingEstimate& f : estimates) {
    all.push_back({{"ranks", f.ranks},
                   {"most_cells", f.most_cells},
                   {"fewest_cells", f.fewest_cells},
                   {"most_ghosts", f.most_ghosts},
                   {"most_neighbours", f.most_neighbours},
                   {"messages", f.messages},
                   {"bytes", f.bytes},
                   {"all_messages", f.all_messages},
                   {"all_bytes", f.all_bytes},
                   {"memory_bytes", f.memory},
                   {"step_seconds", f.step_s},
                   {"efficiency", f.efficiency}});
  }
  return all;
}

/// Latency and bandwidth of messages, in s and bytes/s.
struct Network {
  Figure latency, bandwidth;
};

/// Returns the given figures, else measured ones, else assumed ones. @collective
Network network_of(const Communicator& comm, const PlanOptions& options, double pack_rate) {
  const int here = comm.size();
  Figure latency{1e-6 * options.latency_us, "given"}, bandwidth{1e9 * options.bandwidth_gbs, "given"};
  if (options.latency_us <= 0) {
    latency = here > 1 ? Figure{measure_exchange(comm, 1), "measured between the ranks that are here"}
                       : Figure{2e-6, "assumed: with -n 2 it is measured between two ranks of this machine"};
  }
  if (options.bandwidth_gbs <= 0) {
    bandwidth = {10e9, "assumed: with -n 2 it is measured between two ranks of this machine"};
    if (here > 1) {
      // The time of a long exchange minus packing and latency; at least a tenth of it.
      const double all = measure_exchange(comm, kRows), packing = 2 * kBytes / pack_rate + latency.value;
      bandwidth = {kBytes / std::max(all - packing, 0.1 * all), "measured between the ranks that are here"};
    }
  }
  return {latency, bandwidth};
}

Exit plan_case(const Communicator& comm, const PlanOptions& options) {
  io::CaseReader reader(flow::read_case_file(comm, options.file, options.overrides));
  const flow::Case flow_case = flow::read_good_case(comm, reader);
  if (flow_case.device != Backend::host) {
    throw InputError("weft plan knows the cost of flows on the host only", "add --set device=host");
  }
  if (!options.tasks.empty()) expect_new_file(comm, options.tasks, options.force);
  const int here = comm.size();
  const double before = resident_bytes(), at_rest = comm.max(before);
  const mesh::Mesh mesh = flow::load_mesh(comm, flow_case.mesh, share_of_cores(comm));
  const auto solver = flow::make_solver(mesh, flow_case);
  flow::Start(mesh, flow_case).initialise(*solver);
  const double rate = options.cell_rate_m > 0 ? 1e6 * options.cell_rate_m : measure_cell_rate(*solver, flow_case.numerics);
  const double grown = comm.sum(resident_bytes() - before);
  const double rows = comm.sum(static_cast<double>(mesh.cells()));

  const double pack_rate = comm.min(measure_pack_rate());
  const auto [latency, bandwidth] = network_of(comm, options, pack_rate);
  const flow::MachineModel machine{.cell_residuals_per_second = rate,
                                   .latency_s = latency.value,
                                   .bandwidth = bandwidth.value,
                                   .pack_rate = pack_rate,
                                   .memory_per_cell = std::max(grown, 0.0) / rows,
                                   .memory_at_rest = at_rest};

  const int scalars = static_cast<int>(flow_case.scalars.size());
  agreed(comm, [&] {
    if (!comm.is_root() || options.tasks.empty()) return;
    const task::DryPlan stage = flow::dry_stage(flow_case.numerics, mesh.dim, scalars);
    io::write_text(options.tasks, tasks_format_of(options.tasks)->text(stage.schedule));
  });
  std::vector<flow::ScalingEstimate> estimates;
  std::vector<mesh::PlannedSubdomain> nearest;  // subdomains with the efficiency nearest to 1/2, from which its limit is computed
  double distance = 0;
  for (const int ranks : options.ranks) {
    std::vector<mesh::PlannedSubdomain> parts = mesh::planned_subdomains(mesh, ranks);
    estimates.push_back(flow::estimate_scaling(parts, flow_case.numerics, mesh.dim, machine, scalars));
    const double off = std::abs(std::log(2 * estimates.back().efficiency));
    if (ranks > 1 && (nearest.empty() || off < distance)) {
      nearest = std::move(parts);
      distance = off;
    }
  }
  if (!comm.is_root()) return Exit::done;
  const std::int64_t last =
      nearest.empty() ? 0 : flow::last_efficient(nearest, flow_case.numerics, mesh.dim, machine, 0.5, scalars);
  const char* const of_rate = options.cell_rate_m > 0 ? "given" : "measured: steps of this case";
  if (options.json) {
    print_json("plan", {{"mesh", mesh.source},
                        {"cells", mesh.global_cells},
                        {"dim", mesh.dim},
                        {"planned_on_ranks", here},
                        {"cell_residuals_per_second", {{"value", rate}, {"origin", of_rate}}},
                        {"latency_seconds", {{"value", latency.value}, {"origin", latency.origin}}},
                        {"bandwidth_bytes_per_second", {{"value", bandwidth.value}, {"origin", bandwidth.origin}}},
                        {"packing_bytes_per_second", pack_rate},
                        {"memory_bytes_per_cell", machine.memory_per_cell},
                        {"memory_bytes_at_rest", at_rest},
                        {"estimates", json_of(estimates)},
                        {"efficient_up_to_ranks", nearest.empty() ? Json(nullptr) : Json(last)}});
    return Exit::done;
  }
  fmt::print("mesh {}: {} cells, {}-D; planned on {} rank{}\n\n", mesh.source, mesh.global_cells, mesh.dim, here,
             here == 1 ? "" : "s");
  fmt::print("speed of a rank     {:9.3g} M cell-residuals/s  ({})\n", 1e-6 * rate, of_rate);
  fmt::print("latency             {:9.3g} us a message         ({})\n", 1e6 * latency.value, latency.origin);
  fmt::print("bandwidth           {:9.3g} GB/s a rank          ({})\n", 1e-9 * bandwidth.value, bandwidth.origin);
  fmt::print("packing             {:9.3g} GB/s                 (measured)\n", 1e-9 * pack_rate);
  fmt::print("memory              {:9.3g} bytes a cell + {:.0f} MB  (measured)\n", machine.memory_per_cell, 1e-6 * at_rest);
  print_table(estimates);
  if (!nearest.empty()) {
    fmt::print("\nBeyond about {} rank{} ({} cells each) the efficiency is less than 50%.\n", last, last == 1 ? "" : "s",
               mesh.global_cells / last);
  }
  std::fflush(stdout);
  return Exit::done;
}

}  // namespace

void add_plan(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("plan", "Say what a case would cost on other numbers of ranks, without having them");
  auto options = std::make_shared<PlanOptions>();
  command->add_option("case", options->file, "Case file (TOML)")->type_name("CASE")->required();
  command->footer(
      "Examples:\n  weft plan case.toml --ranks 2,16,128\n  weft plan case.toml --ranks 1024 --latency 1.5 --bandwidth 20 -n 2");
  command->add_option("--set", options->overrides, "Override a key of the case: --set numerics.cfl=0.5")
      ->type_name("KEY=VALUE")
      ->take_all();
  command->add_option("--ranks", options->ranks, "Numbers of ranks to plan for: --ranks 64,4096")
      ->required()
      ->delimiter(',')
      ->type_name("N[,N...]")
      ->check(CLI::Range(1, kMostRanks));
  command->add_option("--latency", options->latency_us, "Microseconds that a message takes between the ranks planned for")
      ->check(positive());
  command->add_option("--bandwidth", options->bandwidth_gbs, "GB/s at which each of them sends")->check(positive());
  command->add_option("--cell-rate", options->cell_rate_m, "Million cell-residuals/s that each of them computes")
      ->check(positive());
  command
      ->add_option("--tasks", options->tasks,
                   fmt::format("Write the tasks of a stage and their exchanges: a picture, Graphviz, JSON or text ({})",
                               tasks_extensions()))
      ->type_name("FILE")
      ->check(CLI::Validator(
          [](const std::string& file) {
            return tasks_format_of(file) != nullptr
                       ? std::string()
                       : fmt::format("its name must end in one of {}, and is \"{}\"", tasks_extensions(), file);
          },
          ""));
  command->add_flag("--force", options->force, "Replace the file of --tasks if it is there");
  add_json_option(*command, options->json);
  add_launch_options(*command, request, "-n", "Plan on this many MPI ranks (through mpirun)");
  command->callback(
      [options, &request] { request.action = [options](const Communicator& comm) { return plan_case(comm, *options); }; });
}

}  // namespace weft::app
