#pragma once
// Arguments of the benchmark programs. Each program declares its options, so that any other argument is an error. The parser is
// in arguments.cpp, so that no program compiles the headers of CLI11, which nvcc might reject.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// The options of a program. Names with dashes, such as "--edge", take a value; names without, such as "cells", are positional
/// arguments, in the order of their declaration, all of them optional. --help is declared by the constructor.
class Arguments {
 public:
  /// @param program  its name, as in messages.  @param purpose  a sentence for --help.
  Arguments(std::string program, const std::string& purpose);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments();

  /// Declares a whole number of at least `least` and at most `most`. `value` holds the default, must outlive this object and is
  /// set by parse().
  void add(const std::string& name, int& value, const std::string& help, int least = 1,
           int most = std::numeric_limits<int>::max());
  void add(const std::string& name, std::int64_t& value, const std::string& help, std::int64_t least = 1);
  /// Declares a positive number.
  void add(const std::string& name, double& value, const std::string& help);
  /// Declares a word, one of `choices` unless these are empty.
  void add(const std::string& name, std::string& value, const std::string& help, const std::vector<std::string>& choices = {});

  /// Reads the arguments. Returns the exit code with which the program must end at once: 0 after --help, which prints the
  /// options, and 2 for arguments that are wrong, after a message; nothing otherwise.
  /// @param prints  false on all ranks but one.
  [[nodiscard]] std::optional<int> parse(int argc, const char* const* argv, bool prints = true);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace bench
