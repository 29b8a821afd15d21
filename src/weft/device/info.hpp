#pragma once
/// Properties of the machine, for reports and benchmark tables.
#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/// Properties of the host.
struct HostInfo {
  std::string cpu;                ///< model name, or "unknown"
  int threads = 1;                ///< hardware threads
  std::int64_t memory_bytes = 0;  ///< physical memory; 0: unknown
  std::string compiler;           ///< name and version
};

/// Returns the properties of this host.
[[nodiscard]] HostInfo host_info();

/// The connection from one GPU to another.
struct PeerInfo {
  int device = 0;
  bool access = false;       ///< kernels of this GPU can access the memory of `device`
  bool atomics = false;      ///< atomic operations on that memory are supported, as with NVLink
  int performance_rank = 0;  ///< cudaDevP2PAttrPerformanceRank; 0: fastest
};

/// Properties of a GPU.
struct DeviceInfo {
  int index = 0;
  std::string name;
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_free_bytes = 0, memory_total_bytes = 0;
  std::string pci_bus;    ///< "0000:00:06.0"
  std::string pcie_link;  ///< "32.0 GT/s PCIe x16" current state (idle links slow down); empty: unknown
  int nvlinks = -1;       ///< number of active links; -1: unknown
  std::vector<PeerInfo> peers;
};

/// The CUDA installation and the GPUs of this machine.
struct CudaInfo {
  std::string missing, remedy;  ///< reason why no GPU can be used and what to do; empty where there is a GPU
  std::string runtime, driver;  ///< CUDA versions, for example "13.0"; empty: none
  std::vector<DeviceInfo> devices;
};

/// Returns the properties of CUDA and of all GPUs. @throws DeviceError where a query fails.
[[nodiscard]] CudaInfo cuda_info();

/// Measured transfer rates in bytes per second.
struct Bandwidth {
  double copy = 0;       ///< within the device, bytes read plus bytes written
  double to_device = 0;  ///< from page-locked host memory
  double to_host = 0;    ///< to page-locked host memory
};

/// Measures the transfer rates of `device`: best of five copies of 1 GiB on the device and of 256 MiB over the bus, less where
/// less memory is free. @throws DeviceError
[[nodiscard]] Bandwidth measure_bandwidth(int device);

}  // namespace weft
