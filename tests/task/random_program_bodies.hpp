#pragma once
// Bodies of the steps of random programs on the rows of a rank.
#include <cstdint>

#include "weft/base/macros.hpp"

#include "task/random_program.hpp"

namespace weft::task::test {

/// Memory that the body of a step accesses on one side.
struct Operands {
  const Value* a;
  Value* b;
  double* number;
  const std::int32_t *offsets, *columns;  ///< local rows of the neighbours of each owned row
  Step step;
  std::int32_t first;
  const std::int32_t *rows, *source;  ///< rows of a step on a selection of rows
  std::int32_t count, sources;        ///< numbers of rows of this rank that the step computes, and of source rows

  [[nodiscard]] WEFT_HD std::int32_t row(std::int32_t i) const { return step.selection.subset < 0 ? first + i : rows[i]; }
};

struct Stencil : Operands {
  WEFT_HD void operator()(std::int32_t i) const {
    const std::int32_t row = this->row(i);
    Value sum = mixed(a[row], step.constant);
    for (std::int32_t n = offsets[row]; n < offsets[row + 1]; ++n) sum = mixed(sum, a[columns[n]]);
    b[row] = sum;
  }
};
struct Update : Operands {
  WEFT_HD void operator()(std::int32_t i) const {
    const std::int32_t row = this->row(i);
    b[row] = mixed(b[row], step.a == step.b ? step.constant : a[row]);
  }
};
/// Computes all rows in one call.
struct Scatter : Operands {
  WEFT_HD void operator()(std::int32_t /*i*/) const {
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t row = this->row(i);
      for (std::int32_t n = offsets[row]; n < offsets[row + 1]; ++n) {
        const Value x = mixed(a[row], step.constant) % 1000;
        Value& to = b[columns[n]];
        to = step.op == Reduce::add ? to + x : combine(step.op, to, x);
      }
    }
  }
};
/// Computes all rows in one call.
struct Measure : Operands {
  WEFT_HD void operator()(std::int32_t /*i*/) const {
    for (std::int32_t i = 0; i < count; ++i) Interpreter::contribute(*number, step.op, a[row(i)] % 1000);
  }
};
struct Use : Operands {
  WEFT_HD void operator()(std::int32_t i) const { b[row(i)] = mixed(b[row(i)], Interpreter::as_value(*number)); }
};
/// Computes all rows in one call.
struct Transfer : Operands {
  WEFT_HD void operator()(std::int32_t /*i*/) const {
    Value sum = 0;
    for (std::int32_t i = 0; i < sources; ++i) sum = combine(Reduce::add, sum, a[step.source.subset < 0 ? i : source[i]]);
    for (std::int32_t i = 0; i < count; ++i) b[row(i)] = mixed(b[row(i)], sum);
  }
};

}  // namespace weft::task::test
