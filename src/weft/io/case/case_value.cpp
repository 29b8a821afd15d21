#include "weft/io/case/case_value.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "weft/io/case/units.hpp"

namespace weft::io::detail {
namespace {

Place place_of(const toml::source_region& source, const std::string& name) {
  return {name, static_cast<std::int64_t>(source.begin.line), static_cast<std::int64_t>(source.begin.column)};
}

CaseValue convert(const toml::node& node, const std::string& name) {
  using Kind = CaseValue::Kind;
  CaseValue value;
  value.place = place_of(node.source(), name);
  if (const auto* table = node.as_table()) {
    value.kind = Kind::table;
    for (auto&& [key, child] : *table) {
      value.entries.push_back({std::string(key.str()), place_of(key.source(), name), convert(child, name)});
    }
    std::stable_sort(value.entries.begin(), value.entries.end(), [](const CaseEntry& a, const CaseEntry& b) {
      return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
    });
  } else if (const auto* array = node.as_array()) {
    value.kind = Kind::list;
    for (const toml::node& item : *array) value.items.push_back(convert(item, name));
  } else if (const auto* text = node.as_string()) {
    value.kind = Kind::text;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = Kind::integer;
    value.integer = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    value.kind = Kind::real;
    value.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = Kind::boolean;
    value.boolean = boolean->get();
  } else {
    value.kind = Kind::date;
  }
  return value;
}

void stamp(CaseValue& value, const Place& place) {
  value.place = place;
  for (CaseValue& item : value.items) stamp(item, place);
  for (CaseEntry& entry : value.entries) {
    entry.place = place;
    stamp(entry.value, place);
  }
}

// Returns the value of an override: TOML if valid, otherwise a number (such as ".5", invalid in TOML), otherwise text.
CaseValue override_value(const std::string& text, const Place& place) {
  CaseValue value;
  try {
    value = parse_toml("value = " + text + "\n", place.file).entries.at(0).value;
  } catch (const InputError& error) {
    if (!text.empty() && std::string_view("\"'[{").find(text.front()) != std::string_view::npos) {
      throw InputError("the value is not valid TOML: " + error.problem(), "check its quotes and brackets", place.where({}));
    }
    const auto quantity = parse_quantity(text);
    if (quantity && quantity->unit.empty()) {
      value.kind = CaseValue::Kind::real;
      value.real = quantity->number;
    } else {
      value.kind = CaseValue::Kind::text;
      value.text = text;
    }
  }
  stamp(value, place);
  return value;
}

// Splits a dotted key into names: a.b."c.d" -> a, b, c.d.
std::vector<std::string> split_key(const std::string& key, const Place& place) {
  const std::string help = "write --set section.key=value";
  CaseValue table;
  try {
    table = parse_toml(key + " = 0\n", place.file);
  } catch (const InputError&) {
    throw InputError(fmt::format("\"{}\" is not a key", key), help, place.where({}));
  }
  std::vector<std::string> path;
  const CaseValue* node = &table;
  while (node->is_table()) {
    if (node->entries.size() != 1) throw InputError(fmt::format("\"{}\" is not a key", key), help, place.where({}));
    path.push_back(node->entries.front().name);
    node = &node->entries.front().value;
  }
  return path;
}

// Returns the position after the string that begins at `begin` and may have several lines.
std::size_t behind_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string three(3, quote);
  const bool long_string = text.substr(begin, 3) == three;
  for (std::size_t at = begin + (long_string ? 3 : 1); at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (!long_string && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    } else if (long_string && text.substr(at, 3) == three) {
      at += 3;
      while (at < text.size() && text[at] == quote) ++at;  // one or two quotes may precede the three that end the string
      return at;
    }
  }
  return text.size();
}

// Rejects keys and values whose nesting would exhaust the stack in toml++ or here: each dot of a key creates a table, and
// toml++ limits only the nesting of brackets. The parser rejects all other errors.
void check_depth(std::string_view text, const std::string& name) {
  constexpr int kMostLevels = 100;
  std::vector<int> outer{0};  // nesting depth at each open bracket
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '#':
        at = std::min(text.find('\n', at), text.size()) - 1;
        break;
      case '"':
      case '\'':
        at = behind_string(text, at) - 1;
        break;
      case '.':
        ++depth;
        break;
      case '[':
      case '{':
        outer.push_back(++depth);
        break;
      case ']':
      case '}':
        if (outer.size() > 1) outer.pop_back();
        depth = outer.back();
        break;
      case ',':
      case '\n':
        depth = outer.back();
        break;
      default:
        break;
    }
    if (depth <= kMostLevels) continue;
    const std::string_view before = text.substr(0, at);
    const std::size_t line_begin = before.rfind('\n') + 1;  // 0 in the first line
    const Place place{name, 1 + std::count(before.begin(), before.end(), '\n'), static_cast<std::int64_t>(at - line_begin) + 1};
    throw InputError(fmt::format("a key or value is nested more than {} levels deep", kMostLevels), "use fewer dots or brackets",
                     place.where({}));
  }
}

}  // namespace

