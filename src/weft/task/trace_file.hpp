#pragma once
/// Files of traces in the Chrome trace format, which Perfetto (https://ui.perfetto.dev) shows.
#include <span>
#include <string>
#include <vector>

#include "weft/task/rank_trace.hpp"

namespace weft::task {

/// Returns the text of a file with the traces of all ranks: a process for each rank, a row for each thread, an arrow for each
/// message from the start of its exchange to the end. Times begin at 0. The member "weft", which other programs ignore, has what
/// summaries need besides.
[[nodiscard]] std::string trace_text(std::span<const RankTrace> ranks);

/// Writes trace_text() to a file, which is complete at all times. This rank alone.
/// @throws IoError: it cannot be written, or a file of that name is there which is no trace.
void write_trace(std::span<const RankTrace> ranks, const std::string& path);

/// Reads the text of a trace file. @param path  names the file in errors.
/// @throws InputError: not JSON, incomplete, JSON of another program, or a member that is missing or wrong.
[[nodiscard]] std::vector<RankTrace> parse_trace(const std::string& text, const std::string& path);

}  // namespace weft::task
