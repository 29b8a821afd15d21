#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/cuda/cuda_api.hpp"
#include "weft/device/cuda_call_counts.hpp"

namespace weft::detail {

namespace {
/// The last error of a noexcept function such as a destructor; the next wait throws it.
std::atomic<int> unreported{cudaSuccess};

void throw_unreported() {
  const auto result = static_cast<cudaError_t>(unreported.exchange(cudaSuccess));
  check_cuda(result, "an earlier release of a resource");
}

cudaStream_t stream_of(void* handle) { return static_cast<cudaStream_t>(handle); }
cudaEvent_t event_of(void* handle) { return static_cast<cudaEvent_t>(handle); }

/// Makes a GPU current for the lifetime of the object.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check_cuda(cudaGetDevice(&before_), "cudaGetDevice");
    if (device != before_) check_cuda(cudaSetDevice(device), "cudaSetDevice");
    changed_ = device != before_;
  }
  ~OnDevice() {
    if (changed_) note(cudaSetDevice(before_));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

std::string version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

}  // namespace

void note(cudaError_t result) noexcept {
  // At process exit the CUDA runtime may be unloaded before the last object is destroyed.
  if (result != cudaSuccess && result != cudaErrorCudartUnloading) unreported = result;
}

void throw_cuda(cudaError_t result, const char* what, const std::source_location& where) {
  (void)cudaGetLastError();
  cuda::throw_failure(result, cudaGetErrorName(result), cudaGetErrorString(result), what, where.file_name(), where.line(),
                      where.function_name());
}

bool has_dependent_launch(const void* kernel, int device) {
  thread_local std::map<std::pair<int, const void*>, bool> known;
  const std::pair from{device, kernel};
  const auto found = known.find(from);
  if (found != known.end()) return found->second;
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  return known[from] = attributes.ptxVersion >= 90;
}

namespace cuda {

const Available& available() {
  static const Available found = [] {
    Available a;
    const cudaError_t result = cudaGetDeviceCount(&a.devices);
    if (result == cudaSuccess && a.devices > 0) return a;
    (void)cudaGetLastError();
    a.devices = 0;
    a.remedy = "run where there is an NVIDIA GPU and its driver";
    int driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
      a.missing = "no NVIDIA driver was found (libcuda.so.1)";
    } else if (result == cudaErrorInsufficientDriver) {
      a.missing =
          "the NVIDIA driver supports CUDA " + version(driver) + ", this build needs " + version(CUDART_VERSION) + " or later";
      a.remedy = "run where the driver is newer, or build with an older nvcc";
    } else if (result == cudaErrorNoDevice || result == cudaSuccess) {
      a.missing = "there is an NVIDIA driver but no GPU that this process can use";
    } else {
      a.missing = std::string("CUDA cannot be initialised: ") + cudaGetErrorString(result);
    }
    return a;
  }();
  return found;
}

int current_device() {
  require();
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}
void set_device(int device) { check_cuda(cudaSetDevice(device), "cudaSetDevice"); }
GpuId gpu_id(int device) {
  GpuId name;
  check_cuda(cudaDeviceGetPCIBusId(name.bus, sizeof name.bus, device), "cudaDeviceGetPCIBusId");
  return name;
}
void wait_for_device() {
  ++cuda_call_counts().waits;
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  throw_unreported();
}

void* create_stream(bool high_priority) {
  require();
  int lowest = 0, highest = 0;
  check_cuda(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, high_priority ? highest : lowest),
             "cudaStreamCreateWithPriority");
  return stream;
}
void destroy_stream(void* stream) noexcept { note(cudaStreamDestroy(stream_of(stream))); }
void* default_stream() { return cudaStreamLegacy; }
void wait_stream(void* stream) {
  ++cuda_call_counts().waits;
  check_cuda(cudaStreamSynchronize(stream_of(stream)), "cudaStreamSynchronize");
  throw_unreported();
}
void stream_waits(void* stream, void* event) {
  check_cuda(cudaStreamWaitEvent(stream_of(stream), event_of(event), cudaEventWaitDefault), "cudaStreamWaitEvent");
}
bool capturing(void* stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(stream_of(stream), &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

void* create_event(int device, bool timed) {
  const OnDevice on(device);
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return event;
}
void record_event(void* event, void* stream) {
  check_cuda(cudaEventRecord(event_of(event), stream_of(stream)), "cudaEventRecord");
}
bool event_done(void* event) {
  const cudaError_t result = cudaEventQuery(event_of(event));
  if (result == cudaErrorNotReady) {
    (void)cudaGetLastError();
    return false;
  }
  check_cuda(result, "cudaEventQuery");
  return true;
}
void wait_event(void* event) {
  ++cuda_call_counts().waits;
  check_cuda(cudaEventSynchronize(event_of(event)), "cudaEventSynchronize");
  throw_unreported();
}
double seconds_between(void* begin, void* end) {
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, event_of(begin), event_of(end)), "cudaEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}

namespace {

/// Makes the memory pools retain freed memory, which by default is returned to the system at every synchronisation. Must not be
/// called for the first time during a capture.
void prepare_pools() {
  static const bool prepared = [] {
    for (int device = 0; device < available().devices; ++device) {
      cudaMemPool_t pool = nullptr;
      check_cuda(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
      std::uint64_t all = ~std::uint64_t{0};
      check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "cudaMemPoolSetAttribute");
    }
    return true;
  }();
  (void)prepared;
}

}  // namespace

void* allocate(Memory kind, std::size_t bytes) {
  ++cuda_call_counts().allocations;
  require();
  void* memory = nullptr;
  switch (kind) {
    case Memory::device:
      check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
      break;
    case Memory::managed:
      check_cuda(cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal), "cudaMallocManaged");
      break;
    case Memory::mapped:
      check_cuda(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped | cudaHostAllocPortable), "cudaHostAlloc");
      break;
    case Memory::pinned:
      check_cuda(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), "cudaHostAlloc");
      break;
  }
  return memory;
}
void release(Memory kind, void* memory) noexcept {
  note(kind == Memory::mapped || kind == Memory::pinned ? cudaFreeHost(memory) : cudaFree(memory));
}

