#pragma once
// Runs a Python program on files that a test has written, outside of the MPI job of the test.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "io/support/scratch.hpp"

namespace weft::io {

struct Outcome {
  bool ran = false;  // false: the interpreter or a module is missing
  int status = 0;    // 0: success
  std::string output{};
};

// Returns the output and status of a shell command. Called by one rank.
inline Outcome shell(const std::string& command) {
  Outcome outcome{.ran = true};
  FILE* pipe = popen(("env -i PATH=/usr/bin:/bin HOME=/tmp LC_ALL=C.UTF-8 " + command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {};
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) outcome.output += buffer;
  outcome.status = pclose(pipe);
  return outcome;
}

// Runs `program`; `test` is a command that succeeds if the interpreter can run it. @collective
inline Outcome run_program(const Communicator& comm, const Scratch& scratch, const std::string& test,
                           const std::string& interpreter, const std::string& program, const std::string& arguments) {
  Outcome outcome;
  if (comm.is_root() && shell(test).status == 0) {
    std::ofstream(scratch / "program.py") << program;
    outcome = shell(interpreter + " " + (scratch / "program.py").string() + " " + arguments);
  }
  outcome.ran = comm.broadcast(static_cast<int>(outcome.ran)) != 0;
  outcome.status = comm.broadcast(outcome.status);
  comm.broadcast(outcome.output);
  return outcome;
}

}  // namespace weft::io
