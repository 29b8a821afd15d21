// Sections of a case, and the uses of declarations: unknown keys, the effective case, the reference.
#include "weft/io/case/case_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "weft/io/case/case_state.hpp"

namespace weft::io {

using detail::CaseEntry;
using detail::CaseState;
using detail::CaseValue;
using detail::KeyRecord;
using detail::SectionRecord;
using RecordKind = SectionRecord::Kind;

namespace {

SectionRecord& child_record(CaseState& state, SectionRecord& parent, const std::string& name, RecordKind kind,
                            const SectionSpec& spec, const CaseValue* value) {
  if (SectionRecord* known = parent.child(name)) return *known;
  auto record = std::make_unique<SectionRecord>();
  record->kind = kind;
  record->name = name;
  record->doc = spec.doc;
  record->parent = &parent;
  record->value = value;
  if (const std::string condition = state.condition(); !condition.empty()) record->conditions.push_back(condition);
  parent.children.push_back(std::move(record));
  return *parent.children.back();
}

const CaseValue* value_of(const SectionRecord& record, const std::string& key) {
  const CaseEntry* entry = record.value == nullptr ? nullptr : record.value->find(key);
  return entry == nullptr ? nullptr : &entry->value;
}

// ------------------------------------------------------------------------------------------------------------- unknown keys

struct Unknown {
  const SectionRecord* section;
  const CaseEntry* entry;
};

void collect_unknown(const SectionRecord& record, std::vector<Unknown>& unknown) {
  if (record.incomplete) return;
  const bool own_keys = record.kind != RecordKind::named && record.kind != RecordKind::list;
  if (own_keys && record.value != nullptr) {
    for (const CaseEntry& entry : record.value->entries) {
      const bool is_key =
          std::any_of(record.keys.begin(), record.keys.end(), [&](const KeyRecord& key) { return key.name == entry.name; });
      if (!is_key && record.child(entry.name) == nullptr) unknown.push_back({&record, &entry});
    }
  }
  for (const auto& child : record.children) collect_unknown(*child, unknown);
}

// Returns the full names of all keys and sections called `name`.
void collect_named(const SectionRecord& record, const std::string& name, std::vector<std::string>& found) {
  for (const KeyRecord& key : record.keys) {
    if (key.name == name) found.push_back(detail::dotted(record.path_of(name)));
  }
  for (const auto& child : record.children) {
    if (child->name == name && child->kind != RecordKind::item) found.push_back(detail::dotted(child->path()));
    collect_named(*child, name, found);
  }
}

std::string suggest(const SectionRecord& root, const Unknown& unknown) {
  std::vector<std::string> names;
  for (const KeyRecord& key : unknown.section->keys) names.push_back(key.name);
  for (const auto& child : unknown.section->children) names.push_back(child->name);
  const std::string near = closest_match(unknown.entry->name, names);
  if (!near.empty()) return fmt::format("did you mean \"{}\"?", near);
  std::vector<std::string> elsewhere;
  collect_named(root, unknown.entry->name, elsewhere);
  if (!elsewhere.empty()) return fmt::format("did you mean {}?", elsewhere.front());
  if (names.empty()) return "nothing can be set here";
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + detail::toml_key(name);
  return "known here: " + known;
}

// ----------------------------------------------------------------------------------------------------------- effective case

// Returns the name in the header: like path(), without the indices of list items.
std::vector<std::string> header_path(const SectionRecord& record) {
  if (record.parent == nullptr) return {};
  std::vector<std::string> names = header_path(*record.parent);
  if (record.kind != RecordKind::item) names.push_back(record.name);
  return names;
}

std::string header(const SectionRecord& record) {
  const std::string name = detail::dotted(header_path(record));
  return record.kind == RecordKind::item ? fmt::format("[[{}]]", name) : fmt::format("[{}]", name);
}

void write_effective(const SectionRecord& record, std::string& text) {
  std::string keys;
  for (const KeyRecord& key : record.keys) {
    if (key.value_toml.empty()) continue;
    keys += fmt::format("{} = {}{}\n", detail::toml_key(key.name), key.value_toml, key.from_case ? "" : "  # default");
  }
  const bool exists = record.kind == RecordKind::member || record.kind == RecordKind::item;
  if (record.parent != nullptr && (exists || !keys.empty())) text += fmt::format("\n{}\n", header(record));
  text += keys;
  for (const auto& child : record.children) write_effective(*child, text);
}

// ---------------------------------------------------------------------------------------------------------------- reference

std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string code(const std::string& text) { return text.empty() ? text : fmt::format("`{}`", cell(text)); }

std::string only_for(const std::vector<std::string>& conditions) {
  std::string text;
  for (const std::string& condition : conditions) text += (text.empty() ? "" : " or ") + code(condition);
  return text.empty() ? text : fmt::format("Only with {}.", text);
}

void write_reference(const SectionRecord& record, std::string& text) {
  const bool heads = record.kind != RecordKind::named && record.kind != RecordKind::list;
  if (heads && (!record.keys.empty() || !record.doc.empty())) {
    text += record.parent == nullptr ? "## Top level\n\n" : fmt::format("## `{}`\n\n", header(record));
    if (!record.doc.empty()) text += record.doc + "\n\n";
    if (!record.conditions.empty()) text += only_for(record.conditions) + "\n\n";
    if (!record.keys.empty())
      text += "| key | type | unit | default | range | meaning |\n| --- | --- | --- | --- | --- | --- |\n";
    for (const KeyRecord& key : record.keys) {
      const std::string fallback = key.required ? "required" : key.default_toml.empty() ? "none" : code(key.default_toml);
      const std::string condition = only_for(key.conditions);
      text += fmt::format("| `{}` | {} | {} | {} | {} | {}{}{} |\n", cell(key.name), key.type, cell(key.unit), fallback,
                          cell(key.range), cell(key.doc), condition.empty() ? "" : " ", condition);
    }
    text += "\n";
  }
  for (const auto& child : record.children) write_reference(*child, text);
}

}  // namespace

Section Section::section(const std::string& key, const SectionSpec& spec) const {
  const CaseValue* value = value_of(*record_, key);
  SectionRecord& record = child_record(*state_, *record_, key, RecordKind::single, spec, value);
  if (value != nullptr && !value->is_table()) {
    fail(key, fmt::format("expected a section, found {}", value->describe()),
         fmt::format("write [{}]", detail::dotted(record_->path_of(key))));
  }
  if (value == nullptr && spec.required && !documenting()) {
    fail(key, "this section is required, and missing", fmt::format("add [{}]", detail::dotted(record_->path_of(key))));
  }
  return {state_, &record};
}

std::vector<Section> Section::named_sections(const std::string& key, const SectionSpec& spec) const {
  const CaseValue* value = value_of(*record_, key);
  const std::string example = fmt::format("write [{}.<{}>]", detail::dotted(record_->path_of(key)), spec.placeholder);
  SectionRecord& parent = child_record(*state_, *record_, key, RecordKind::named, spec, value);
  if (value != nullptr && !value->is_table()) {
    fail(key, fmt::format("expected sections, one for each {}, found {}", spec.placeholder, value->describe()), example);
  }
  std::vector<Section> members;
  const auto add = [&](const std::string& name, const CaseValue* member) {
    members.push_back(Section{state_, &child_record(*state_, parent, name, RecordKind::member, spec, member)});
  };
  if (documenting()) {
    add(fmt::format("<{}>", spec.placeholder), nullptr);
    return members;
  }
  if (value != nullptr) {
    for (const CaseEntry& entry : value->entries) {
      const bool good = attempt([&] {
        if (!entry.value.is_table()) {
          throw InputError(fmt::format("expected a section, found {}", entry.value.describe()), example,
                           entry.value.place.where(detail::dotted(parent.path_of(entry.name))));
        }
      });
      if (good) add(entry.name, &entry.value);
    }
  }
  if (members.empty() && spec.required) fail(key, "at least one such section is required", example);
  return members;
}

std::vector<Section> Section::sections(const std::string& key, const SectionSpec& spec) const {
  const CaseValue* value = value_of(*record_, key);
  const std::string example = fmt::format("write [[{}]]", detail::dotted(record_->path_of(key)));
  SectionRecord& parent = child_record(*state_, *record_, key, RecordKind::list, spec, value);
  const bool empty_list = value != nullptr && value->kind == CaseValue::Kind::list && value->items.empty();
  if (value != nullptr && !empty_list && !value->is_list_of_tables()) {
    fail(key, fmt::format("expected a list of sections, found {}", value->describe()), example);
  }
  std::vector<Section> items;
  const auto add = [&](const CaseValue* item) {
    items.push_back(Section{state_, &child_record(*state_, parent, std::to_string(items.size()), RecordKind::item, spec, item)});
  };
  if (documenting()) {
    add(nullptr);
    return items;
  }
  if (value != nullptr) {
    for (const CaseValue& item : value->items) add(&item);
  }
  if (items.empty() && spec.required) fail(key, "at least one such section is required", example);
  return items;
}

CaseReader::CaseReader(std::shared_ptr<CaseState> state) : state_(std::move(state)) {}

CaseReader::CaseReader(CaseFile file) : state_(std::make_shared<CaseState>()) {
  state_->file = std::move(file);
  state_->root.value = &state_->file.root();
}

CaseReader CaseReader::documentation() {
  auto state = std::make_shared<CaseState>();
  state->file = CaseFile::from_text("", "case.toml");
  state->documenting = true;
  return CaseReader(std::move(state));
}

Section CaseReader::root() const { return {state_, &state_->root}; }
const CaseFile& CaseReader::file() const { return state_->file; }

void CaseReader::finish() const {
  std::vector<Unknown> unknown;
  collect_unknown(state_->root, unknown);
  if (unknown.empty()) return;
  const auto error = [&](const Unknown& one, const std::string& more) {
    const bool section = one.entry->value.is_table() || one.entry->value.is_list_of_tables();
    return InputError(fmt::format("unknown {}{}", section ? "section" : "key", more), suggest(state_->root, one),
                      one.entry->place.where(detail::dotted(one.section->path_of(one.entry->name))));
  };
  if (!state_->collecting) {
    throw error(unknown.front(), unknown.size() == 1 ? "" : fmt::format(" ({} more unknown)", unknown.size() - 1));
  }
  for (const Unknown& one : unknown) state_->errors.push_back(error(one, ""));
}

void CaseReader::collect_errors() const { state_->collecting = true; }

std::vector<InputError> CaseReader::errors() const {
  std::vector<InputError> errors = state_->errors;
  std::stable_sort(errors.begin(), errors.end(), [](const InputError& a, const InputError& b) {
    const auto place = [](const Where& w) { return std::make_tuple(w.line == 0, w.line, w.column); };
    return place(a.where()) < place(b.where());
  });
  return errors;
}

std::string CaseReader::effective_toml() const {
  std::string text = fmt::format("{}{}", kEffectiveCaseHeader, state_->file.path().string());
  for (const std::string& assignment : state_->file.overrides()) text += " " + detail::as_option(assignment);
  std::replace(text.begin(), text.end(), '\n', ' ');
  text += "\n";
  write_effective(state_->root, text);
  return text;
}

std::string CaseReader::reference_markdown() const {
  std::string text;
  write_reference(state_->root, text);
  return text;
}

}  // namespace weft::io
