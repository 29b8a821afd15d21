#pragma once
namespace weft::app {

/// The commit of the build, with "-dirty" after changes; empty without git.
extern const char* const kCommit;

}  // namespace weft::app
