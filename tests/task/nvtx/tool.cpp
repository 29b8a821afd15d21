// A tool that reads NVTX ranges, as Nsight Systems does: prints their names with their depth. NVTX loads the library that
// NVTX_INJECTION64_PATH names.
#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <cstdio>

namespace {

thread_local int g_depth = 0;

int push(const char* name) {
  std::printf("%*srange '%s'\n", 2 * g_depth, "", name);
  return g_depth++;
}
int pop() { return --g_depth; }

template <class F>
void set(NvtxFunctionTable table, NvtxCallbackIdCore id, F* function) {
  *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

/// Called by NVTX at the first range of the program. Returns 1 for success.
extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t exports) {
  const auto* const callbacks = static_cast<const NvtxExportTableCallbacks*>(exports(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) != 1) return 0;
  set(table, NVTX_CBID_CORE_RangePushA, push);
  set(table, NVTX_CBID_CORE_RangePop, pop);
  return 1;
}
