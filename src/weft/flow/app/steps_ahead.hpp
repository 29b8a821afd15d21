#pragma once
/// The number of steps that a program lets a solver compute before it needs their results.
#include <cstdint>

#include "weft/flow/app/case.hpp"
#include "weft/flow/scheme/solver.hpp"

namespace weft::flow {

/// Returns the number of steps, from 1 to Solver::kMostAhead, that a GPU per rank computes in at most about `seconds`. It depends
/// on nothing that is measured, so that it is equal on every rank and in every run.
[[nodiscard]] int steps_in(double seconds, std::int64_t global_cells, int ranks);

/// Returns the number of steps after which a program checks for interrupts and the clock: steps_in() where the solver works
/// ahead, otherwise 1.
[[nodiscard]] int most_steps_ahead(const Solver& solver, double seconds = 0.1);

/// Returns whether a case has histories of the state itself, of which only the last of several steps has a row.
[[nodiscard]] bool records_state(const Case& flow_case);

}  // namespace weft::flow
