// weft trace: what traces of runs say.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "weft/comm/agreement.hpp"
#include "weft/io/text_file.hpp"
#include "weft/task/recording_summary.hpp"
#include "weft/task/trace_file.hpp"

#include "command.hpp"
#include "standard_output.hpp"

namespace weft::app {
namespace {

void summarize(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (files.size() > 1) print_out(fmt::format("{}{}\n", file == files.front() ? "" : "\n", file));
    print_out(task::summary_text(task::parse_trace(io::read_text(file), file)));
  }
}

}  // namespace

void add_trace(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("trace", "Say where the time of a run went, from a trace of weft run --trace");
  command->require_subcommand(1);
  command->footer("Examples:\n  weft run case.toml -n 4 --trace trace.json\n  weft trace summary trace.json");
  CLI::App* summary = command->add_subcommand(
      "summary", "Print phases, critical path over the ranks, overlap of messages with computation, imbalance, waits, messages");
  summary->footer("Examples:\n  weft trace summary trace.json\n  weft trace summary before.json after.json");
  auto files = std::make_shared<std::vector<std::string>>();
  summary->add_option("trace", *files, "Trace of weft run --trace or of weft.task.Trace.write()")->type_name("FILE")->required();
  summary->callback([files, &request] {
    request.action = [files](const Communicator& comm) {
      agreed(comm, [&] {
        if (comm.is_root()) summarize(*files);
      });
      return Exit::done;
    };
  });
}

}  // namespace weft::app
