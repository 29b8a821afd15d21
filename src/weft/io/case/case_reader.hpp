#pragma once
/// Reads the keys of a case. A key is declared where it is read: type, unit, default, range and description. The checks, the
/// effective case and the reference of all keys derive from these declarations.
///
///     CaseReader reader(CaseFile::read(comm, "case.toml", overrides));
///     Section flow = reader.root().section("flow", {.doc = "The flow model."});
///     const double cfl = flow.number("cfl", {.default_value = 0.5, .min_exclusive = 0, .max = 10, .doc = "Courant number."});
///     const double end = flow.number("end_time", {.min = 0, .unit = "s", .doc = "Stop here."});   // no default: required
///     reader.finish();   // an unknown key is an error
///
/// An invalid value throws InputError with file, line, column and key. All ranks read the same text and thus throw the same
/// error. After collect_errors() such errors are collected instead, so that a program can report all of them.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/registry.hpp"
#include "weft/base/vec3.hpp"
#include "weft/io/case/case_file.hpp"

namespace weft::io {

/// A real number. A key with a `unit` other than "1" also accepts text with a unit of the same dimension: "1.5 ms". Default,
/// range and plain numbers of the case are in `unit`; the returned value is in SI units (radians for angles).
struct NumberSpec {
  std::optional<double> default_value{};  ///< none: the key is required (optional_number: may be missing)
  std::optional<double> min{}, min_exclusive{}, max{}, max_exclusive{};
  std::string unit = "1";
  std::string doc{};
};

struct IntegerSpec {
  std::optional<std::int64_t> default_value{};
  std::optional<std::int64_t> min{}, max{};
  std::string doc{};
};

struct BooleanSpec {
  std::optional<bool> default_value{};
  std::string doc{};
};

struct TextSpec {
  std::optional<std::string> default_value{};
  std::string doc{};
  /// Called with a word that is none of the choices: may reject it by Section::fail() with a message of its own. Null: no such
  /// messages.
  std::function<void(const std::string& word)> reject{};
};

struct PathSpec {
  std::optional<std::string> default_value{};
  std::string doc{};
};

/// Two or three numbers; with two, z = 0. Units as in NumberSpec.
struct Vector3Spec {
  std::optional<Vec3> default_value{};
  std::string unit = "1";
  std::string doc{};
};

/// A list; a single value is a list of one element.
struct NumbersSpec {
  std::optional<std::vector<double>> default_value{};
  std::optional<double> min{}, min_exclusive{}, max{}, max_exclusive{};
  std::string unit = "1";
  std::string doc{};
};

struct TextsSpec {
  std::optional<std::vector<std::string>> default_value{};
  std::string doc{};
};

/// A number or word that the caller checks; the default is for the reference and the effective case.
struct ParameterSpec {
  std::string initial{}, unit{}, range{}, doc{};
};

struct SectionSpec {
  bool required = false;
  std::string doc{};
  std::string placeholder = "name";  ///< stands for the user's names in the reference
};

/// A choice of a registry (base/registry.hpp); the rows' docs are added to `doc`.
template <class Kind>
struct KindSpec {
  std::optional<Kind> default_value{};
  std::string doc{};
};

namespace detail {
struct CaseState;
struct SectionRecord;
struct KeyRecord;
struct CaseValue;
}  // namespace detail

/// A table of the case. Copies refer to the same section. Reading a key twice returns the same value; two different
/// declarations of a key are a ContractError.
class Section {
 public:
  /// Returns the last part of its name: the user's name for members of named_sections(), the index for those of sections().
  [[nodiscard]] const std::string& name() const;
  /// Returns the full name, "boundary.inlet".
  [[nodiscard]] std::string path() const;
  /// Returns true if the case contains the section. A missing section reads as an empty one.
  [[nodiscard]] bool present() const;
  /// Returns true if the case contains this key.
  [[nodiscard]] bool has(std::string_view key) const;
  /// Returns true while the reference is generated: each key returns its default or any value in its range. Skip checks that
  /// compare several keys.
  [[nodiscard]] bool documenting() const;

