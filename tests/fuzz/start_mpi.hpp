#pragma once
/// MPI for a target whose reader takes a communicator: included by its one source.
#include <cstdlib>

#include "weft/comm/environment.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): there where a sanitizer is
extern "C" __attribute__((weak)) void __lsan_disable();
extern "C" __attribute__((weak)) void __lsan_enable();
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

// NOLINTNEXTLINE(misc-definitions-in-headers, readability-identifier-naming): libFuzzer's name; see above
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  // Memory that MPI allocates at its start belongs to MPI, which is never finalised: after that Open MPI has unloaded its
  // plugins, and the owner of a remaining block is unknown.
  setenv("OMPI_MCA_opal_signal", "", 1);  // the fuzzer reports violated contracts
  if (__lsan_disable != nullptr) __lsan_disable();
  static const auto* const mpi = new weft::MpiEnvironment(*argc, *argv);
  if (__lsan_enable != nullptr) __lsan_enable();
  return mpi == nullptr;
}
