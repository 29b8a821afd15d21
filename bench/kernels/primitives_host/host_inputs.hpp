#pragma once
// inputs.hpp on the host, and results of the measured functions.
#include "inputs.hpp"

namespace bench {

/// Keeps the compiler from removing the computation of `result`, and everything that was stored before.
template <class T>
void keep(const T& result) {
  asm volatile("" : : "g"(&result) : "memory");
}

}  // namespace bench