void* allocate_in(void* stream, std::size_t bytes) {
  ++cuda_call_counts().allocations;
  prepare_pools();
  void* memory = nullptr;
  check_cuda(cudaMallocAsync(&memory, bytes, stream_of(stream)), "cudaMallocAsync");
  return memory;
}
void release_in(void* stream, void* memory) noexcept { note(cudaFreeAsync(memory, stream_of(stream))); }

void copy(void* stream, void* to, const void* from, std::size_t bytes) {
  ++cuda_call_counts().copies;
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(stream)), "cudaMemcpyAsync");
}
void set(void* stream, void* at, int value, std::size_t bytes) {
  ++cuda_call_counts().copies;
  check_cuda(cudaMemsetAsync(at, value, bytes, stream_of(stream)), "cudaMemsetAsync");
}
void prefetch(void* stream, void* at, std::size_t bytes, bool to_host) {
  cudaMemLocation location{};
  location.type = to_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  if (!to_host) check_cuda(cudaStreamGetDevice(stream_of(stream), &location.id), "cudaStreamGetDevice");
  check_cuda(cudaMemPrefetchAsync(at, bytes, location, 0, stream_of(stream)), "cudaMemPrefetchAsync");
}

void export_memory(const void* base, std::byte* handle) {
  require();
  // The handle identifies the whole allocation, so `base` must be its start.
  using GetRange = int (*)(unsigned long long*, std::size_t*, unsigned long long);
  static const auto get_range = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check_cuda(cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &function, 12000, cudaEnableDefault, &found),
               "cudaGetDriverEntryPointByVersion");
    return reinterpret_cast<GetRange>(function);
  }();
  unsigned long long first = 0;
  const auto address = reinterpret_cast<unsigned long long>(base);
  if (get_range != nullptr && get_range(&first, nullptr, address) == 0 && first != address) {
    throw DeviceError("memory cannot be shared with other processes (it does not start at the beginning of its allocation)",
                      "pass the address that DeviceStorage::data() returns");
  }
  cudaIpcMemHandle_t native{};
  static_assert(sizeof native == 64);
  check_cuda(cudaIpcGetMemHandle(&native, const_cast<void*>(base)), "cudaIpcGetMemHandle");
  std::memcpy(handle, &native, sizeof native);
}
void* import_memory(const std::byte* handle) {
  require();
  cudaIpcMemHandle_t native{};
  std::memcpy(&native, handle, sizeof native);
  void* memory = nullptr;
  check_cuda(cudaIpcOpenMemHandle(&memory, native, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
  return memory;
}
void drop_imported(void* memory) noexcept { note(cudaIpcCloseMemHandle(memory)); }

void begin_capture(void* stream) {
  prepare_pools();
  check_cuda(cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
}
void* end_capture(void* stream) {
  cudaGraph_t graph = nullptr;
  check_cuda(cudaStreamEndCapture(stream_of(stream), &graph), "cudaStreamEndCapture");
  return graph;
}
void abandon_capture(void* stream) noexcept {
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(stream_of(stream), &graph) == cudaSuccess && graph != nullptr) note(cudaGraphDestroy(graph));
  (void)cudaGetLastError();
}
void* instantiate(void* graph) {
  cudaGraphExec_t executable = nullptr;
  // With this flag each kernel node retains the priority of the stream that it was captured from.
  check_cuda(cudaGraphInstantiate(&executable, static_cast<cudaGraph_t>(graph), cudaGraphInstantiateFlagUseNodePriority),
             "cudaGraphInstantiate");
  return executable;
}
bool update_executable(void* executable, void* graph) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t result =
      cudaGraphExecUpdate(static_cast<cudaGraphExec_t>(executable), static_cast<cudaGraph_t>(graph), &info);
  if (result == cudaErrorGraphExecUpdateFailure) {
    (void)cudaGetLastError();
    return false;
  }
  check_cuda(result, "cudaGraphExecUpdate");
  return true;
}
void launch_executable(void* executable, void* stream) {
  ++cuda_call_counts().graphs;
  check_cuda(cudaGraphLaunch(static_cast<cudaGraphExec_t>(executable), stream_of(stream)), "cudaGraphLaunch");
}
void destroy_graph(void* graph) noexcept { note(cudaGraphDestroy(static_cast<cudaGraph_t>(graph))); }
void destroy_executable(void* executable) noexcept { note(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable))); }

