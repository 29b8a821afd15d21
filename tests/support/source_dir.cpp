#include "support/source_dir.hpp"

// The only source that is compiled with WEFT_SOURCE_DIR, so that the compiler cache serves all clones.
std::filesystem::path source_dir() { return WEFT_SOURCE_DIR; }
