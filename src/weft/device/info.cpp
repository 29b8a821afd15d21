#include "weft/device/info.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <memory>
#include <thread>

#include "weft/device/buffers.hpp"
#include "weft/device/cuda/cuda_api.hpp"
#include "weft/device/device.hpp"
#include "weft/device/storage.hpp"

namespace weft {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      const auto start = line.find_first_not_of(" \t", line.find(':') + 1);
      if (start != std::string::npos) return line.substr(start);
    }
  }
  return "unknown";
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Returns the PCIe link as the Linux kernel reports it; empty where it is unknown, as in some virtual machines.
std::string pcie_link(std::string bus) {
  std::transform(bus.begin(), bus.end(), bus.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string folder = "/sys/bus/pci/devices/" + bus;
  const std::string speed = first_line(folder + "/current_link_speed"), width = first_line(folder + "/current_link_width");
  return speed.empty() || width.empty() ? "" : speed + " x" + width;
}

/// The NVIDIA management library of the driver, loaded at run time if present. Its binary interface is stable (nvml.h).
class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    const auto init = function<int (*)()>("nvmlInit_v2");
    by_bus_ = function<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    link_state_ = function<int (*)(void*, unsigned, unsigned*)>("nvmlDeviceGetNvLinkState");
    ready_ = init != nullptr && by_bus_ != nullptr && link_state_ != nullptr && init() == 0;
  }
  ~Nvml() {
    if (ready_) {
      if (const auto end = function<int (*)()>("nvmlShutdown")) end();
    }
    if (library_ != nullptr) dlclose(library_);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  [[nodiscard]] int nvlinks(const std::string& bus) const {
    void* device = nullptr;
    if (!ready_ || by_bus_(bus.c_str(), &device) != 0) return -1;
    int active = 0;
    for (unsigned link = 0; link < 18; ++link) {  // NVML_NVLINK_MAX_LINKS
      unsigned state = 0;
      if (link_state_(device, link, &state) == 0 && state == 1) ++active;
    }
    return active;
  }

 private:
  template <class F>
  [[nodiscard]] F function(const char* name) const {
    return reinterpret_cast<F>(dlsym(library_, name));
  }

  void* library_;
  int (*by_bus_)(const char*, void**) = nullptr;
  int (*link_state_)(void*, unsigned, unsigned*) = nullptr;
  bool ready_ = false;
};

/// Returns the highest rate in bytes per second of five executions of `work`, which moves `bytes` bytes.
template <class F>
double best_rate(Stream& stream, std::size_t bytes, const F& work) {
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const Event begin = stream.record_timed();
    work();
    best = std::max(best, static_cast<double>(bytes) / stream.record_timed().seconds_since(begin));
  }
  return best;
}

}  // namespace

HostInfo host_info() {
  HostInfo info;
  info.cpu = cpu_model();
  info.threads = static_cast<int>(std::thread::hardware_concurrency());
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) info.memory_bytes = static_cast<std::int64_t>(pages) * page_bytes;
#if defined(__clang__)
  info.compiler = "clang " __clang_version__;
#else
  info.compiler = "gcc " __VERSION__;
#endif
  return info;
}

CudaInfo cuda_info() {
  CudaInfo info;
  info.missing = detail::cuda::available().missing;
  info.remedy = detail::cuda::available().remedy;
  detail::cuda::describe(info);
  const Nvml nvml;
  for (DeviceInfo& device : info.devices) {
    device.pcie_link = pcie_link(device.pci_bus);
    device.nvlinks = nvml.nvlinks(device.pci_bus);
  }
  return info;
}

Bandwidth measure_bandwidth(int device) {
  const int before = current_device();
  set_device(device);
  const auto restore = [before](int*) { set_device(before); };
  int dummy = 0;
  const std::unique_ptr<int, decltype(restore)> at_end(&dummy, restore);

  const auto infos = cuda_info().devices;
  const std::size_t free = infos[device].memory_free_bytes;
  const std::size_t bytes = std::min(std::size_t{1} << 30, free / 4), bus_bytes = std::min(std::size_t{1} << 28, bytes);
  Stream stream;
  const auto from = DeviceStorage::make(Backend::cuda, bytes), to = DeviceStorage::make(Backend::cuda, bytes);
  PinnedBuffer<std::byte> host(bus_bytes);
  set_bytes(stream, from->data(), 1, bytes);
  std::fill_n(host.data(), bus_bytes, std::byte{1});
  return {.copy = best_rate(stream, 2 * bytes, [&] { copy_bytes(stream, to->data(), from->data(), bytes); }),
          .to_device = best_rate(stream, bus_bytes, [&] { copy_bytes(stream, to->data(), host.data(), bus_bytes); }),
          .to_host = best_rate(stream, bus_bytes, [&] { copy_bytes(stream, host.data(), from->data(), bus_bytes); })};
}

}  // namespace weft
