#pragma once
/// What the machine is, for reports and benchmark tables.
#include <cstdint>
#include <string>
#include <vector>

namespace weft {

struct HostInfo {
  std::string cpu;                ///< model name, or "unknown"
  int threads = 1;                ///< hardware threads
  std::int64_t memory_bytes = 0;  ///< 0: not known
  std::string compiler;           ///< name and version
};

[[nodiscard]] HostInfo host_info();

/// Another GPU as one GPU sees it.
struct PeerInfo {
  int device = 0;
  bool access = false;       ///< kernels here can read and write its memory
  bool atomics = false;      ///< and do atomics there: so it is with NVLink
  int performance_rank = 0;  ///< CUDA's: 0 is the best link of the machine
};

struct DeviceInfo {
  int index = 0;
  std::string name;
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_free_bytes = 0, memory_total_bytes = 0;
  std::string pci_bus;    ///< "0000:00:06.0"
  std::string pcie_link;  ///< "32.0 GT/s PCIe x16" as it is now (idle links slow down); empty: not known
  int nvlinks = -1;       ///< active ones; -1: not known
  std::vector<PeerInfo> peers;
};

/// What CUDA can use here.
struct CudaInfo {
  std::string missing, remedy;  ///< empty where there is a GPU; else what is missing, and what to do
  std::string runtime, driver;  ///< versions, "13.0"; empty: none
  std::vector<DeviceInfo> devices;
};

[[nodiscard]] CudaInfo cuda_info();

/// Bytes per second.
struct Bandwidth {
  double copy = 0;       ///< device to device, bytes read plus bytes written
  double to_device = 0;  ///< from page-locked memory of the host
  double to_host = 0;
};

/// Best of five copies of 1 GiB on `device` and of 256 MiB over the bus (less where memory is short).
/// @throws DeviceError
[[nodiscard]] Bandwidth measure_bandwidth(int device);

}  // namespace weft
