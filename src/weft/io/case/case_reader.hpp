#pragma once
/// Reads the keys of a case. A key is declared where it is read, once: type, unit, default, range and meaning. From these
/// declarations come the checks, the effective case and the reference of all keys.
///
///     CaseReader reader(CaseFile::read(comm, "case.toml", overrides));
///     Section flow = reader.root().section("flow", {.doc = "The flow model."});
///     const double cfl = flow.number("cfl", {.default_value = 0.5, .min_exclusive = 0, .max = 10, .doc = "Courant number."});
///     const double end = flow.number("end_time", {.min = 0, .unit = "s", .doc = "Stop here."});   // no default: required
///     reader.finish();   // an unknown key is an error
///
/// A wrong value throws InputError with file, line, column and key. Every rank reads the same text, so every rank throws the
/// same. collect_errors() keeps such errors instead, so that a program can report all of them.
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

/// A real number. A key with a `unit` other than "1" also takes text with a unit of the same dimension: "1.5 ms". Default and
/// range are in `unit`, as is a bare number in the case; what is returned is in SI (radians for angles).
struct NumberSpec {
  std::optional<double> default_value{};  ///< none: the key is required (optional_number: may be absent)
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
};

struct PathSpec {
  std::optional<std::string> default_value{};
  std::string doc{};
};

/// Two or three numbers; with two, z = 0. Units as for NumberSpec.
struct Vector3Spec {
  std::optional<Vec3> default_value{};
  std::string unit = "1";
  std::string doc{};
};

/// A list; a single value stands for a list of one.
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

/// A number or a word that the caller checks, and of which it knows the default: here they are for the reference and the
/// effective case.
struct ParameterSpec {
  std::string initial{}, unit{}, range{}, doc{};
};

struct SectionSpec {
  bool required = false;
  std::string doc{};
  std::string placeholder = "name";  ///< in the reference, for the names that the user chooses
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

/// One table of the case. A handle: copies read the same section. Reading a key twice gives the same value; declaring it twice in
/// different ways is a bug (ContractError).
class Section {
 public:
  /// The last part of its name; the user's word for members of named_sections(), the number for those of sections().
  [[nodiscard]] const std::string& name() const;
  /// "boundary.inlet"
  [[nodiscard]] std::string path() const;
  /// Whether the case has it. An absent section reads as an empty one.
  [[nodiscard]] bool present() const;
  /// Whether the case has this key.
  [[nodiscard]] bool has(std::string_view key) const;
  /// True while the reference is made: every key gives its default or some value in range. Skip checks that join several keys.
  [[nodiscard]] bool documenting() const;

  double number(const std::string& key, const NumberSpec& spec) const;
  std::int64_t integer(const std::string& key, const IntegerSpec& spec) const;
  bool boolean(const std::string& key, const BooleanSpec& spec) const;
  std::string text(const std::string& key, const TextSpec& spec) const;
  /// A relative path starts at the folder of the case file, from --set at the current directory; ~ is the user's home folder.
  /// Whether the path exists is not checked.
  std::filesystem::path path_to(const std::string& key, const PathSpec& spec) const;
  Vec3 vector3(const std::string& key, const Vector3Spec& spec) const;
  std::vector<double> numbers(const std::string& key, const NumbersSpec& spec) const;
  std::vector<std::string> texts(const std::string& key, const TextsSpec& spec) const;
  /// A formula as text; a plain number is one too (with all its digits).
  std::string expression(const std::string& key, const TextSpec& spec) const;
  /// One word of `choices`.
  std::string choice(const std::string& key, const std::vector<std::string>& choices, const TextSpec& spec) const;
  /// A choice() of the names of a registry: choice_of<Flux>("flux", {.default_value = Flux::hllc, .doc = "..."}).
  template <class Kind>
  Kind choice_of(const std::string& key, const KindSpec<Kind>& spec) const;

  // As above, for keys that may be absent; a default in the spec is a ContractError.
  std::optional<double> optional_number(const std::string& key, const NumberSpec& spec) const;
  std::optional<std::int64_t> optional_integer(const std::string& key, const IntegerSpec& spec) const;
  std::optional<std::string> optional_text(const std::string& key, const TextSpec& spec) const;
  std::optional<std::filesystem::path> optional_path(const std::string& key, const PathSpec& spec) const;
  std::optional<Vec3> optional_vector3(const std::string& key, const Vector3Spec& spec) const;
  /// The number as text (as many digits as it has) or the word; nothing where the case does not give it.
  std::optional<std::string> optional_parameter(const std::string& key, const ParameterSpec& spec) const;

  /// The sub-section [path.key].
  Section section(const std::string& key, const SectionSpec& spec) const;
  /// [path.key.<user's name>], in the order of the file. While documenting: one, called "<placeholder>".
  std::vector<Section> named_sections(const std::string& key, const SectionSpec& spec) const;
  /// [[path.key]], in the order of the file. While documenting: one.
  std::vector<Section> sections(const std::string& key, const SectionSpec& spec) const;

  /// A choice that decides which keys follow: `body(chosen)` reads them. While documenting, body is called for every choice, and
  /// its keys are marked with it.
  std::string variant(const std::string& key, const std::vector<std::string>& choices, const TextSpec& spec,
                      const std::function<void(const std::string&)>& body) const;
  /// A variant() of the names of a registry.
  template <class Kind>
  Kind variant_of(const std::string& key, const KindSpec<Kind>& spec, const std::function<void(Kind)>& body) const;

  /// Runs `work`, which reads the section or checks what was read of it. Where the reader collects errors, an InputError that
  /// leaves `work` is kept, unless another was kept within `work` before, whose consequence it may be; keys of the section, but
  /// for the root's, then do not count as unknown. Returns whether `work` ran without an error.
  bool attempt(const std::function<void()>& work) const;

  /// Returns the text of a key as the case has it; nothing where the case does not have it, or has no text there.
  [[nodiscard]] std::optional<std::string> written(std::string_view key) const;
  /// Where the key stands in the case; where the section does, if the key is absent.
  [[nodiscard]] Where where(std::string_view key) const;
  /// Rejects the value of a key for a reason of the caller's. @throws InputError
  [[noreturn]] void fail(std::string_view key, const std::string& problem, const std::string& suggestion = {}) const;

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

/// Begins every effective case, so that it is told from a case that somebody wrote.
inline constexpr std::string_view kEffectiveCaseHeader = "# Every key that the run read, made from ";

class CaseReader {
 public:
  explicit CaseReader(CaseFile file);
  /// A reader without a case, to make the reference: run the code that reads a case over it, then call reference_markdown().
  [[nodiscard]] static CaseReader documentation();

  [[nodiscard]] Section root() const;
  [[nodiscard]] const CaseFile& file() const;

  /// From now on errors in keys, those within Section::attempt() and unknown keys are kept instead of thrown, so that all of them
  /// can be reported at once. A key with an error reads as its default or as some value in range, so what has been read must
  /// not be used where errors() is not empty, but to look for more errors.
  void collect_errors() const;
  /// Returns the errors kept so far, in the order of the lines of the case.
  [[nodiscard]] std::vector<InputError> errors() const;

  /// To be called when everything has been read. @throws InputError at the first key or section that nobody read, naming the
  /// closest known one; where errors are collected, all of these are kept.
  void finish() const;

  /// The case with every key that was read, defaults included, as TOML: what a run writes beside its results. Reading it again
  /// gives the same values, bit by bit. It begins with kEffectiveCaseHeader.
  [[nodiscard]] std::string effective_toml() const;
  /// A table per section: key, type, unit, default, range, meaning. In the order in which they were declared.
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
