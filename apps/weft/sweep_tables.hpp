#pragma once
/// The tables of a sweep: sweep.json and polar.csv in its folder, and the one that is printed. Their rows are JSON objects with
/// folder, keys (a number for each axis), outcome and verdict, and unless the point has diverged steps, residual, forces (cl, cd
/// and cm of each that has coefficients) and started_from; null: the point is not done.
#include <filesystem>
#include <string>
#include <vector>

#include "json_output.hpp"
#include "sweep.hpp"

namespace weft::app {

inline constexpr const char *kSweepFile = "sweep.json", *kPolarFile = "polar.csv";

/// Reads the rows of earlier sweeps into a folder; none if it has no sweep.json. This rank alone.
/// @throws InputError if the file is damaged, or its points are those of other axes.
[[nodiscard]] std::vector<Json> read_sweep(const std::filesystem::path& folder, const std::vector<SweepAxis>& axes);

/// Writes sweep.json and polar.csv with all rows that are done. This rank alone.
/// @param forces  names of forces that get columns, in addition to those in rows.  @throws IoError.
void write_sweep(const std::filesystem::path& folder, const std::vector<SweepAxis>& axes, std::vector<std::string> forces,
                 const std::vector<Json>& rows);

/// Returns the table for the terminal, with a line for each point.
[[nodiscard]] std::string sweep_table(const std::vector<SweepAxis>& axes, const std::vector<std::string>& forces,
                                      const std::vector<SweepPoint>& points, const std::vector<Json>& rows);

/// Returns whether a row has coefficients of a force.
[[nodiscard]] bool any_coefficients(const std::vector<Json>& rows);

}  // namespace weft::app