namespace {

/// The capture of a stream: the graph so far, and the nodes that the next operation depends on. Their edge data is not used,
/// because a node that is not a kernel depends on whole nodes.
struct Capture {
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* last = nullptr;
  std::size_t count = 0;
};
Capture capture_of(void* stream) {
  Capture capture;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphEdgeData* edges = nullptr;
  check_cuda(cudaStreamGetCaptureInfo(stream_of(stream), &status, nullptr, &capture.graph, &capture.last, &edges, &capture.count),
             "cudaStreamGetCaptureInfo");
  return capture;
}

}  // namespace

void add_child_graph(void* stream, void* graph) {
  const Capture capture = capture_of(stream);
  cudaGraphNode_t node = nullptr;
  check_cuda(cudaGraphAddChildGraphNode(&node, capture.graph, capture.last, capture.count, static_cast<cudaGraph_t>(graph)),
             "cudaGraphAddChildGraphNode");
  check_cuda(cudaStreamUpdateCaptureDependencies(stream_of(stream), &node, nullptr, 1, cudaStreamSetCaptureDependencies),
             "cudaStreamUpdateCaptureDependencies");
}

void call_on_host(void* stream, std::function<void()> f) {
  using Function = std::function<void()>;
  auto function = std::make_unique<Function>(std::move(f));
  if (!capturing(stream)) {
    const auto call_once = [](void* data) {
      const std::unique_ptr<Function> owned(static_cast<Function*>(data));
      (*owned)();
    };
    check_cuda(cudaLaunchHostFunc(stream_of(stream), call_once, function.get()), "cudaLaunchHostFunc");
    (void)function.release();
    return;
  }
  const auto call = [](void* data) { (*static_cast<Function*>(data))(); };
  const auto destroy = [](void* data) { delete static_cast<Function*>(data); };
  cudaUserObject_t object = nullptr;
  check_cuda(cudaUserObjectCreate(&object, function.get(), destroy, 1, cudaUserObjectNoDestructorSync), "cudaUserObjectCreate");
  Function* const data = function.release();
  const cudaError_t result = cudaGraphRetainUserObject(capture_of(stream).graph, object, 1, cudaGraphUserObjectMove);
  if (result != cudaSuccess) note(cudaUserObjectRelease(object, 1));
  check_cuda(result, "cudaGraphRetainUserObject");
  check_cuda(cudaLaunchHostFunc(stream_of(stream), call, data), "cudaLaunchHostFunc");
}

void describe(CudaInfo& info) {
  int number = 0;
  check_cuda(cudaRuntimeGetVersion(&number), "cudaRuntimeGetVersion");
  info.runtime = version(number);
  if (cudaDriverGetVersion(&number) == cudaSuccess && number > 0) info.driver = version(number);
  const int devices = available().devices;
  for (int device = 0; device < devices; ++device) {
    const OnDevice on(device);
    cudaDeviceProp properties{};
    check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    DeviceInfo d;
    d.index = device;
    d.name = properties.name;
    d.compute_major = properties.major;
    d.compute_minor = properties.minor;
    d.multiprocessors = properties.multiProcessorCount;
    d.l2_bytes = properties.l2CacheSize;
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    d.memory_free_bytes = static_cast<std::int64_t>(free);
    d.memory_total_bytes = static_cast<std::int64_t>(total);
    d.pci_bus = gpu_id(device).bus;
    for (int other = 0; other < devices; ++other) {
      if (other == device) continue;
      int access = 0, atomics = 0, rank = 0;
      check_cuda(cudaDeviceCanAccessPeer(&access, device, other), "cudaDeviceCanAccessPeer");
      if (access != 0) {
        check_cuda(cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, device, other),
                   "cudaDeviceGetP2PAttribute");
        check_cuda(cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, device, other), "cudaDeviceGetP2PAttribute");
      }
      d.peers.push_back({.device = other, .access = access != 0, .atomics = atomics != 0, .performance_rank = rank});
    }
    info.devices.push_back(std::move(d));
  }
}

}  // namespace cuda
}  // namespace weft::detail
