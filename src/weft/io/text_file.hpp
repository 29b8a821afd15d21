#pragma once
/// Whole text files: read at once, written at once.
#include <filesystem>
#include <string>
#include <string_view>

namespace weft::io {

/// Returns what to do about a file that is not there: "did you mean ...?" with the name in its folder that differs by at most two
/// letters, else "check the path". This rank alone.
[[nodiscard]] std::string check_path(const std::filesystem::path& path);

/// The content of a file. This rank alone.
/// @throws IoError: it does not exist, is a directory, cannot be read.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// Whether a file is to survive a crash of the machine, for which its writer waits until it is on the disk.
enum class Durable { no, yes };

/// Writes the file beside its final name and renames it, so that nobody ever sees half of it; where it is durable, not even after
/// a crash of the machine. This rank alone.
/// @throws IoError: the directory does not exist or cannot be written, the disk is full.
void write_text(const std::filesystem::path& path, std::string_view text, Durable durable = Durable::yes);

/// Makes a directory and those above it. This rank alone.
/// @throws IoError: a file is in the way, or the place cannot be written.
void make_directories(const std::filesystem::path& path);

}  // namespace weft::io
