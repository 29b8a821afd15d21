# cmake -D OUTPUT=build_commit.cpp -D SOURCE_DIR=... -P commit.cmake: writes the commit of the build, with "-dirty" after changes;
# empty without git.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --abbrev=12 --exclude=* --dirty
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "")
endif()
execute_process(COMMAND git -C ${SOURCE_DIR} rev-parse --show-toplevel
  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(REAL_PATH "${SOURCE_DIR}" source)
if(NOT top STREQUAL source)  # unpacked inside the repository of something else
  set(commit "")
endif()
set(text "#include \"build_commit.hpp\"\nconst char* const weft::app::kCommit = \"${commit}\";\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL before)  # unchanged, it makes nothing compile again
  file(WRITE ${OUTPUT} "${text}")
endif()
