#pragma once
// The functions of the tasks of a graph, called by C++.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weft/device/stream.hpp"
#include "weft/task/graph.hpp"

#include "any_array.hpp"
#include "bindings.hpp"

namespace weft::python {

/// Returns "type: text" of an exception of Python; only the type if its text cannot be made.
[[nodiscard]] std::string text_of(const nb::python_error& error);

/// An access of an I/O task, and the shape of what it reads.
struct SnapshotForm {
  task::DataId data;
  bool is_number = false;
  Scalar scalar = Scalar::float64;
  std::size_t width = 1;                ///< entries of a row, except of CSR rows
  bool flat = true;                     ///< rows of one entry are shown as (rows,)
  std::vector<std::int64_t> offsets{};  ///< positions of CSR rows, from 0; empty for others
};

/// The functions of a graph while one of its plans runs, and the first exception that one of them raised. The members are used
/// with the GIL, by the thread that computes and those of the plan.
struct Bodies {
  nb::handle functions;  ///< a list, of the caller of run()
  std::optional<nb::python_error> cause{};

  void call(std::size_t task);
  void call(std::size_t task, task::Rows rows);
  void call(std::size_t task, Stream& stream);
  void call(std::size_t task, Stream& stream, task::Rows rows);
  /// Calls an I/O task with the number of the iteration and read-only arrays in the memory of the snapshot, which they keep
  /// alive; numbers are floats, CSR rows are pairs (offsets, entries).
  void call(std::size_t task, const task::Snapshot& snapshot, const std::vector<SnapshotForm>& forms);
  /// Returns what a condition says to a value.
  [[nodiscard]] bool holds(std::size_t condition, double value);

 private:
  /// Calls Python. @throws ContractError with the text of an exception, which is kept.
  void guarded(const std::function<void()>& call_python);
};

}  // namespace weft::python