  double number(const std::string& key, const NumberSpec& spec) const;
  std::int64_t integer(const std::string& key, const IntegerSpec& spec) const;
  bool boolean(const std::string& key, const BooleanSpec& spec) const;
  std::string text(const std::string& key, const TextSpec& spec) const;
  /// Reads a path. Relative paths start at the folder of the case file, those of --set at the current directory; ~ is the
  /// home folder of the user. The existence of the path is not checked.
  std::filesystem::path path_to(const std::string& key, const PathSpec& spec) const;
  Vec3 vector3(const std::string& key, const Vector3Spec& spec) const;
  std::vector<double> numbers(const std::string& key, const NumbersSpec& spec) const;
  std::vector<std::string> texts(const std::string& key, const TextsSpec& spec) const;
  /// Reads a formula as text; a plain number is a formula as well (with all its digits).
  std::string expression(const std::string& key, const TextSpec& spec) const;
  /// Reads one word of `choices`.
  std::string choice(const std::string& key, const std::vector<std::string>& choices, const TextSpec& spec) const;
  /// Reads a choice() of the names of a registry: choice_of<Flux>("flux", {.default_value = Flux::hllc, .doc = "..."}).
  template <class Kind>
  Kind choice_of(const std::string& key, const KindSpec<Kind>& spec) const;

  // Read keys that may be missing; a default in the spec is a ContractError.
  std::optional<double> optional_number(const std::string& key, const NumberSpec& spec) const;
  std::optional<std::int64_t> optional_integer(const std::string& key, const IntegerSpec& spec) const;
  std::optional<std::string> optional_text(const std::string& key, const TextSpec& spec) const;
  std::optional<std::filesystem::path> optional_path(const std::string& key, const PathSpec& spec) const;
  std::optional<Vec3> optional_vector3(const std::string& key, const Vector3Spec& spec) const;
  /// Returns the number as text (with all its digits) or the word; nothing if the case does not contain the key.
  std::optional<std::string> optional_parameter(const std::string& key, const ParameterSpec& spec) const;

  /// Returns the subsection [path.key].
  Section section(const std::string& key, const SectionSpec& spec) const;
  /// Returns [path.key.<user's name>] in the order of the file; for the reference a single one, "<placeholder>".
  std::vector<Section> named_sections(const std::string& key, const SectionSpec& spec) const;
  /// Returns [[path.key]] in the order of the file; for the reference a single one.
  std::vector<Section> sections(const std::string& key, const SectionSpec& spec) const;

  /// Reads a choice that determines which keys follow: `body(chosen)` reads them. For the reference, body is called for every
  /// choice, and its keys are marked with it. So it is, with documenting() true, where errors are collected and the choice is
  /// invalid, so that the keys of no choice count as unknown. The default or the first choice is then returned.
  std::string variant(const std::string& key, const std::vector<std::string>& choices, const TextSpec& spec,
                      const std::function<void(const std::string&)>& body) const;
  /// Reads a variant() of the names of a registry.
  template <class Kind>
  Kind variant_of(const std::string& key, const KindSpec<Kind>& spec, const std::function<void(Kind)>& body) const;

  /// Runs `work`, which reads the section or checks its values. If the reader collects errors, an InputError thrown by `work`
  /// is added, unless another error was added within `work` before, which may be its cause; unread keys of the section
  /// (except for the root) then do not count as unknown. Returns true if `work` completed without an error.
  bool attempt(const std::function<void()>& work) const;

  /// Accepts all keys of this section that are not read.
  void ignore_other_keys() const;
  /// Returns the text of a key in the case; nothing if the key is missing or is not text.
  [[nodiscard]] std::optional<std::string> written(std::string_view key) const;
  /// Returns the location of the key in the case; that of the section if the key is missing.
  [[nodiscard]] Where where(std::string_view key) const;
  /// Rejects the value of a key for a reason of the caller. @throws InputError
  [[noreturn]] void fail(std::string_view key, const std::string& problem, const std::string& suggestion = {}) const;
  /// Rejects the values of a section of which all keys have been read. If the reader collects errors, this one is added, unless
  /// the section has another, which may be its cause, and keys that were not read count as unknown. @throws InputError otherwise
  void fail_as_a_whole(std::string_view key, const std::string& problem, const std::string& suggestion = {}) const;

