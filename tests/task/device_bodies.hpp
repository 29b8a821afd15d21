#pragma once
// Functors of parallel_for for the tasks of tests on devices.
#include <cstdint>

#include "weft/base/macros.hpp"

namespace weft::task::test {

/// Adds a number to each row.
struct AddNumber {
  double* to;
  const double* number;
  WEFT_HD void operator()(std::int32_t i) const { to[i] += *number; }
};

/// Adds 1 to the first row.
struct AddOne {
  double* to;
  WEFT_HD void operator()(std::int32_t /*i*/) const { *to += 1; }
};

/// Copies each row.
struct Copy {
  const double* from;
  double* to;
  WEFT_HD void operator()(std::int32_t i) const { to[i] = from[i]; }
};

}  // namespace weft::task::test
