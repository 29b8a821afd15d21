// The command line of weft.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <csignal>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/environment.hpp"
#include "weft/flow/app/case_errors.hpp"

#include "command.hpp"
#include "launch.hpp"
#include "standard_output.hpp"
#include "started_ranks.hpp"

namespace {

using namespace weft;

app::Exit exit_for(const std::exception& error) {
  const auto* ours = dynamic_cast<const Error*>(&error);
  if (ours != nullptr && ours->kind() == Error::Kind::physics) return app::Exit::physics;
  if (ours != nullptr && ours->kind() == Error::Kind::interrupted) return app::Exit::interrupted;
  return app::Exit::failed;
}

/// Handles the error of a rank. If all ranks fail, they agree on one error, which rank 0 prints; if a single rank fails, the
/// others would wait for it, so it prints its error and ends the job. Errors of standard output are left to end_output(),
/// unless other ranks wait for this one.
int fail(const Communicator& world, const std::exception& error) {
  constexpr double kPatienceSeconds = 3;
  const int code = static_cast<int>(exit_for(error));
  if (app::is_output_error(error) && world.size() == 1) return code;
  const bool together = MpiEnvironment::all_ranks_arrive(kPatienceSeconds);
  if (!together || world.is_root()) {
    app::print_error(together ? flow::error_lines(error)
                              : fmt::format("weft: error on rank {} alone: {}\n", world.rank().value(), error.what()));
  }
  if (!together) MpiEnvironment::abort_job(code);
  return code;
}

/// Returns the error of the command line as a weft::Error, with the command whose --help contains more.
std::string usage_error(const CLI::App* parser, const CLI::Error& error) {
  std::string problem = error.what(), command = parser->get_name();
  if (!problem.empty()) problem[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(problem[0])));
  const CLI::App* at = parser;
  for (; !at->get_subcommands().empty(); command += " " + at->get_name()) at = at->get_subcommands().front();
  std::vector<std::string> known;
  for (const CLI::App* each : at->get_subcommands({})) known.push_back(each->get_name());
  if (!known.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const std::vector<std::string> words = at->remaining();
    const std::string near = words.empty() ? std::string() : closest_match(words.front(), known);
    problem = words.empty() ? "a command is missing" : fmt::format("there is no command \"{}\"", words.front());
    problem +=
        near.empty() ? fmt::format("; choose one of {}", fmt::join(known, ", ")) : fmt::format("; did you mean \"{}\"?", near);
    return fmt::format("weft: error: {}{} {} --help\n", problem, near.empty() ? "; see" : " See", command);
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    constexpr std::size_t kMostTypos = 2;
    std::vector<std::string> options;
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
    for (const std::string& word : at->remaining()) {
      const std::string near = word.starts_with("--") ? closest_match(word, options) : std::string();
      if (!near.empty() && edit_distance(word, near) <= kMostTypos)
        return fmt::format("weft: error: {}; did you mean {}? See {} --help\n", problem, near, command);
    }
  }
  return fmt::format("weft: error: {}; see {} --help\n", problem, command);
}

}  // namespace

int main(int argc, char** argv) {
  // Writes to a closed pipe, or beyond a limit of the size of files, fail instead of ending the program without a message.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  CLI::App parser("weft: compressible flow on unstructured meshes, on as many ranks as you have", "weft");
  parser.require_subcommand(1);
  parser.failure_message(usage_error);
  parser.set_version_flag("--version", "weft " WEFT_VERSION);
  app::Request request;
  app::add_run(parser, request);
  app::add_check(parser, request);
  app::add_new(parser, request);
  app::add_mesh(parser, request);
  app::add_info(parser, request);
  app::add_plan(parser, request);
  app::add_plot(parser, request);
  app::add_export(parser, request);
  app::add_report(parser, request);
  app::add_trace(parser, request);
  app::add_bench(parser, request);
  app::add_reference(parser, request);
  app::add_completion(parser, request);
  app::add_man(parser, request);
  parser.footer(
      "Examples:\n  weft new naca0012                       write a commented case to start from\n"
      "  weft run naca0012.toml -n 2             run it on two ranks\n"
      "  weft report results/naca0012            write a page about the results\n"
      "  weft COMMAND --help                     options and examples of a command");
  try {
    parser.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, problems;
    const int code = parser.exit(error, out, problems);
    if (app::rank_of_environment() == 0) {
      app::print_out(out.str());
      app::print_error(problems.str());
    }
    return app::end_output(static_cast<int>(code == 0 ? app::Exit::done : app::Exit::usage));
  }
  app::note_start();
  if (request.without_mpi) return app::end_output(static_cast<int>(request.without_mpi()));
  if (request.launch.ranks > 0 && !app::under_launcher()) return app::end_output(app::launch(request.launch, argc, argv));

  try {
    const MpiEnvironment mpi(argc, argv);
    const Communicator world = Communicator::world();
    try {
      app::expect_ranks_asked_for(world, request.launch.ranks);
      return app::end_output(static_cast<int>(request.action(world)));
    } catch (const std::bad_alloc&) {
      return app::end_output(
          fail(world, LimitError("a rank has not enough memory for this", "reduce its size, or use more machines")));
    } catch (const std::exception& error) {
      return app::end_output(fail(world, error));
    }
  } catch (const std::exception& error) {
    app::print_error(fmt::format("weft: error: {}\n", error.what()));
    return static_cast<int>(app::Exit::failed);
  }
}
