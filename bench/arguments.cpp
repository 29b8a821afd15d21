#include "arguments.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

namespace bench {
namespace {

/// Rejects numbers below `least` and above `most`.
template <class T>
CLI::Validator in_range(T least, T most) {
  return {[least, most](std::string& word) {
            T number{};
            if (CLI::detail::lexical_cast(word, number) && number >= least && number <= most) return std::string();
            const std::string end = most == std::numeric_limits<T>::max() ? " on" : " to " + std::to_string(most);
            return "\"" + word + "\" is no whole number from " + std::to_string(least) + end;
          },
          ""};
}

CLI::Validator is_positive() {
  return {[](std::string& word) {
            double number = 0;
            if (CLI::detail::lexical_cast(word, number) && number > 0) return std::string();
            return "\"" + word + "\" is no positive number";
          },
          ""};
}

std::string list(const std::vector<std::string>& choices) {
  std::string names;
  for (const std::string& choice : choices) names += (names.empty() ? "" : ", ") + choice;
  return names;
}

CLI::Validator is_one_of(const std::vector<std::string>& choices) {
  return {[choices](std::string& word) {
            if (std::find(choices.begin(), choices.end(), word) != choices.end()) return std::string();
            return "\"" + word + "\" is none of " + list(choices);
          },
          ""};
}

}  // namespace

struct Arguments::Parser {
  Parser(std::string program, const std::string& purpose) : app(purpose, std::move(program)) {}
  CLI::App app;
};

Arguments::Arguments(std::string program, const std::string& purpose)
    : parser_(std::make_unique<Parser>(std::move(program), purpose)) {}
Arguments::~Arguments() = default;

void Arguments::add(const std::string& name, int& value, const std::string& help, int least, int most) {
  parser_->app.add_option(name, value, help)->capture_default_str()->check(in_range(least, most));
}

void Arguments::add(const std::string& name, std::int64_t& value, const std::string& help, std::int64_t least) {
  parser_->app.add_option(name, value, help)
      ->capture_default_str()
      ->check(in_range(least, std::numeric_limits<std::int64_t>::max()));
}

void Arguments::add(const std::string& name, double& value, const std::string& help) {
  parser_->app.add_option(name, value, help)->capture_default_str()->check(is_positive());
}

void Arguments::add(const std::string& name, std::string& value, const std::string& help,
                    const std::vector<std::string>& choices) {
  const std::string described = choices.empty() ? help : help + ", one of " + list(choices);
  CLI::Option* const option = parser_->app.add_option(name, value, described)->capture_default_str();
  if (!choices.empty()) option->check(is_one_of(choices));
}

std::optional<int> Arguments::parse(int argc, const char* const* argv, bool prints) {
  const std::string program = parser_->app.get_name();
  try {
    parser_->app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (prints) std::printf("%s", parser_->app.help().c_str());
    return 0;
  } catch (const CLI::ParseError& error) {
    if (prints) std::fprintf(stderr, "%s: error: %s; see %s --help\n", program.c_str(), error.what(), program.c_str());
    return 2;
  }
  return std::nullopt;
}

}  // namespace bench
