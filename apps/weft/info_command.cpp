#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "weft/array/transport.hpp"
#include "weft/base/cores.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/environment.hpp"
#include "weft/comm/nccl.hpp"
#include "weft/device/info.hpp"
#include "weft/flow/scheme/solver.hpp"

#include "build_commit.hpp"
#include "command.hpp"
#include "json_output.hpp"
#include "standard_output.hpp"

namespace weft::app {
namespace {

std::string gib(std::int64_t bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30)); }

void print_gpu(const DeviceInfo& gpu) {
  fmt::print("GPU {:<3} {}, compute {}.{}, {} multiprocessors, {} MiB L2\n", gpu.index, gpu.name, gpu.compute_major,
             gpu.compute_minor, gpu.multiprocessors, gpu.l2_bytes >> 20);
  fmt::print("        memory {} of {} free\n", gib(gpu.memory_free_bytes), gib(gpu.memory_total_bytes));
  try {
    const Bandwidth rates = measure_bandwidth(gpu.index);
    fmt::print(
        "        measured {:.0f} GB/s device copy (read + write), {:.1f} GB/s from pinned host memory, {:.1f} GB/s to it\n",
        1e-9 * rates.copy, 1e-9 * rates.to_device, 1e-9 * rates.to_host);
  } catch (const DeviceError& error) {
    fmt::print("        not measured: {}\n", error.what());
  }
  fmt::print("        bus {}, {}, {}\n", gpu.pci_bus, gpu.pcie_link.empty() ? "PCIe link not known" : gpu.pcie_link,
             gpu.nvlinks < 0 ? "NVLinks not known" : fmt::format("{} NVLinks active", gpu.nvlinks));
  for (const PeerInfo& peer : gpu.peers) {
    fmt::print("        GPU {}: {}\n", peer.device,
               !peer.access   ? "no peer access"
               : peer.atomics ? "peer access with atomics (NVLink)"
                              : "peer access over PCIe");
  }
}

void print_gpus() {
  const CudaInfo cuda = cuda_info();
  if (!cuda.runtime.empty()) {
    fmt::print("CUDA    runtime {}, driver {}\n", cuda.runtime, cuda.driver.empty() ? "none" : "for CUDA up to " + cuda.driver);
  }
  if (!cuda.missing.empty()) fmt::print("GPUs    none: {}; {}\n", cuda.missing, cuda.remedy);
  for (const DeviceInfo& gpu : cuda.devices) print_gpu(gpu);
  if (cuda.devices.empty()) return;
  const bool several = cuda.devices.size() > 1;
  const bool linked = std::all_of(cuda.devices.begin(), cuda.devices.end(), [](const DeviceInfo& gpu) {
    return std::all_of(gpu.peers.begin(), gpu.peers.end(), [](const PeerInfo& peer) { return peer.access && peer.atomics; });
  });
  const std::string nccl = nccl_version();
  fmt::print("NCCL    {}\n", nccl.empty() ? "none: this build has none" : nccl);
  const Transport shared = MpiEnvironment::cuda_aware().value_or(false) ? Transport::cuda_aware : Transport::staged;
  const Transport own = linked ? Transport::peer : !nccl.empty() ? Transport::nccl : shared;
  fmt::print("ghosts  travel{} by \"{}\" between ranks that share a GPU\n",
             several ? fmt::format(" by \"{}\" between ranks of this machine with a GPU each,", to_string(own)) : "",
             to_string(shared));
}

Json json_of(const DeviceInfo& gpu) {
  Json peers = Json::array();
  for (const PeerInfo& peer : gpu.peers)
    peers.push_back({{"gpu", peer.device}, {"access", peer.access}, {"atomics", peer.atomics}});
  Json device{{"index", gpu.index},
              {"name", gpu.name},
              {"compute", fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor)},
              {"multiprocessors", gpu.multiprocessors},
              {"l2_bytes", gpu.l2_bytes},
              {"memory_free_bytes", gpu.memory_free_bytes},
              {"memory_bytes", gpu.memory_total_bytes},
              {"bus", gpu.pci_bus},
              {"pcie_link", gpu.pcie_link},
              {"nvlinks", gpu.nvlinks < 0 ? Json(nullptr) : Json(gpu.nvlinks)},
              {"peers", peers},
              {"bytes_per_second", nullptr}};
  try {
    const Bandwidth rates = measure_bandwidth(gpu.index);
    device["bytes_per_second"] = {{"copy", rates.copy}, {"to_device", rates.to_device}, {"to_host", rates.to_host}};
  } catch (const DeviceError& error) {
    print_error(fmt::format("weft: warning: GPU {}: {}\n", gpu.index, error.what()));
  }
  return device;
}

Json describe_machine(const Communicator& comm, const Communicator& node) {
  const CudaInfo cuda = cuda_info();
  const auto aware = MpiEnvironment::cuda_aware();
  Json gpus = Json::array();
  for (const DeviceInfo& gpu : cuda.devices) gpus.push_back(json_of(gpu));
  return {{"build", WEFT_BUILD_TYPE},
          {"compiler", host_info().compiler},
          {"commit", kCommit},
          {"ranks", comm.size()},
          {"ranks_on_this_machine", node.size()},
          {"hardware_threads", sysconf(_SC_NPROCESSORS_ONLN)},
          {"usable_cores", usable_cores()},
          {"memory_bytes", static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE)},
          {"simd_doubles", flow::Solver::simd_width()},
          {"mpi", {{"library", MpiEnvironment::library()}, {"takes_gpu_memory", aware ? Json(*aware) : Json(nullptr)}}},
          {"cuda",
           {{"runtime", cuda.runtime},
            {"driver", cuda.driver},
            {"missing", cuda.missing},
            {"remedy", cuda.remedy},
            {"nccl", nccl_version()},
            {"gpus", gpus}}}};
}

Exit print_info(const Communicator& comm, bool json) {
  const Communicator node = comm.split_shared_memory();
  if (!comm.is_root()) return Exit::done;
  if (json) {
    print_json("info", describe_machine(comm, node));
    return Exit::done;
  }
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  const std::string commit = *kCommit == 0 ? "" : fmt::format(", commit {}", kCommit);
  fmt::print("weft {} ({} build, {}{})\n", WEFT_VERSION, WEFT_BUILD_TYPE, host_info().compiler, commit);
  fmt::print("ranks   {} ({} on this machine)\n", comm.size(), node.size());
  const long threads = sysconf(_SC_NPROCESSORS_ONLN), own = usable_cores();
  fmt::print("machine {} hardware threads{}, {:.1f} GiB memory\n", threads,
             own < threads ? fmt::format(" ({} of them for this process)", own) : "", memory / (1 << 30));
  fmt::print("SIMD    {} doubles at once\n", flow::Solver::simd_width());
  const auto aware = MpiEnvironment::cuda_aware();
  fmt::print("MPI     {}{}\n", MpiEnvironment::library(),
             !aware   ? ""
             : *aware ? ", takes GPU memory"
                      : ", does not take GPU memory");
  print_gpus();
  return Exit::done;
}

}  // namespace

void add_info(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("info", "Show what this build is and what it runs on");
  command->footer("Examples:\n  weft info\n  weft info -n 4 --mpirun-options \"--hostfile hosts\"");
  add_launch_options(*command, request);
  auto json = std::make_shared<bool>(false);
  add_json_option(*command, *json);
  command->callback([json, &request] { request.action = [json](const Communicator& comm) { return print_info(comm, *json); }; });
}

}  // namespace weft::app
