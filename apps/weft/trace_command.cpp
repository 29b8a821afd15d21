// weft trace: what traces of runs say.
#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/comm/agreement.hpp"
#include "weft/io/text_file.hpp"
#include "weft/task/device_overlap.hpp"
#include "weft/task/recording_summary.hpp"
#include "weft/task/trace_file.hpp"
#include "weft/task/trace_summary.hpp"

#include "command.hpp"
#include "json_output.hpp"
#include "standard_output.hpp"

namespace weft::app {
namespace {

struct TraceOptions {
  std::vector<std::string> files;
  task::MachineRates host{}, gpu{};  ///< GFLOP/s and GB/s of a rank; 0: those in the trace
  bool json = false;
};

[[nodiscard]] task::MachineRates in_si(const task::MachineRates& rates) {
  constexpr double kGiga = 1e9;
  return {.flops_per_second = kGiga * rates.flops_per_second, .bytes_per_second = kGiga * rates.bytes_per_second};
}

[[nodiscard]] Json share_json(std::span<const task::ExchangeOverlap> exchanges) {
  return task::can_hide(exchanges) ? Json(task::hidden_share(exchanges)) : Json();
}

[[nodiscard]] Json exchanges_json(std::span<const task::ExchangeOverlap> exchanges) {
  Json list = Json::array();
  for (const task::ExchangeOverlap& of : exchanges) {
    list.push_back({{"name", of.name}, {"seconds", of.seconds}, {"hidden", of.hidden}, {"can_be_hidden", of.can_be_hidden}});
  }
  return list;
}

[[nodiscard]] Json recording_json(std::span<const task::RankTrace> ranks) {
  if (!task::is_recording(ranks)) return {};
  const task::RecordingSummary summary = task::summarize_recording(ranks);
  Json exchanges = Json::array();
  for (const task::RecordingSummary::Exchange& of : summary.exchanges) {
    exchanges.push_back({{"name", of.name}, {"starts", of.starts}, {"in_flight", of.in_flight}, {"covered", of.covered}});
  }
  return {{"steps", summary.steps},
          {"kept", summary.kept},
          {"seconds", summary.seconds},
          {"step", summary.step},
          {"computed", summary.computed_mean},
          {"overlap", exchanges.empty() ? Json() : Json(summary.overlap())},
          {"exchanges", exchanges}};
}

[[nodiscard]] Json plans_json(std::span<const task::RankTrace> ranks) {
  const task::TraceSummary summary = task::summarize(ranks);
  if (summary.iterations == 0) return {};
  return {{"iterations", summary.iterations},
          {"iteration", summary.iteration},
          {"critical_path", summary.critical_path},
          {"hidden_share", share_json(summary.exchanges)},
          {"exchanges", exchanges_json(summary.exchanges)}};
}

[[nodiscard]] Json gpus_json(std::span<const task::RankTrace> ranks) {
  const task::DeviceOverlap summary = task::summarize_device_overlap(ranks);
  if (!summary.has_exchanges) return {};
  return {{"iterations", summary.iterations},
          {"iterations_without_rows", summary.without_rows},
          {"hidden_share", share_json(summary.exchanges)},
          {"exchanges", exchanges_json(summary.exchanges)}};
}

void print_summaries(const std::vector<std::string>& files) {
  Json traces = Json::array();
  for (const std::string& file : files) {
    const std::vector<task::RankTrace> ranks = task::parse_trace(io::read_text(file), file);
    traces.push_back({{"file", file},
                      {"ranks", ranks.size()},
                      {"recording", recording_json(ranks)},
                      {"plans", plans_json(ranks)},
                      {"gpus", gpus_json(ranks)}});
  }
  print_json("trace summary", {{"traces", traces}});
}

void summarize(const TraceOptions& options) {
  const std::vector<std::string>& files = options.files;
  if (options.json) return print_summaries(files);
  for (const std::string& file : files) {
    if (files.size() > 1) print_out(fmt::format("{}{}\n", file == files.front() ? "" : "\n", file));
    print_out(task::summary_text(task::parse_trace(io::read_text(file), file), in_si(options.host), in_si(options.gpu)));
  }
}

}  // namespace

void add_trace(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("trace", "Say where the time of a run went, from a trace of weft run --trace");
  command->require_subcommand(1);
  command->footer("Examples:\n  weft run case.toml -n 4 --trace trace.json\n  weft trace summary trace.json");
  CLI::App* summary =
      command->add_subcommand("summary",
                              "Print phases, critical path over the ranks, overlap of messages with computation, also on GPUs, "
                              "imbalance, waits, messages, rates of tasks");
  summary->footer(
      "Examples:\n  weft trace summary trace.json\n  weft trace summary before.json after.json\n"
      "  weft trace summary trace.json --gpu-bandwidth 4200 --gpu-flops 34000");
  auto options = std::make_shared<TraceOptions>();
  add_json_option(*summary, options->json);
  const auto add_rate = [&](const std::string& name, double& rate, const std::string& what) {
    summary->add_option(name, rate, what + ", instead of what was measured with the trace")->check(positive());
  };
  add_rate("--host-bandwidth", options->host.bytes_per_second, "GB/s of a copy by the threads of a rank");
  add_rate("--host-flops", options->host.flops_per_second, "GFLOP/s of the threads of a rank");
  add_rate("--gpu-bandwidth", options->gpu.bytes_per_second, "GB/s of a copy on the GPU of a rank");
  add_rate("--gpu-flops", options->gpu.flops_per_second, "GFLOP/s of the GPU of a rank");
  summary->add_option("trace", options->files, "Trace of weft run --trace or of weft.task.Trace.write()")
      ->type_name("FILE")
      ->required();
  summary->callback([options, &request] {
    request.action = [options](const Communicator& comm) {
      agreed(comm, [&] {
        if (comm.is_root()) summarize(*options);
      });
      return Exit::done;
    };
  });
}

}  // namespace weft::app
