#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <thread>

#include "command.hpp"

namespace weft::app {
namespace {

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find(','));
}

Exit print_info(const Communicator& comm) {
  const Communicator node = comm.split_shared_memory();
  if (!comm.is_root()) return Exit::done;
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  fmt::print("weft {} ({} build, {})\n", WEFT_VERSION, WEFT_BUILD_TYPE, __VERSION__);
  fmt::print("ranks   {} ({} on this machine)\n", comm.size(), node.size());
  fmt::print("machine {} cores, {:.1f} GiB memory\n", std::thread::hardware_concurrency(), memory / (1 << 30));
  fmt::print("MPI     {}\n", mpi_version());
  return Exit::done;
}

}  // namespace

void add_info(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("info", "Show what this build is and what it runs on");
  add_launch_options(*command, request);
  command->callback([&request] { request.action = print_info; });
}

}  // namespace weft::app
