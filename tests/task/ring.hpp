#pragma once
// A ring of rows for tests of graphs.
#include <cstdint>
#include <string>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/device/space.hpp"

namespace weft::task::test {

using Field = ArrayPair<double>;
inline constexpr int kRows = 4;

/// A ring of rows: the ghost rows of a rank are the last row of the rank before and the first of the next one.
struct Ring {
  using Field = test::Field;
  static constexpr int kRows = test::kRows;

  explicit Ring(Backend backend = Backend::host)
      : plan(GhostPlan::build(comm, kRows, std::vector{GlobalRow(before()), GlobalRow(behind())})),
        u(plan, Layout::aos, backend),
        v(plan, Layout::aos, backend) {}

  [[nodiscard]] std::int64_t first() const { return std::int64_t{kRows} * comm.rank().value(); }
  [[nodiscard]] std::int64_t all() const { return std::int64_t{kRows} * comm.size(); }
  [[nodiscard]] std::int64_t before() const { return (first() + all() - 1) % all(); }
  [[nodiscard]] std::int64_t behind() const { return (first() + kRows) % all(); }

  Communicator comm = Communicator::world();
  GhostPlan plan;
  Field u, v;
};

/// Returns the message of the error that `f` throws; empty if it throws none.
template <class E, class F>
[[nodiscard]] std::string error_of(const F& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return {};
}

}  // namespace weft::task::test
