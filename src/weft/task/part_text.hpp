#pragma once
/// Names of parts and subsets in plans and messages.
#include <cstddef>
#include <span>
#include <string>

#include "weft/task/schedule.hpp"

namespace weft::task {

/// Returns the four parts and the subsets of which a set of rows consists: "inner, border", "inlet".
[[nodiscard]] std::string part_text(const DataShape& of, Part part);

/// Returns the rows of a single part: "inner rows of 'u'", "inner rows of 'u' in 'inlet'".
[[nodiscard]] std::string single_part_text(const DataShape& of, std::size_t single);

/// Returns the accesses of a task to subsets: "reads 'inlet' of 'u', writes 'v' without 'wall'". Empty if there are none.
[[nodiscard]] std::string subset_text(std::span<const DataShape> data, const TaskShape& task);

/// Returns a line for a subset: its rows, and whether a change of them makes ghost rows stale.
[[nodiscard]] std::string subset_line(const DataShape& of, const SubsetShape& subset);

}  // namespace weft::task
