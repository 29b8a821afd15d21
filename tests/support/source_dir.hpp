#pragma once
/// The folder of the sources, for tests that read files of the repository.
#include <filesystem>

std::filesystem::path source_dir();
