#pragma once
/// Standard output and error whose failure (a closed pipe or terminal, a full disk) ends no run: main reports it after the
/// command has completed.
#include <cstddef>
#include <exception>
#include <string_view>

namespace weft::app {

/// Writes text to standard output at once and records a failure.
void print_out(std::string_view text);

/// Writes text to standard error and ignores failures.
void print_error(std::string_view text);

/// Writes bytes to the descriptor of standard output, for a process that forwards the output of another, and records a
/// failure; drops further bytes after it.
void pass_on(const char* bytes, std::size_t size);

/// Returns true for the error that fmt::print throws if standard output cannot be written, and records the failure.
[[nodiscard]] bool is_output_error(const std::exception& error);

/// Flushes standard output and reports lost output on standard error.
/// @return `code`, or that of a failure instead of 0.
[[nodiscard]] int end_output(int code);

}  // namespace weft::app