bool CaseValue::is_list_of_tables() const {
  return kind == Kind::list && !items.empty() &&
         std::all_of(items.begin(), items.end(), [](const CaseValue& item) { return item.is_table(); });
}

const CaseEntry* CaseValue::find(std::string_view name) const {
  const auto entry = std::find_if(entries.begin(), entries.end(), [&](const CaseEntry& e) { return e.name == name; });
  return entry == entries.end() ? nullptr : &*entry;
}

CaseEntry* CaseValue::find(std::string_view name) { return const_cast<CaseEntry*>(std::as_const(*this).find(name)); }

std::string CaseValue::describe() const {
  switch (kind) {
    case Kind::boolean:
      return boolean ? "true" : "false";
    case Kind::integer:
      return fmt::format("the integer {}", integer);
    case Kind::real:
      return fmt::format("the number {}", real);
    case Kind::text:
      return fmt::format("the text \"{}\"", text);
    case Kind::list:
      return fmt::format("a list of {}", items.size());
    case Kind::table:
      return "a section";
    case Kind::date:
      return "a date or time";
  }
  return {};
}

namespace {

/// Returns what to do about an error of the TOML parser.
std::string toml_advice(std::string_view problem) {
  const auto has = [&](std::string_view words) { return problem.find(words) != std::string_view::npos; };
  if (has("could not determine value type")) return "correct the TOML: a text stands in quotation marks, \"like this\"";
  if (has("floating-point") && has("saw '.'")) return "correct the TOML: write a digit before the point, as in 0.5";
  if (has("key-value pair") && has("saw ','"))
    return "correct the TOML: decimals have a point, as in 0.5, and a list stands in [ ]";
  return "correct the TOML";
}

/// Returns true for an override that names its option: "--threads threads=2".
bool names_option(const std::string& given) { return given.starts_with("--") && given.find(' ') < given.find('='); }

}  // namespace

CaseValue parse_toml(std::string_view text, const std::string& name) {
  check_depth(text, name);
  try {
    return convert(toml::parse(text, name), name);
  } catch (const toml::parse_error& error) {
    throw InputError(std::string(error.description()), toml_advice(error.description()),
                     place_of(error.source(), name).where({}));
  }
}

std::string as_option(const std::string& given) {
  if (!names_option(given)) return "--set " + given;
  return given.substr(0, given.find(' ') + 1) + given.substr(given.find('=') + 1);
}

void apply_override(CaseValue& root, const std::string& given) {
  const Place place{as_option(given)};
  const std::string assignment = names_option(given) ? given.substr(given.find(' ') + 1) : given;
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError("an override needs a key and a value", "write --set section.key=value", place.where({}));
  }
  const std::vector<std::string> path = split_key(assignment.substr(0, equals), place);
  std::string text = assignment.substr(equals + 1);
  const auto first = text.find_first_not_of(" \t");
  text = first == std::string::npos ? std::string() : text.substr(first);
  CaseValue value = override_value(text, place);

  CaseValue* node = &root;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool last = i + 1 == path.size();
    if (node->is_list_of_tables()) {  // probe.0.name: index of a section in a list
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(path[i].data(), path[i].data() + path[i].size(), index);
      if (error != std::errc{} || end != path[i].data() + path[i].size() || index >= node->items.size()) {
        throw InputError(fmt::format("\"{}\" is not a number below {}, the count of these sections", path[i], node->items.size()),
                         "count them from 0", place.where(dotted(path)));
      }
      node = &node->items[index];
    } else if (node->is_table()) {
      if (node->find(path[i]) == nullptr) {
        CaseValue section;
        section.place = place;
        node->entries.push_back({path[i], place, std::move(section)});
      }
      CaseEntry& entry = *node->find(path[i]);
      if (last) entry.place = place;
      node = &entry.value;
    } else {
      throw InputError(fmt::format("the case has {} where this override expects a section", node->describe()), {},
                       place.where(dotted(path)));
    }
  }
  *node = std::move(value);
}

std::string dotted(const std::vector<std::string>& path) {
  std::string key;
  for (const std::string& name : path) {
    if (!key.empty()) key += '.';
    key += toml_key(name);
  }
  return key;
}

std::string toml_key(std::string_view name) {
  const bool placeholder = name.starts_with('<') && name.ends_with('>');
  const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare || placeholder ? std::string(name) : toml_text(name);
}

std::string toml_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        quoted += "\\\"";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\t':
        quoted += "\\t";
        break;
      case '\r':
        quoted += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        } else {
          quoted += c;
        }
    }
  }
  return quoted + "\"";
}

std::string toml_real(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace weft::io::detail
