#pragma once
/// Properties of recorded data and tasks that the compiler uses.
#include <span>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/task/plan_body.hpp"
#include "weft/task/schedule.hpp"

namespace weft::task {

/// Sets the rows of divisible tasks. @throws ContractError if the arrays of a task do not have the same rows.
void set_rows(const std::vector<Datum>& data, Task& task);

/// Sets the shapes of data, which are equal on all ranks, and the rows of this rank of the parts of arrays.
/// @throws ContractError on every rank for rows that subsets cannot have, or if they divide an array into too many sets.
/// @collective
void set_shapes(const Communicator& comm, std::vector<Datum>& data);

/// @throws ContractError for an array that was destroyed.
void expect_alive(const Datum& datum);

/// @throws ContractError for rows that subsets cannot have.
void expect_possible_subsets(const Datum& datum);

/// Returns the number of the plan of each array among the plans of the data, in the order of their first arrays; 0 for other
/// data.
[[nodiscard]] std::vector<int> spaces(std::span<const Datum> data);

/// Returns the shapes of tasks. @throws ContractError for a task on a device if no data have a device side.
[[nodiscard]] std::vector<TaskShape> shapes(const std::vector<Datum>& data, const std::vector<Task>& tasks);

}  // namespace weft::task
