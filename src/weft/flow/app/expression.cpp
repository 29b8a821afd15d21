#include "weft/flow/app/expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <numbers>
#include <vector>

#include "weft/io/case/units.hpp"

namespace weft::flow {
namespace {

/// Returns the position of an '=' that is no comparison: muParser would treat it as an assignment to x.
std::size_t find_assignment(const std::string& text) {
  for (std::size_t i = text.find('='); i != std::string::npos; i = text.find('=', i + 1)) {
    const bool compares_before = i > 0 && std::string("<>!=").find(text[i - 1]) != std::string::npos;
    const bool compares_after = i + 1 < text.size() && text[i + 1] == '=';
    if (!compares_before && !compares_after) return i;
  }
  return std::string::npos;
}

/// Returns the first character of a text in UTF-8.
std::string first_character(const std::string& text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) ++size;
  return text.substr(0, size);
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Returns the unit of measurement that follows a number directly or after blanks at this position; empty if there is none.
std::string unit_at(const std::string& text, std::size_t position) {
  if (position == 0 || position >= text.size()) return {};
  const std::size_t before = text.find_last_not_of(' ', position - 1);
  if (before == std::string::npos) return {};
  if (std::isdigit(static_cast<unsigned char>(text[before])) == 0 && text[before] != '.') return {};
  constexpr const char* kUnitCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/^";
  const std::size_t end = text.find_first_not_of(kUnitCharacters, position);
  std::string word = text.substr(position, end == std::string::npos ? end : end - position);
  while (!word.empty() && io::find_unit(word) == nullptr) word.pop_back();
  const bool is_word = !word.empty() && std::isalpha(static_cast<unsigned char>(word.front())) != 0;
  const std::size_t next = position + word.size();  // a bracket for "2 min(x, y)", a letter for "2 mach"
  const bool is_part = next < text.size() && (text[next] == '(' || std::isalpha(static_cast<unsigned char>(text[next])) != 0);
  return is_word && !is_part ? word : std::string();
}

/// Returns the position in a text for messages: "1 + sen(x)", 5 -> "at column 5 of \"1 + sen(x)\"".
std::string at(const std::string& text, std::size_t position) {
  return fmt::format("at column {} of \"{}\"", position + 1, text);
}

}  // namespace

struct Expression::Parsed {
  std::string text;
  Where where;
  Vec3 x{};
  double t = 0;
  mu::Parser parser;

  [[nodiscard]] const char* variables() const { return parser.GetVar().count("t") > 0 ? "x, y, z and t" : "x, y and z"; }

  [[noreturn]] void fail(const mu::ParserError& error) const {
    const std::string& token = error.GetToken();
    // muParser reports a place at the token or somewhere behind it.
    const std::size_t reported = error.GetPos() < 0 ? text.size() : error.GetPos();
    const std::size_t found = token.empty() ? std::string::npos : text.rfind(token, reported);
    const std::size_t position = found == std::string::npos ? reported : found;
    if (const std::string unit = unit_at(text, position); !unit.empty()) {
      throw InputError(fmt::format("unexpected unit \"{}\" {}", unit, at(text, position)),
                       "a formula has plain numbers in SI units (angles in radians): convert the number and leave out the unit",
                       where);
    }
    switch (error.GetCode()) {
      case mu::ecUNASSIGNABLE_TOKEN: {
        if (std::isalpha(static_cast<unsigned char>(token.front())) == 0) break;
        std::vector<std::string> known{"pi"};
        for (const auto& variable : parser.GetVar()) known.push_back(variable.first);
        for (const auto& function : parser.GetFunDef()) known.push_back(function.first);
        if (token == "if") {
          throw InputError(fmt::format("unknown name \"if\" {}", at(text, position)), "write condition ? value : other value",
                           where);
        }
        const std::string lower = lower_case(token);
        const bool capitals = lower != token && std::find(known.begin(), known.end(), lower) != known.end();
        const std::string near = capitals ? lower : token.size() > 1 ? closest_match(lower, known) : std::string();
        throw InputError(fmt::format("unknown name \"{}\" {}", token, at(text, position)),
                         near.empty() ? fmt::format("the variables are {}", variables())
                                      : fmt::format("did you mean \"{}\"?{}", near,
                                                    capitals ? " Names of variables and functions are in small letters" : ""),
                         where);
      }
      case mu::ecMISSING_PARENS:
        throw InputError(fmt::format("a closing bracket is missing {}", at(text, text.size())), {}, where);
      case mu::ecUNEXPECTED_PARENS:
        throw InputError(fmt::format("unexpected bracket {}", at(text, position)), {}, where);
      case mu::ecUNEXPECTED_EOF:
        throw InputError(fmt::format("the expression \"{}\" ends too soon", text), {}, where);
      case mu::ecEMPTY_EXPRESSION:
        throw InputError("the expression is empty", fmt::format("write a number or a formula in {}", variables()), where);
      case mu::ecTOO_MANY_PARAMS:
      case mu::ecTOO_FEW_PARAMS:
        throw InputError(fmt::format("\"{}\" has the wrong number of arguments {}", token, at(text, position)), {}, where);
      default:
        break;
    }
    if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN) {
      throw InputError(fmt::format("unexpected \"{}\" {}", first_character(token), at(text, reported)), {}, where);
    }
    throw InputError(token.empty() ? fmt::format("cannot be understood {}", at(text, position))
                                   : fmt::format("unexpected \"{}\" {}", token, at(text, position)),
                     {}, where);
  }
};

Expression::Expression(std::string text, Where where, Variables variables) : parsed_(std::make_unique<Parsed>()) {
  Parsed& p = *parsed_;
  p.text = std::move(text);
  p.where = std::move(where);
  if (const std::size_t position = find_assignment(p.text); position != std::string::npos) {
    throw InputError(fmt::format("unexpected \"=\" {}", at(p.text, position)), "compare with ==", p.where);
  }
  if (const std::size_t position = p.text.find("**"); position != std::string::npos) {
    throw InputError(fmt::format("unexpected \"**\" {}", at(p.text, position)), "write a power with ^, as in x^2", p.where);
  }
  try {
    p.parser.DefineVar("x", &p.x.x);
    p.parser.DefineVar("y", &p.x.y);
    p.parser.DefineVar("z", &p.x.z);
    if (variables == Variables::place_and_time) p.parser.DefineVar("t", &p.t);
    p.parser.DefineConst("pi", std::numbers::pi);
    p.parser.SetExpr(p.text);
    p.parser.Eval();
  } catch (const mu::ParserError& error) {
    p.fail(error);
  }
  if (p.parser.GetNumResults() != 1) {
    throw InputError(fmt::format("\"{}\" has {} values", p.text, p.parser.GetNumResults()),
                     "write one formula, without commas: decimals have a point", p.where);
  }
}

Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

double Expression::operator()(Vec3 x, double t) const {
  parsed_->x = x;
  parsed_->t = t;
  try {
    return parsed_->parser.Eval();
  } catch (const mu::ParserError& error) {
    parsed_->fail(error);
  }
}

bool Expression::depends_on_time() const { return parsed_->parser.GetUsedVar().count("t") > 0; }

const std::string& Expression::text() const { return parsed_->text; }
const Where& Expression::where() const { return parsed_->where; }

}  // namespace weft::flow
