#pragma once
// Runs a Python program on the files that a test has written, away from the MPI job that runs the test.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "io/support/scratch.hpp"

namespace weft::io {

struct Outcome {
  bool ran = false;  // false: there is no such interpreter, or it lacks a module
  int status = 0;    // 0: the program ended well
  std::string output{};
};

// Output of a shell command, and its status. This rank alone.
inline Outcome shell(const std::string& command) {
  Outcome outcome{.ran = true};
  FILE* pipe = popen(("env -i PATH=/usr/bin:/bin HOME=/tmp LC_ALL=C.UTF-8 " + command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {};
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) outcome.output += buffer;
  outcome.status = pclose(pipe);
  return outcome;
}

// `test` is a command that succeeds where the interpreter can run `program`. @collective
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
