#include "weft/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "weft/base/contracts.hpp"

namespace weft {
namespace {

std::string describe(const std::string& problem, const std::string& suggestion, const Where& where) {
  std::string text;
  if (!where.file.empty()) {
    text += where.file;
    if (where.line > 0) text += fmt::format(":{}", where.line);
    if (where.line > 0 && where.column > 0) text += fmt::format(":{}", where.column);
    if (where.offset >= 0) text += fmt::format(" (byte {})", where.offset);
    text += ": ";
  }
  if (!where.key.empty()) text += fmt::format("{}: ", where.key);
  if (!where.zone.empty()) text += fmt::format("zone \"{}\": ", where.zone);
  if (where.element >= 0) text += fmt::format("element {}: ", where.element);
  text += problem;
  if (!suggestion.empty()) text += "; " + suggestion;
  return text;
}

}  // namespace

Error::Error(Kind kind, std::string problem, std::string suggestion, Where where)
    : std::runtime_error(describe(problem, suggestion, where)),
      kind_(kind),
      problem_(std::move(problem)),
      suggestion_(std::move(suggestion)),
      where_(std::move(where)) {}

void throw_error(Error::Kind kind, std::string problem, std::string suggestion, Where where) {
  switch (kind) {
    case Error::Kind::contract:
      throw ContractError(std::move(problem), std::move(suggestion), std::move(where));
    case Error::Kind::limit:
      throw LimitError(std::move(problem), std::move(suggestion), std::move(where));
    case Error::Kind::input:
      throw InputError(std::move(problem), std::move(suggestion), std::move(where));
    case Error::Kind::mesh:
      throw MeshError(std::move(problem), std::move(suggestion), std::move(where));
    case Error::Kind::io:
      throw IoError(std::move(problem), std::move(suggestion), std::move(where));
    case Error::Kind::comm:
      throw CommError(std::move(problem), std::move(suggestion), std::move(where));
    case Error::Kind::device:
      throw DeviceError(std::move(problem), std::move(suggestion), std::move(where));
    case Error::Kind::physics:
      throw PhysicsError(std::move(problem), std::move(suggestion), std::move(where));
    case Error::Kind::interrupted:
      throw InterruptedError(std::move(problem), std::move(suggestion), std::move(where));
  }
  throw ContractError(fmt::format("unknown error kind {}: {}", static_cast<int>(kind), problem));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    before_last = last;
    std::swap(last, current);
  }
  return last[b.size()];
}

void contract_failed(const char* kind, const char* expression, const char* file, int line) {
  throw ContractError(fmt::format("{} failed: {}", kind, expression), "this is a bug: please report it",
                      Where{.file = file, .line = line});
}

}  // namespace weft
