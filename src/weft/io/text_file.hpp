#pragma once
/// Text files read or written as a whole.
#include <filesystem>
#include <string>
#include <string_view>

namespace weft::io {

/// Returns what to do about a file that is not there: "did you mean ...?" with the name in its folder that differs by at most two
/// letters, else "check the path". This rank alone.
[[nodiscard]] std::string check_path(const std::filesystem::path& path);

/// Returns the content of a file. This rank alone.
/// @throws IoError: it does not exist, is a directory, cannot be read.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// Durability after a crash of the machine: a durable write waits until the file is on disk.
enum class Durable { no, yes };

/// Writes the file under a temporary name and renames it, so that incomplete files are never visible; if durable, also after
/// a crash of the machine. Called by one rank.
/// @throws IoError: the directory does not exist or is not writable, or the disk is full.
void write_text(const std::filesystem::path& path, std::string_view text, Durable durable = Durable::yes);

/// Creates a directory and its parents. Called by one rank.
/// @throws IoError: a file of that name exists, or the location is not writable.
void make_directories(const std::filesystem::path& path);

}  // namespace weft::io
