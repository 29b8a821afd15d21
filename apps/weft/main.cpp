// weft: the command line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/environment.hpp"

#include "command.hpp"
#include "launch.hpp"

namespace {

using namespace weft;

app::Exit exit_for(const std::exception& error) {
  const auto* ours = dynamic_cast<const Error*>(&error);
  if (ours != nullptr && ours->kind() == Error::Kind::physics) return app::Exit::physics;
  if (ours != nullptr && ours->kind() == Error::Kind::interrupted) return app::Exit::interrupted;
  return app::Exit::failed;
}

/// Every rank that fails comes here. Where all of them do, they agree on one error and rank 0 tells it; where one fails alone,
/// the others wait for it in vain, so it tells and ends the job.
int fail(const Communicator& world, const std::exception& error) {
  constexpr double kPatienceSeconds = 3;
  const int code = static_cast<int>(exit_for(error));
  const bool together = MpiEnvironment::everyone_arrives(kPatienceSeconds);
  if (!together || world.is_root()) {
    fmt::print(stderr, "weft: error{}: {}\n", together ? "" : fmt::format(" on rank {} alone", world.rank().value()),
               error.what());
    std::fflush(stderr);
  }
  if (!together) MpiEnvironment::abort_job(code);
  return code;
}

/// What is wrong with the command line, as our own errors say it, and whose --help tells more.
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
  return fmt::format("weft: error: {}; see {} --help\n", problem, command);
}

}  // namespace

int main(int argc, char** argv) {
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
  app::add_export(parser, request);
  app::add_report(parser, request);
  app::add_reference(parser, request);
  try {
    parser.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app::rank_of_environment() == 0 ? parser.exit(error) : error.get_exit_code();
    return static_cast<int>(code == 0 ? app::Exit::done : app::Exit::usage);
  }
  app::note_start();
  if (request.without_mpi) return static_cast<int>(request.without_mpi());
  if (request.launch.ranks > 0 && !app::under_launcher()) return app::launch(request.launch, argc, argv);

  try {
    const MpiEnvironment mpi(argc, argv);
    const Communicator world = Communicator::world();
    try {
      app::expect_ranks_asked_for(world, request.launch.ranks);
      return static_cast<int>(request.action(world));
    } catch (const std::bad_alloc&) {
      return fail(world, LimitError("a rank has not enough memory for this", "make it smaller, or spread it over more machines"));
    } catch (const std::exception& error) {
      return fail(world, error);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft: error: {}\n", error.what());
    return static_cast<int>(app::Exit::failed);
  }
}
