#pragma once
/// Standard output and error whose failure (a pipe or a terminal that is gone, a full disk) ends no run: main reports it when the
/// command has done its work.
#include <cstddef>
#include <exception>
#include <string_view>

namespace weft::app {

/// Writes a text to standard output at once and remembers where that failed.
void print_out(std::string_view text);

/// Writes a text to standard error, or nowhere.
void print_error(std::string_view text);

/// Writes bytes to the descriptor of standard output, for a process that passes on the output of another, and remembers where
/// that failed; from then on it drops them.
void pass_on(const char* bytes, std::size_t size);

/// Returns whether this is the error that fmt::print throws where standard output cannot be written, and remembers that.
[[nodiscard]] bool is_output_error(const std::exception& error);

/// Flushes standard output and reports on standard error where something that was to be printed is lost.
/// @return `code`, or that of a failure instead of 0.
[[nodiscard]] int end_output(int code);

}  // namespace weft::app