 private:
  friend class CaseReader;
  Section(std::shared_ptr<detail::CaseState> state, detail::SectionRecord* record) : state_(std::move(state)), record_(record) {}

  template <class Read, class Otherwise>
  auto kept(Read&& read, Otherwise&& otherwise) const;
  const detail::CaseValue* declare(const std::string& key, detail::KeyRecord record, bool needed) const;
  void set_value(const std::string& key, const std::string& toml) const;
  std::optional<double> read_number(const std::string& key, const NumberSpec& spec, bool needed) const;
  std::optional<std::int64_t> read_integer(const std::string& key, const IntegerSpec& spec, bool needed) const;
  std::optional<std::string> read_text(const std::string& key, const TextSpec& spec, bool needed) const;
  std::optional<std::filesystem::path> read_path(const std::string& key, const PathSpec& spec, bool needed) const;
  std::optional<Vec3> read_vector3(const std::string& key, const Vector3Spec& spec, bool needed) const;
  bool read_boolean(const std::string& key, const BooleanSpec& spec) const;
  std::vector<double> read_numbers(const std::string& key, const NumbersSpec& spec) const;
  std::vector<std::string> read_texts(const std::string& key, const TextsSpec& spec) const;
  std::string read_expression(const std::string& key, const TextSpec& spec) const;
  std::optional<std::string> read_parameter(const std::string& key, const ParameterSpec& spec) const;
  std::string read_choice(const std::string& key, const std::vector<std::string>& choices, const TextSpec& spec) const;

  std::shared_ptr<detail::CaseState> state_;
  detail::SectionRecord* record_;
};

/// First line of each effective case, which distinguishes it from a case written by a user.
inline constexpr std::string_view kEffectiveCaseHeader = "# Every key that the run read, made from ";

class CaseReader {
 public:
  explicit CaseReader(CaseFile file);
  /// Creates a reader without a case for the reference: run the code that reads a case, then call reference_markdown().
  [[nodiscard]] static CaseReader documentation();

  [[nodiscard]] Section root() const;
  [[nodiscard]] const CaseFile& file() const;

  /// Collects errors in keys, errors within Section::attempt() and unknown keys from now on, instead of throwing them, so
  /// that all can be reported together. An invalid key reads as its default or as a value in its range; therefore, if
  /// errors() is not empty, the values may only be used to find more errors.
  void collect_errors() const;
  /// Returns the collected errors in the order of the lines of the case.
  [[nodiscard]] std::vector<InputError> errors() const;

  /// Checks for unread keys; called after everything has been read. @throws InputError for the first key or section that was
  /// not read, with the closest known name; if errors are collected, adds all of them.
  void finish() const;

  /// Returns the case with all read keys, including defaults, as TOML, which a run writes to its results folder. Reading it
  /// yields the same values, bit by bit. It begins with kEffectiveCaseHeader.
  [[nodiscard]] std::string effective_toml() const;
  /// Returns a table per section: key, type, unit, default, range, description; in the order of the declarations.
  [[nodiscard]] std::string reference_markdown() const;

 private:
  explicit CaseReader(std::shared_ptr<detail::CaseState> state);
  std::shared_ptr<detail::CaseState> state_;
};

namespace detail {

template <class Kind>
[[nodiscard]] TextSpec text_spec(const KindSpec<Kind>& spec) {
  TextSpec text;
  if (spec.default_value) text.default_value = std::string(name_of(*spec.default_value));
  const std::string choices = describe_choices<Kind>();
  text.doc = spec.doc + (choices.empty() ? "" : " " + choices + ".");
  return text;
}

}  // namespace detail

template <class Kind>
Kind Section::choice_of(const std::string& key, const KindSpec<Kind>& spec) const {
  return kind_named<Kind>(choice(key, {names<Kind>().begin(), names<Kind>().end()}, detail::text_spec(spec)));
}

template <class Kind>
Kind Section::variant_of(const std::string& key, const KindSpec<Kind>& spec, const std::function<void(Kind)>& body) const {
  return kind_named<Kind>(variant(key, {names<Kind>().begin(), names<Kind>().end()}, detail::text_spec(spec),
                                  [&](const std::string& name) { body(kind_named<Kind>(name)); }));
}

}  // namespace weft::io
