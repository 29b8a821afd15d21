#pragma once
/// The operations of a task graph: its tasks in their order of recording, divisible ones as an inner and a border half.
#include <span>
#include <string>
#include <vector>

#include "weft/task/schedule.hpp"

namespace weft::task {

/// A task, or its inner or border half, with the accesses of that half, whose parts are refined().
///
/// Example: a divisible task 0 that reads all rows of u and writes the owned rows of r, where some rank has inner rows:
///     task 0, rows inner    reads the inner, border and boundary rows of u, writes the inner rows of r
///     task 0, rows border   reads all rows of u, writes the border rows of r
struct Operation {
  int task;   ///< number of the task
  Part rows;  ///< owned: all rows of the task
  std::vector<Access> accesses;
  Side side;
};

/// Returns an access to an array with its single parts as the part, and without a subset; one to other data as it is.
[[nodiscard]] Access refined(const DataShape& shape, Access access);

/// Returns the operations of tasks. @throws ContractError for accesses that are not possible, naming the task and the data.
[[nodiscard]] std::vector<Operation> operations(std::span<const DataShape> data, std::span<const TaskShape> tasks);

/// Returns the name of a task or of its half.
[[nodiscard]] std::string name_of(const TaskShape& task, Part rows);

}  // namespace weft::task
